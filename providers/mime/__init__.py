"""Reading and writing mail: pure functions from bytes to values and back, for every provider.

Bytes from strangers come in here and must never stop anything: each header is decoded by itself,
each limit is a constant with a reason, and what cannot be read is said so and kept.
"""
