"""The schema's history, run by ``webapp.store.engine.open_store``; never edit a released step."""
