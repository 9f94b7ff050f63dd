"""Gmail over its API: a mailbox whose drafts have ids, threads of their own and no conditional call.

Google replaces Message-IDs and has no idempotency key; so a draft is known by several marks, and
what an answer does not prove stays unknown.
"""
