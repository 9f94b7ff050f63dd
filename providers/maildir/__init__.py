"""A Maildir++ on this machine's disk as a mailbox."""

from providers.maildir.mailbox import MaildirMailbox

__all__ = ["MaildirMailbox"]
