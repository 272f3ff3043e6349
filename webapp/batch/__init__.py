"""Archives of photos: many are read on all cores or on a cluster, a row a photo.

Knows files, processes and Dask. How a photo is read is the business of ``calibration``.
"""
