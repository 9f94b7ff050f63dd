"""The durable record: the only package that speaks SQL."""
