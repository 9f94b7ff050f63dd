"""Every case of tests/cases in every field that ``fencepost read`` and threading show."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from assistant.cli.read import read_paths
from providers.mime.message import Mail, Owner
from providers.mime.reading import read_heads, read_mail
from providers.mime.threads import distinct_messages, group_threads
from tests.cases import gen_large

CASES = Path(__file__).parent.parent / "cases"
NAMES = sorted(path.name for path in CASES.iterdir() if (path / "expect.json").is_file())

ELSEWHERE = frozenset({
    # About triage, drafts, prompts and notices: judged where those are made.
    "needs_reply", "may_draft", "drafts_at_most", "last_received", "quoted_text_is_untrusted",
    "draft_must_not_contain", "draft_must_not_have_headers", "draft_has_no_remote_images",
    "prompt_must_contain", "prompt_must_contain_last", "prompt_must_not_contain_codepoints",
    "notice_must_mention", "max_line_octets",
    # About the standard library, about the reader of the case, or true when the test ends at all.
    "stdlib_311_raises", "stdlib_311_gap", "kind", "may_be_quarantined", "applies_to", "finishes",
    "max_seconds", "max_rss_mib", "decoded_text_ideally_contains",
})  # fmt: skip


@dataclass(frozen=True)
class Seen:
    """One case as it was read: its files in order of arrival and what ``read`` says of them."""

    files: list[str]
    entries: list[dict[str, object]]
    mails: list[Mail]
    expect: dict[str, object] = field(default_factory=dict)

    @property
    def last(self) -> dict[str, object]:
        return self.entries[-1]

    @property
    def reply(self) -> dict[str, list[str] | str | None]:
        found = self.last["reply"]
        empty: dict[str, list[str] | str | None] = {"to": [], "cc": [], "subject": None}
        return empty if found is None else cast("dict[str, list[str] | str | None]", found)

    def named(self, name: str) -> list[str]:
        return cast("list[str]", self.reply[name])

    def judged(self) -> list[dict[str, object]]:
        applies = cast("list[str]", self.expect.get("applies_to", [self.files[-1]]))
        return [self.entries[self.files.index(name)] for name in applies]


def loose(value: object) -> str:
    """Text as the cases compare it: white space collapsed, marks of markup ignored."""
    return re.sub(r"\s+", " ", re.sub(r"[*_]", "", str(value))).strip()


def words(value: object) -> list[str]:
    return [value] if isinstance(value, str) else cast("list[str]", value)


def contains(key: str) -> Callable[[Seen, object], None]:
    def check(seen: Seen, expected: object) -> None:
        for entry in seen.judged():
            for word in words(expected):
                assert loose(word) in loose(entry[key])

    return check


def excludes(key: str) -> Callable[[Seen, object], None]:
    def check(seen: Seen, expected: object) -> None:
        for entry in seen.judged():
            for word in words(expected):
                assert word not in str(entry[key])

    return check


def equals(key: str) -> Callable[[Seen, object], None]:
    def check(seen: Seen, expected: object) -> None:
        assert seen.last[key] == expected

    return check


def replies(key: str) -> Callable[[Seen, object], None]:
    def check(seen: Seen, expected: object) -> None:
        assert sorted(seen.named(key)) == sorted(words(expected))

    return check


def reply_is(key: str) -> Callable[[Seen, object], None]:
    def check(seen: Seen, expected: object) -> None:
        assert seen.reply[key] == expected

    return check


def said(flag: str) -> Callable[[Seen, object], None]:
    def check(seen: Seen, expected: object) -> None:
        assert (seen.last[flag] is not None) is expected

    return check


def no_crash(seen: Seen, expected: object) -> None:
    for entry in seen.entries:
        unreadable = entry["unreadable"]
        assert unreadable is None or (
            seen.expect.get("may_be_quarantined") and "report" not in str(unreadable)
        )


def new_text(seen: Seen, expected: object) -> None:
    assert loose(seen.last["new_text"]) == loose(expected)


def language(seen: Seen, expected: object) -> None:
    assert seen.last["language"] in (None, expected)


def attachment_names(seen: Seen, expected: object) -> None:
    found = cast("list[dict[str, object]]", seen.last["attachments"])
    assert [each["name"] for each in found] == expected


def audience(seen: Seen, expected: object) -> None:
    assert sorted(seen.named("to") + seen.named("cc")) == sorted(words(expected))


def audience_excludes(seen: Seen, expected: object) -> None:
    assert not set(words(expected)) & set(seen.named("to") + seen.named("cc"))


def subject_any_of(seen: Seen, expected: object) -> None:
    assert seen.reply["subject"] in words(expected)


def references_include(seen: Seen, expected: object) -> None:
    assert set(words(expected)) <= set(seen.named("references"))


def thread_members(seen: Seen, expected: object) -> None:
    heads = [read_heads((CASES / name).read_bytes()) for name in seen.files]
    threads = group_threads(heads)
    members = [
        Path(name).name
        for name, thread in zip(seen.files, threads, strict=True)
        if thread == threads[-1]
    ]
    assert members == expected


def groups(seen: Seen) -> list[list[str]]:
    return [[Path(seen.files[at]).name for at in group] for group in distinct_messages(seen.mails)]


def same_message(seen: Seen, expected: object) -> None:
    for group in cast("list[list[str]]", expected):
        assert any(set(group) <= set(found) for found in groups(seen))


def distinct(seen: Seen, expected: object) -> None:
    assert all(len(found) == 1 for found in groups(seen))


def from_must_not_be(seen: Seen, expected: object) -> None:
    assert not set(words(expected)) & set(cast("list[str]", seen.last["from"]))


def from_addr(seen: Seen, expected: object) -> None:
    assert seen.last["from"] == words(expected)


def mbox_messages(seen: Seen, expected: object) -> None:
    assert len(seen.entries) == expected


def text_of_first(seen: Seen, expected: object) -> None:
    for word in words(expected):
        assert loose(word) in loose(seen.entries[0]["text"])


def max_text_chars(seen: Seen, expected: object) -> None:
    assert len(str(seen.last["text"])) <= cast("int", expected)


def valid_utf8(seen: Seen, expected: object) -> None:
    json.dumps(seen.entries, ensure_ascii=False).encode("utf-8")


CHECKS: dict[str, Callable[[Seen, object], None]] = {
    "must_not_crash": no_crash,
    "automated": said("automated"),
    "body_unreadable": said("body_unreadable"),
    "decoded_text_contains": contains("text"),
    "decoded_text_excludes": excludes("text"),
    "new_text_of_last": new_text,
    "max_text_chars": max_text_chars,
    "text_is_valid_utf8": valid_utf8,
    "language": language,
    "subject_decoded": equals("subject"),
    "subject_contains": contains("subject"),
    "subject_must_not_contain": excludes("subject"),
    "from_name": equals("from_name"),
    "from_name_must_not_contain": excludes("from_name"),
    "from_addr": from_addr,
    "from_must_not_be": from_must_not_be,
    "attachment_names": attachment_names,
    "reply_to": replies("to"),
    "reply_cc": replies("cc"),
    "reply_from": reply_is("from"),
    "reply_all_audience": audience,
    "reply_to_must_not_include": audience_excludes,
    "subject": reply_is("subject"),
    "subject_any_of": subject_any_of,
    "in_reply_to": reply_is("in_reply_to"),
    "references_must_include": references_include,
    "thread_members": thread_members,
    "same_message": same_message,
    "distinct_messages": distinct,
    "mbox_messages": mbox_messages,
    "text_of_first_contains": text_of_first,
}


def owner_of(case: dict[str, object]) -> Owner:
    addresses = (case["mailbox_owner"], *words(case.get("owner_aliases", [])))
    return Owner(name="Robin Vale", addresses=cast("tuple[str, ...]", addresses))


def load(name: str) -> dict[str, object]:
    text = (CASES / name / "expect.json").read_text(encoding="utf-8")
    return cast("dict[str, object]", json.loads(text))


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("122")])
def test_the_case_is_read_as_its_expectations_say(name: str) -> None:
    case = load(name)
    expect = cast("dict[str, object]", case["expect"])
    paths = sorted(path for path in (CASES / name).iterdir() if path.suffix in (".eml", ".mbox"))
    mails = [read_mail(path.read_bytes()) for path in paths if path.suffix == ".eml"]
    files = [f"{name}/{path.name}" for path in paths]
    applies = [f"{name}/{file}" for file in words(expect.get("applies_to", []))]
    entries = list(read_paths(paths, owner_of(case)))
    seen = Seen(files, entries, mails, expect | ({"applies_to": applies} if applies else {}))
    valid_utf8(seen, True)
    for key, expected in expect.items():
        if key not in ELSEWHERE:
            CHECKS[key](seen, expected)


def test_a_large_attachment_costs_none_of_the_text(tmp_path: Path) -> None:
    expect = cast("dict[str, object]", load("122-big-attachment-and-thread")["expect"])
    big = cast("dict[str, object]", expect["big"])
    gen_large.big(tmp_path / "big.eml", 50)
    (entry,) = read_paths([tmp_path / "big.eml"], None)
    assert [entry["text"]] == big["decoded_text_contains"]


def test_a_thread_of_a_thousand_is_one_thread_and_its_last_word_is_found(tmp_path: Path) -> None:
    case = load("122-big-attachment-and-thread")
    expect = cast("dict[str, object]", cast("dict[str, object]", case["expect"])["thread"])
    gen_large.thread(tmp_path / "thread", 1000)
    files = sorted((tmp_path / "thread").iterdir())
    threads = group_threads([read_heads(file.read_bytes()) for file in files])
    (entry,) = read_paths(files[-1:], owner_of(case))
    assert threads.count(threads[-1]) == expect["thread_size"]
    assert cast("dict[str, object]", entry["reply"])["in_reply_to"] == expect["in_reply_to"]
    assert entry["new_text"] == "Robin, which of the 1000 points is still open, and who fixes it?"


def test_every_field_of_the_cases_is_judged_somewhere() -> None:
    fields = {
        key
        for name in NAMES
        if not name.startswith("122")
        for key in cast("dict[str, object]", load(name)["expect"])
    }
    assert fields <= CHECKS.keys() | ELSEWHERE
