"""After the game: audit, report, history, statistics, export, import, the link to BG Stats.

Only ``pages`` knows Flask and only ``archive`` asks the store; the other modules are functions over
plain values.
"""
