"""Settings of the property tests: short, and without a time limit that a busy machine fails."""

from hypothesis import settings

settings.register_profile("scorer", deadline=None, max_examples=60)
settings.load_profile("scorer")
