"""Configuration: files, secrets, faults, and changes while running."""
