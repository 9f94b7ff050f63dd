"""Every key stands on the line that the line finder names, in any TOML text."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.lines import Path, key_lines, line_of

BARE = st.text("abcXYZ019_-", min_size=1, max_size=4)
ANY_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=6)
TRIPLE_DOUBLE = st.sampled_from(
    ['"""a"""', '"""\n[not.a.table]\nx = 1\n"""', '"""a""b"""', '"""a \\\n   b"""', '"""""a"""""',
     '"""\\""" = 1\n"""', '"""# no comment\n"""']
)  # fmt: skip
TRIPLE_SINGLE = st.sampled_from(
    ["'''a'''", "'''\n[[no]]\ny = 2\n'''", "'''a''b'''", "'''a\\'''", "''''a''''", "'''#\n'''"]
)
SCALAR = st.sampled_from(
    ["1", "0x0f", "1_000", "3.5e-3", "true", "inf", "1979-05-27", "1979-05-27 07:32:00Z",
     "07:32:00", '"#"', "'='", '"]"', "'}'", '"\\"x = 1\\""', "''", '""', '"\\\\"', "'\\'"]
)  # fmt: skip


def basic(text: str) -> str:
    """*text* as a basic string, with the awkward characters as escapes."""
    plain = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
    return '"' + "".join(
        plain.get(c) or (c if c.isprintable() else f"\\U{ord(c):08x}") for c in text
    ) + '"'  # fmt: skip


@dataclass
class Writer:
    """A TOML text under way, with the line of each thing that is in it."""

    draw: st.DrawFn
    text: str = ""
    lines: dict[Path, int] = field(default_factory=dict)

    def put(self, text: str) -> None:
        self.text += text

    def mark(self, path: Path) -> None:
        self.lines.setdefault(path, self.text.count("\n") + 1)

    def blank(self, *, breaks: bool) -> None:
        choices = ["", " ", "\t "] + (["\n", "\n\n", " # x = [1]\n", "\r\n"] if breaks else [])
        self.put(self.draw(st.sampled_from(choices)))

    def key(self, name: str) -> None:
        forms = [basic(name)]
        if name.isascii() and name and all(c.isalnum() or c in "_-" for c in name):
            forms.append(name)
        if name.isprintable() and "'" not in name:
            forms.append(f"'{name}'")
        self.put(self.draw(st.sampled_from(forms)))

    def names(self, size: int) -> list[str]:
        return self.draw(
            st.lists(st.one_of(BARE, ANY_TEXT), min_size=0, max_size=size, unique=True)
        )

    def value(self, path: Path, depth: int) -> None:
        kinds = ["scalar", "triple"] + (["array", "inline"] if depth else [])
        kind = self.draw(st.sampled_from(kinds))
        if kind == "scalar":
            self.put(self.draw(SCALAR))
        elif kind == "triple":
            self.put(self.draw(st.one_of(TRIPLE_DOUBLE, TRIPLE_SINGLE)))
        elif kind == "array":
            self.array(path, depth)
        else:
            self.inline(path, depth)

    def array(self, path: Path, depth: int) -> None:
        size = self.draw(st.integers(0, 3))
        self.put("[")
        for index in range(size):
            self.blank(breaks=True)
            self.mark((*path, index))
            self.value((*path, index), depth - 1)
            self.blank(breaks=True)
            if index < size - 1 or self.draw(st.booleans()):
                self.put(",")
        self.blank(breaks=True)
        self.put("]")

    def inline(self, path: Path, depth: int) -> None:
        self.put("{")
        for count, name in enumerate(self.names(2)):
            self.put(", " if count else " ")
            self.pair(path, name, depth - 1)
        self.put(" }")

    def pair(self, path: Path, name: str, depth: int) -> None:
        parts = [name, *self.draw(st.lists(BARE, max_size=1))]
        start = self.text.count("\n") + 1
        for count, part in enumerate(parts):
            self.put("." if count else "")
            self.blank(breaks=False)
            self.key(part)
            self.blank(breaks=False)
            path = (*path, part)
            self.lines.setdefault(path, start)
        self.put("=")
        self.blank(breaks=False)
        self.value(path, depth)

    def body(self, path: Path) -> None:
        for name in self.names(3):
            self.blank(breaks=True)
            self.pair(path, name, 2)
            self.put(self.draw(st.sampled_from(["\n", "\r\n", " # [x]\n", "\n\n\n"])))

    def header(self, name: str, path: Path, opening: str, closing: str) -> None:
        self.put(self.draw(st.sampled_from(["", "\n", "  ", "# y = 1\n"])))
        self.lines[path] = self.text.count("\n") + 1
        self.put(opening)
        self.key(name)
        self.put(closing + "\n")


@st.composite
def documents(draw: st.DrawFn) -> Writer:
    """TOML documents: bare pairs, tables, arrays of tables with tables of their own."""
    writer = Writer(draw)
    tops = draw(st.lists(st.one_of(BARE, ANY_TEXT), max_size=3, unique=True))
    for index, name in enumerate(tops):
        top = f"{name}{index}t"
        if draw(st.booleans()):
            writer.header(top, (top,), "[", "]")
            writer.body((top,))
            continue
        for element in range(draw(st.integers(1, 3))):
            writer.header(top, (top, element), "[[", "]]")
            if element == 0:
                writer.lines[(top,)] = writer.lines[(top, 0)]
            writer.body((top, element))
            if draw(st.booleans()):
                writer.put("[")
                writer.key(top)
                writer.lines[(top, element, "subz")] = writer.text.count("\n") + 1
                writer.put(" . subz]\n")
                writer.body((top, element, "subz"))
    return writer


@given(documents())
def test_every_key_of_a_generated_text_is_found_on_its_line(writer: Writer) -> None:
    tomllib.loads(writer.text)

    assert key_lines(writer.text) == writer.lines


def test_a_parent_that_only_its_child_names_stands_at_the_child() -> None:
    assert key_lines("\n[a.b]\nc = 1\n") == {("a",): 2, ("a", "b"): 2, ("a", "b", "c"): 3}


def test_a_table_stands_at_its_header_even_below_its_child() -> None:
    assert key_lines("[a.b]\n[a]\nc = 1\n")[("a",)] == 2


def test_a_table_below_an_array_belongs_to_the_newest_element() -> None:
    lines = key_lines("[[a]]\n[[a]]\n[a.b]\nx = 1\n[[a.c]]\ny = 2\n")

    assert lines[("a", 1, "b", "x")] == 4
    assert lines[("a", 1, "c", 0, "y")] == 6


def test_what_is_not_there_stands_where_its_parent_is() -> None:
    lines = key_lines("x = 1\n[[a]]\ny = 1\n")

    assert line_of(lines, ("a", 0, "missing", "deeper")) == 2
    assert line_of(lines, ("nothing",)) is None


@given(st.text(max_size=60))
def test_no_text_makes_the_line_finder_raise(text: str) -> None:
    key_lines(text)


@pytest.mark.parametrize("text", ["x = " + "[" * 5_000, "a = {b = " * 3_000, "a." * 900 + "b=1"])
def test_a_hostile_nesting_ends_the_search_and_nothing_else(text: str) -> None:
    assert set(key_lines(text).values()) == {1}
