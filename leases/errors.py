"""What may go wrong with a lease, by what happens next."""

from __future__ import annotations


class LeaseError(Exception):
    """Root of the errors of this package."""


class LeaseGivenUpError(LeaseError):
    """The lease could not be shown to be held any more: its work was stopped, nothing is lost."""
