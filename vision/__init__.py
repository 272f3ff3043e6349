"""From the bytes of a photo to a reading of the board: decode, locate, rectify, read.

Opens no files and reads no configuration: callers pass bytes, a board description and a profile.
"""
