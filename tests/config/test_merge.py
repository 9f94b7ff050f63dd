"""What is in force after a change: the last good version of each, and no account in two hands."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from config.daemon import DaemonConfig
from config.faults import Fault, UserFault
from config.load import reload
from config.loaded import Loaded, merge
from config.user import MaildirMailbox, UserConfig
from storage.words import UserName
from tests.config.folder import ROBIN, Folder

DAEMON = DaemonConfig()
NAMES = ("anna", "mina", "robin", "zoe")
MAILBOX = '[[mailboxes]]\nid = "{id}"\nprovider = "maildir"\npath = "{path}"\n'


def user(name: str, *paths: str, version: str = "0") -> UserConfig:
    return UserConfig(
        name=name,
        addresses=(f"{name}@example.com",),
        mailboxes=tuple(
            MaildirMailbox(id=f"m{index}", provider="maildir", path=Path(f"/{path}"))
            for index, path in enumerate(paths)
        ),
        user=UserName(name),
        hash=version,
    )


def loaded(*users: UserConfig, broken: tuple[str, ...] = ()) -> Loaded:
    fault = Fault(file=None, line=1, key="", message="is broken", remedy="mend it")
    return Loaded(
        config_dir=Path("/c"),
        daemon=DAEMON,
        users={each.user: each for each in users},
        faults=tuple(UserFault(user=UserName(name), faults=(fault,)) for name in broken),
        lines={each.user: tuple(range(10, 10 + len(each.mailboxes))) for each in users},
    )


def paths(result: Loaded) -> dict[str, list[str]]:
    return {
        name: [mailbox.account.rpartition("/")[2] for mailbox in each.mailboxes]
        for name, each in result.users.items()
    }


def test_a_removed_file_removes_the_user() -> None:
    result = merge(loaded(user("anna", "A"), user("zoe", "Z")), loaded(user("zoe", "Z")))

    assert (paths(result), result.faults) == ({"zoe": ["Z"]}, ())


def test_a_broken_file_keeps_the_last_good_user_and_tells() -> None:
    good = user("anna", "A")

    result = merge(loaded(good), loaded(broken=("anna",)))

    assert result.users == {"anna": good}
    assert [fault.user for fault in result.faults] == ["anna"]


def test_a_file_that_was_never_good_gives_no_user() -> None:
    result = merge(loaded(), loaded(broken=("anna",)))

    assert (result.users, len(result.faults)) == ({}, 1)


def test_a_mended_file_ends_the_fault() -> None:
    first = merge(loaded(user("anna", "A")), loaded(broken=("anna",)))

    result = merge(first, loaded(user("anna", "B")))

    assert (paths(result), result.faults) == ({"anna": ["B"]}, ())


def test_at_start_the_first_by_name_has_an_account() -> None:
    result = merge(loaded(), loaded(user("zoe", "A"), user("anna", "A")))

    assert paths(result) == {"anna": ["A"]}
    (fault,) = result.faults
    assert fault.user == "zoe"
    assert fault.faults[0].file == Path("/c/users/zoe.toml")
    assert (fault.faults[0].line, fault.faults[0].key) == (10, "mailboxes[1]")
    assert fault.faults[0].message == "is the same account as anna/m0"


def test_at_start_who_had_an_account_before_has_it() -> None:
    result = merge(loaded(), loaded(user("zoe", "A"), user("anna", "A")), {"zoe/m0"})

    assert paths(result) == {"zoe": ["A"]}
    assert [fault.user for fault in result.faults] == ["anna"]
    assert result.faults[0].faults[0].message == "is the same account as zoe/m0"


def test_while_running_an_account_stays_where_it_is() -> None:
    before = loaded(user("anna", "B"), user("zoe", "A"))

    result = merge(before, loaded(user("anna", "A"), user("zoe", "A")))

    assert paths(result) == {"anna": ["B"], "zoe": ["A"]}
    assert [fault.user for fault in result.faults] == ["anna"]


def test_an_account_is_free_once_its_holder_lets_go() -> None:
    before = loaded(user("anna", "B"), user("zoe", "A"))

    result = merge(before, loaded(user("anna", "A"), user("zoe", "C")))

    assert (paths(result), result.faults) == ({"anna": ["A"], "zoe": ["C"]}, ())


def test_two_who_swap_accounts_get_what_they_ask() -> None:
    before = loaded(user("anna", "A"), user("zoe", "Z"))

    result = merge(before, loaded(user("anna", "Z"), user("zoe", "A")))

    assert (paths(result), result.faults) == ({"anna": ["Z"], "zoe": ["A"]}, ())


def test_who_keeps_an_old_version_keeps_its_account_too() -> None:
    before = loaded(user("robin", "A"))

    result = merge(before, loaded(user("anna", "A"), broken=("robin",)))

    assert paths(result) == {"robin": ["A"]}
    assert [fault.user for fault in result.faults] == ["anna", "robin"]


def test_a_broken_contest_costs_no_third_user_anything() -> None:
    now = loaded(user("anna", "A"), user("mina", "A", "C"), user("zoe", "C"))

    result = merge(loaded(), now)

    assert paths(result) == {"anna": ["A"], "zoe": ["C"]}
    assert [fault.user for fault in result.faults] == ["mina"]


def test_one_account_under_two_ids_of_one_user_is_refused() -> None:
    result = merge(loaded(), loaded(user("anna", "A", "A")))

    assert result.users == {}
    assert result.faults[0].faults[0].message == "is the same account as anna/m0"
    assert result.faults[0].faults[0].line == 11


CLAIMS = st.dictionaries(
    st.sampled_from(NAMES),
    st.one_of(st.none(), st.lists(st.sampled_from("ABC"), min_size=1, max_size=2)),
)


@given(st.lists(CLAIMS, max_size=5))
def test_no_history_puts_an_account_into_two_hands(
    history: list[dict[str, list[str] | None]],
) -> None:
    state = loaded()
    for version, claims in enumerate(history):
        good = [user(name, *own, version=str(version)) for name, own in claims.items() if own]
        now = loaded(*good, broken=tuple(name for name, own in claims.items() if not own))
        after = merge(state, now)

        accounts = [mailbox.account for each in after.users.values() for mailbox in each.mailboxes]
        assert len(accounts) == len(set(accounts))
        assert set(after.users) <= set(claims)
        told = {fault.user for fault in after.faults}
        assert all(name in told or after.users[name] == now.users[name] for name in after.users)
        assert set(claims) <= set(after.users) | told
        assert set(state.users) & set(claims) <= set(after.users)
        assert merge(after, now).users == after.users
        assert all(
            len(after.lines[name]) == len(after.users[name].mailboxes) for name in after.users
        )
        state = after


def test_two_spellings_of_one_folder_are_one_account(folder: Folder) -> None:
    (folder.path / "Mail").mkdir()
    (folder.path / "link").symlink_to("Mail")
    folder.good_user("anna", "Mail")
    folder.good_user("robin", "../config/./link/")

    (fault,) = folder.load().faults

    assert (fault.user, fault.faults[0].line) == ("robin", 3)


def test_two_ids_of_one_imap_account_are_one_account(folder: Folder) -> None:
    imap = (
        '[[mailboxes]]\nid = "{id}"\nprovider = "imap"\nhost = "{host}"\n'
        'username = "robin"\npassword = {{ env = "X" }}\n'
    )
    text = 'name = "R"\naddresses = ["r@example.com"]\n'
    text += imap.format(id="a", host="imap.example.com") + imap.format(
        id="b", host="IMAP.example.com."
    )

    assert folder.fault(text).message == "is the same account as robin/a"


def test_a_broken_daemon_file_keeps_the_last_good_one_and_reads_the_users(folder: Folder) -> None:
    folder.daemon("[web]\nport = 9000\n")
    first = folder.load()
    folder.daemon("[web\n")
    folder.good_user()

    after = reload(first)

    assert after.daemon.web.port == 9000
    assert [fault.line for fault in after.daemon_faults] == [1]
    assert set(after.users) == {"robin"}


def test_a_mended_daemon_file_ends_the_fault(folder: Folder) -> None:
    first = folder.load()
    folder.daemon("[web\n")
    broken = reload(first)
    folder.daemon("[web]\nport = 9000\n")

    after = reload(broken)

    assert (after.daemon.web.port, after.daemon_faults) == (9000, ())


def test_a_folder_that_is_gone_keeps_everybody(folder: Folder) -> None:
    folder.good_user()
    first = folder.load()
    folder.path.rename(folder.path.with_name("aside"))

    after = reload(first)

    assert after.daemon == first.daemon
    assert after.users == first.users
    assert after.daemon_faults[0].message == "is no folder"


def test_a_users_folder_that_can_not_be_listed_keeps_everybody(folder: Folder) -> None:
    folder.good_user()
    first = folder.load()
    users = folder.path / "users"
    users.rename(folder.path / "aside")
    users.write_text("")

    after = reload(first)

    assert after.users == first.users
    assert after.daemon_faults[0].file == users


def test_reading_the_same_again_is_the_same(folder: Folder) -> None:
    folder.good_user()
    folder.user(ROBIN.format(path="Mail"), "zoe")
    first = folder.load()

    assert reload(first) == first
