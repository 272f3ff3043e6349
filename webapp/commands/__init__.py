"""The subcommands of ``tallystone``, one module a theme.

These modules import only click at their top, so that ``tallystone --help`` and a refused option
answer at once. The commands import OpenCV, onnxruntime and Flask themselves.
"""
