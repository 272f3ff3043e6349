"""Settings for the property tests: a busy machine must not fail them, and the whole folder stays quick."""

from hypothesis import settings

settings.register_profile("scorer", deadline=None, max_examples=60)
settings.load_profile("scorer")
