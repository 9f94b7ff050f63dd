"""The outside world behind small ports: mailboxes, notices, models.

Only this package calls anything outside our process and database. Vendors' exceptions and types
end at the adapter; what leaves here are the values of ``providers.ports`` and ``storage.words``.
"""
