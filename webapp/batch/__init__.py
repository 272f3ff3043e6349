"""Archives of photos: many are read on all cores or on a cluster, a row a photo.

Knows files, processes and Dask; photos of the app are read on Dask from here, too. How a photo is
read is the business of ``calibration``.
"""
