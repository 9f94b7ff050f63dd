"""The judgement: pure functions from values to values, with no I/O and no clock."""
