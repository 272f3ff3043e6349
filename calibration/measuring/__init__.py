"""Measures reading on generated boards, and makes the fits. Not installed."""
