"""The daemon: it reads, judges, drafts and tells, and asks a person where it does not know."""
