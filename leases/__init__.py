"""The right to work on a thread: terms, and the keeper that holds, renews and gives them up."""
