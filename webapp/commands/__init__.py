"""The subcommands of ``tallystone``, one module a theme.

Only click is imported at the top of these modules: ``tallystone --help`` and a refused option answer at
once, and OpenCV, onnxruntime and Flask are paid for by the commands that use them.
"""
