"""Side effects outside the database: one guarded call for all of them, and what each kind declares.

guard      the only way out: stage, claim, call once, record
claim      the transaction that commits an intent and verifies the lease
settle     the transaction that records what became of it
sweep      intents whose caller will never tell
looks      searching the mailbox for what an unknown intent left
contracts  what each kind promises, as data
"""
