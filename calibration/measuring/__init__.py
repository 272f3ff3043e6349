"""Measurements on generated boards, and the fits that rest on them. Not installed: nothing at run time imports it."""
