"""Renders photos of boards, cards and clutter on tables, with the exact place of every piece.

A scene is laid out in millimetres and seen by a pinhole camera. Things are prisms with printed
tops, painted from far to near, lit by a lamp or a window with shadows and gloss, and spoilt the way
phones spoil photos. All chance comes from one generator: the same state gives the same photo.

World coordinates are x to the right, y towards the viewer, height upwards; the table is at height
0.
"""

from models.training.scenes.layouts import LAYOUTS, SCENE_SHARES, SceneKind
from models.training.scenes.pieces import (
    EMPTY_CELL,
    NUMBER_CELL,
    TILE,
    FaceKind,
    FaceSource,
    Layout,
)
from models.training.scenes.render import Scene, render_scene
from models.training.scenes.season_board import board_layout

__all__ = [
    "EMPTY_CELL",
    "LAYOUTS",
    "NUMBER_CELL",
    "SCENE_SHARES",
    "TILE",
    "FaceKind",
    "FaceSource",
    "Layout",
    "Scene",
    "SceneKind",
    "board_layout",
    "render_scene",
]
