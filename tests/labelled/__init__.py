"""Invented threads with the answer a careful reader would give, and how well the rules agree."""
