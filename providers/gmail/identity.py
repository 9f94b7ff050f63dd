"""What a Gmail account is called in the store: the same for the mailbox and for the login.

Both learn the address from ``users.getProfile``; a login to another account than the one that a
mailbox is bound to is refused by comparing these. Pure.
"""

from __future__ import annotations

from typing import Final

_PREFIX: Final = "gmail:"


def account_of(address: str) -> str:
    """The identity of the account with this address, as ``Mailbox.account`` gives it."""
    return f"{_PREFIX}{address.strip().lower()}"


def address_of(account: str) -> str | None:
    """The address in an identity; None where it is no Gmail account's."""
    return account.removeprefix(_PREFIX) if account.startswith(_PREFIX) else None
