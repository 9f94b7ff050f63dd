"""The command line: what a person types, and what they are shown."""
