"""From the bytes of a photo to a reading of the board: decode, find, name, settle, trust.

Opens no files and reads no configuration: callers pass bytes, a board description and a profile.
"""

import os

# OpenCV reads this once, while it is imported. ``vision.photo`` checks sizes first; this is the
# second lock.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", "60000000")

# OpenBLAS, which NumPy and OpenCV bring, reads this once, while it is loaded. Its threads would
# keep a processor busy that the networks need: they wait for more work without a pause.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
