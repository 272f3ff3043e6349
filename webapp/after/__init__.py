"""What comes after the game: audit, report, history, statistics, export and import, the link to BG
Stats.

Only ``pages`` knows Flask and only ``archive`` asks the store; the other modules are functions over
plain values.
"""
