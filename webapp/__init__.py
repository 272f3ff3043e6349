"""The outermost layer: the ``tallystone`` command and the Flask application."""
