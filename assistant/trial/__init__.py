"""Trials: the whole way on mail that nobody can lose: a sample, or a copy of your own files."""
