"""What the application of this request works with."""

from pathlib import Path

from flask import current_app

from webapp.service import TableReader
from webapp.tables import Tables


def tables() -> Tables:
    """The games."""
    found: Tables = current_app.extensions["tallystone_tables"]
    return found


def table_reader() -> TableReader:
    """What reads the photos."""
    found: TableReader = current_app.extensions["tallystone"]
    return found


def data_dir() -> Path:
    """The data folder."""
    return table_reader().data_dir
