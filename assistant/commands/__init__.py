"""What a person may ask: decisions on review items, and the kill switch.

Every decision carries a key that the person chose; its receipt is written in the transaction that
does what was asked, so that a replay returns the same operation and repeats nothing.
"""
