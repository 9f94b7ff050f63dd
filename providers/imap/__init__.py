"""An ordinary mailbox over IMAP4rev1: Dovecot, Cyrus, Gmail over IMAP, and whatever speaks it."""

from providers.imap.login import Server
from providers.imap.mailbox import ImapMailbox

__all__ = ["ImapMailbox", "Server"]
