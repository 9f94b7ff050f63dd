"""What ``once`` says of users and mailboxes that it can't serve, and of mail that it can't read."""

from __future__ import annotations

from tests.cli.conftest import Place


def wrong(place: Place) -> None:
    """A second user's file, with a fault in its second line that quotes an address."""
    (place.config / "users" / "tove.toml").write_text(
        'name = "Tove"\naddresses = ["tove@@example.com"]\n'
        f'[[mailboxes]]\nid = "local"\nprovider = "maildir"\npath = "{place.root}/tove"\n'
    )


def test_a_users_file_that_is_wrong_is_named_with_line_key_and_remedy(place: Place) -> None:
    wrong(place)
    said = place.said("once", status=2)
    assert "tove.toml:2 addresses" in said
    assert "is no e-mail address" in said
    assert '"remedy": "' in said


def test_a_log_of_a_wrong_users_file_quotes_no_address(place: Place) -> None:
    wrong(place)
    assert "tove@" not in place.said("once", status=2)


def test_a_user_whose_file_is_wrong_is_not_served_and_the_others_are(place: Place) -> None:
    wrong(place)
    place.deliver(1)
    document = place.json("once", status=2)
    assert isinstance(document, dict)
    [user] = document["not_served"]
    assert user["user"] == "tove"
    assert "tove.toml:2" in user["what"]
    assert user["remedy"]
    assert len(place.drafts()) == 1
