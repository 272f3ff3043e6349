"""Pages around a table: who plays there, the big screen, and a picture of the result.

Rules, permissions and the database stay in ``scorer`` and ``webapp.tables``.
"""
