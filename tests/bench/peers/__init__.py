"""Peers that the benches measure beside ours, run by an interpreter that has them installed."""
