"""Gmail over its API: drafts have ids and threads, and no call is conditional.

Google replaces Message-IDs and has no idempotency key; so a draft is known by several marks, and
what an answer does not prove stays unknown.
"""

from providers.gmail.mailbox import GmailMailbox

__all__ = ["GmailMailbox"]
