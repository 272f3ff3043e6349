"""Trained networks: the manifest, the weights and the one module that runs them.

Knows no game rules and no photos; arrays go in, arrays come out. The code that trains the networks
lies in ``models.training`` and needs the ``training`` extra; running them does not.
"""

import os

# onnxruntime reads this once, while it is imported. It would send what it runs to its makers, from
# a thread that ends processes which are forked after the import with SIGSEGV or SIGABRT.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
