"""Looking back on a finished game: its boards one after the other, and what there is to learn.

What is told of one game lies in its room (``scorer.stones.review``). Nothing here knows a page.
"""
