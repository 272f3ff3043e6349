"""The JSON API as an OpenAPI 3.1 description, at ``/api/openapi.json``.

Written by hand beside the routes; a test compares both, so that no route is missing and none is
invented.
"""

import re
from importlib import metadata
from typing import Any

from flask import Blueprint, Response, jsonify

blueprint = Blueprint("openapi", __name__)

Json = dict[str, Any]


def _number(what: str) -> Json:
    return {"description": what, "schema": {"type": "integer", "minimum": 0}}


PARAMETERS: Json = {
    "code": {
        "description": "The code of the game.",
        "schema": {"type": "string", "pattern": "^[2-9A-HJKMNP-Z]{6}$"},
    },
    "board": {"schema": {"type": "string"}},
    "photo": _number("The number of the photo."),
    "member": _number("The number of the member."),
}
"""What stands in braces in a path."""


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _array(of: Json) -> Json:
    return {"type": "array", "items": of}


def _object(required: dict[str, Json], **optional: Json) -> Json:
    return {"type": "object", "properties": required | optional, "required": list(required)}


def _or_null(kind: str) -> Json:
    return {"type": [kind, "null"]}


TEXT: Json = {"type": "string"}
WHOLE: Json = {"type": "integer"}
SWITCH: Json = {"type": "boolean"}
ANY: Json = {"type": "object"}
CELLS = _array({"type": "array", "items": WHOLE, "minItems": 2, "maxItems": 2})
QUAD = _array({"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2})


def _seen(what: dict[str, Json]) -> Json:
    """A cell or card as it was read."""
    sureness: dict[str, Json] = {"confidence": {"type": "number"}, "sure": SWITCH}
    return _object(what | sureness, quad=QUAD, alternatives=_array({"type": "array"}))


SCHEMAS: Json = {
    "Error": _object({"error": _object({"code": TEXT, "message": TEXT})}, game=_ref("Game")),
    "Card": _object({"id": WHOLE, "points": WHOLE, "pattern": TEXT}, places=_array(CELLS)),
    "SeenCard": _seen({"id": WHOLE, "points": WHOLE, "pattern": TEXT}),
    "Problem": _object({"code": TEXT, "message": TEXT, "cells": CELLS}),
    "Matches": _object(
        {"text": TEXT, "matches": _array(_ref("Card")), "problems": _array(_ref("Problem"))}
    ),
    "Cell": _seen({"row": WHOLE, "col": WHOLE, "label": TEXT}),
    "Doubt": _object(
        {
            "kind": {"enum": ["cell", "direction", "extent", "set"]},
            "probability": {"type": "number"},
            "question": TEXT,
            "cells": CELLS,
            "options": _array({"type": "array"}),
        }
    ),
    "Reading": _object(
        {"board": TEXT, "text": TEXT, "sure": SWITCH, "cells": _array(_ref("Cell"))},
        outline=QUAD,
        problems=_array({}),
        doubts=_array(_ref("Doubt")),
    ),
    "ScoreLine": _object({"item": TEXT, "points": WHOLE, "why": TEXT, "cells": CELLS}),
    "Scored": _object(
        {"board": TEXT, "game": TEXT, "text": TEXT, "sure": SWITCH},
        kinds=_array({"type": "array"}),
        spec=_or_null("object"),
        cells=_array(_ref("Cell")),
        cards=_array(ANY),
        doubts=_array(_ref("Doubt")),
        problems=_array({}),
        score=_array(_ref("ScoreLine")),
        pictures=ANY,
    ),
    "You": _object({"role": {"enum": ["host", "player", "viewer"]}, "seat": _or_null("integer")}),
    "Game": _object(
        {
            "code": TEXT,
            "kind": TEXT,
            "title": TEXT,
            "version": WHOLE,
            "state": ANY,
            "view": ANY,
            "players": _array(ANY),
            "you": _ref("You"),
            "members": _array(ANY),
            "open": SWITCH,
            "can_undo": SWITCH,
            "can_redo": SWITCH,
            "can_add_player": SWITCH,
            "finished": SWITCH,
            "result": {"type": ["array", "null"], "items": ANY},
            "turn": _or_null("integer"),
            "over": SWITCH,
            "ending": _array(TEXT),
            "news": _array(
                _object({"version": WHOLE, "says": TEXT, "by": _or_null("integer"), "at": TEXT})
            ),
            "timer": {"type": ["object", "null"]},
            "next": _or_null("string"),
            "photos": _array(ANY),
        }
    ),
    "Unchanged": _object({"version": WHOLE}),
    "KeptPhoto": _object({"photo": WHOLE, "reading": _ref("Reading"), "spec": ANY}),
    "AuditLine": _object(
        {
            "player": TEXT,
            "item": TEXT,
            "claimed": WHOLE,
            "points": WHOLE,
            "difference": WHOLE,
            "agrees": SWITCH,
            "why": TEXT,
        }
    ),
}


def _answer(schema: Json, what: str = "Done.") -> Json:
    return {"description": what, "content": {"application/json": {"schema": schema}}}


def _body(schema: Json) -> Json:
    return {"required": True, "content": {"application/json": {"schema": schema}}}


def _form(required: dict[str, Json], **optional: Json) -> Json:
    return {
        "required": True,
        "content": {"multipart/form-data": {"schema": _object(required, **optional)}},
    }


def _operation(
    name: str, summary: str, answer: Json, body: Json | None = None, status: int = 200
) -> Json:
    operation: Json = {
        "operationId": name,
        "summary": summary,
        "responses": {str(status): answer, "default": {"$ref": "#/components/responses/Refused"}},
    }
    return operation if body is None else operation | {"requestBody": body}


def _since(operation: Json) -> Json:
    """The operation with the newest version that the asker has."""
    return operation | {"parameters": [{"name": "since", "in": "query", "schema": WHOLE}]}


PHOTO: Json = {"type": "string", "contentMediaType": "application/octet-stream"}
GAME = _answer(_ref("Game"), "The game after it.")
BASE = {"type": "integer", "description": "The version that the sender saw."}

OPERATIONS: dict[str, Json] = {
    "POST /api/read": _operation(
        "read",
        "Read a photo; nothing is kept. The board auto is whichever known game lies there.",
        _answer(
            {"anyOf": [{"allOf": [_ref("Reading"), _ref("Matches")]}, _ref("Scored")]},
            "What was read, and the cards that match or what the board scores.",
        ),
        _form({"photo": PHOTO}, board=TEXT, profile=TEXT, corners=TEXT),
    ),
    "POST /api/score": _operation(
        "score",
        "What a board scores by itself, line by line, and why no table can show it.",
        _answer(
            _object(
                {
                    "text": TEXT,
                    "score": _array(_ref("ScoreLine")),
                    "problems": _array(_ref("Problem")),
                }
            )
        ),
        _body(_object({"game": {"enum": ["seasons", "time", "custom"]}, "text": TEXT})),
    ),
    "POST /api/matches": _operation(
        "matches",
        "Which cards match a grid of stones.",
        _answer(_ref("Matches")),
        _body(_object({"text": TEXT})),
    ),
    "GET /api/cards": _operation(
        "cards", "The 72 pattern cards.", _answer(_object({"cards": _array(_ref("Card"))}))
    ),
    "GET /api/openapi.json": _operation("openapi", "This description.", _answer(ANY)),
    "GET /api/games": _operation(
        "myGames", "The games of this device.", _answer(_object({"games": _array(ANY)}))
    ),
    "POST /api/games": _operation(
        "start",
        "Start a game and be its host.",
        _answer(_object({"code": TEXT})),
        _body(_object({"kind": TEXT, "setup": ANY}, seat=_or_null("integer"), after=TEXT)),
        201,
    ),
    "GET /api/games/{code}": _since(
        _operation(
            "game",
            "The game as this device may see it.",
            _answer({"anyOf": [_ref("Game"), _ref("Unchanged")]}),
        )
    ),
    "DELETE /api/games/{code}": _operation(
        "delete", "Delete the game for real; the host only.", _answer(_object({"deleted": TEXT}))
    ),
    "POST /api/games/{code}/actions": _operation(
        "act",
        "Change the game.",
        GAME,
        _body(_object({"action": _object({"type": TEXT})}, base_version=BASE, key=TEXT)),
    ),
    "POST /api/games/{code}/undo": _operation(
        "undo", "Go back one change.", GAME, _body(_object({}, base_version=BASE, key=TEXT))
    ),
    "POST /api/games/{code}/redo": _operation(
        "redo", "Do it again.", GAME, _body(_object({}, base_version=BASE, key=TEXT))
    ),
    "POST /api/games/{code}/ask": _operation(
        "ask",
        "Ask the game something without changing it.",
        _answer(_object({"version": WHOLE, "answer": {}})),
        _body(_object({"question": _object({"type": TEXT})})),
    ),
    "GET /api/games/{code}/log": _operation(
        "log", "Every change since the start.", _answer(_object({"events": _array(ANY)}))
    ),
    "GET /api/games/{code}/events": _since(
        _operation(
            "events",
            "Server-sent events: the game at every change.",
            {"description": "A stream.", "content": {"text/event-stream": {"schema": TEXT}}},
        )
    ),
    "GET /api/games/{code}/audit": _operation(
        "audit",
        "What the pad says, checked.",
        _answer(_object({"lines": _array(_ref("AuditLine"))})),
    ),
    "GET /api/games/{code}/boards/{board}": _operation(
        "board", "Shape and labels of a board, and who can read it.", _answer(ANY)
    ),
    "POST /api/games/{code}/boards/{board}/copy": _operation(
        "chooseCopy",
        "Say which taught copy lies on the table; null is found from the next photo.",
        _answer(ANY),
        _body(_object({"profile": _or_null("string")})),
    ),
    "POST /api/games/{code}/photos": _operation(
        "addPhoto",
        "Read a photo and keep it as evidence.",
        _answer(_ref("KeptPhoto")),
        _form(
            {"photo": PHOTO},
            board=TEXT,
            seat=TEXT,
            profile=TEXT,
            corners=TEXT,
            rows=TEXT,
            cols=TEXT,
            key=TEXT,
        ),
        201,
    ),
    "POST /api/games/{code}/look": _operation(
        "look",
        "Read a picture and keep nothing of it: what the live camera sees.",
        _answer(_object({"reading": _ref("Reading")})),
        _form({"photo": PHOTO}, board=TEXT, seat=TEXT, profile=TEXT),
    ),
    "POST /api/games/{code}/cards": _operation(
        "readCards",
        "Read a photo of pattern cards and keep nothing of it.",
        _answer(
            _object({"cards": _array(_ref("SeenCard")), "sure": SWITCH}, problems=_array(TEXT))
        ),
        _form({"photo": PHOTO}, profile=TEXT),
    ),
    "GET /api/games/{code}/photos/{photo}": _operation(
        "photo", "A kept photo's reading.", _answer(_ref("KeptPhoto"))
    ),
    "POST /api/games/{code}/members/{member}": _operation(
        "setMember",
        "Let somebody play or only watch; the host only.",
        GAME,
        _body(_object({"role": {"enum": ["player", "viewer"]}}, seat=_or_null("integer"))),
    ),
    "DELETE /api/games/{code}/members/{member}": _operation(
        "removeMember", "Take a device out of the game; the host only.", GAME
    ),
    "DELETE /api/games/{code}/viewers": _operation(
        "removeViewers", "Take all who only watch out of the game; the host only.", GAME
    ),
    "POST /api/games/{code}/members/{member}/host": _operation(
        "handOver", "Make somebody the host in one's own place; the host only.", GAME
    ),
    "POST /api/games/{code}/leave": _operation(
        "leave", "Leave the game.", _answer(_object({"left": TEXT}))
    ),
    "POST /api/games/{code}/timer": _operation(
        "timer",
        "Start the timer of the table; 0 seconds stop it.",
        GAME,
        _body(_object({"seconds": WHOLE})),
    ),
    "POST /api/games/{code}/door": _operation(
        "door", "Let new people in or not; the host only.", GAME, _body(_object({"open": SWITCH}))
    ),
}


def _paths() -> Json:
    """The operations by path, each with the parameters of its path and what it asks of a device.

    A game is told to its devices alone, and changed by those who send the token.
    """
    paths: Json = {}
    for route, operation in OPERATIONS.items():
        method, path = route.split()
        parameters = [
            {"name": name, "in": "path", "required": True} | PARAMETERS[name]
            for name in re.findall(r"{(\w+)}", path)
        ] + operation.get("parameters", [])
        needed: Json = {"device": []} | ({} if method == "GET" else {"token": []})
        paths.setdefault(path, {})[method.lower()] = operation | {
            "security": [needed] if path.startswith("/api/games") else [],
            **({"parameters": parameters} if parameters else {}),
        }
    return paths


def description() -> Json:
    """The whole document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Tallystone",
            "version": metadata.version("tallystone"),
            "description": (
                "The table computer's API in the local network. Games are known by their code and"
                " open to devices that joined; requests that change something carry the token of"
                " the page."
            ),
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "paths": _paths(),
        "components": {
            "schemas": SCHEMAS,
            "responses": {
                "Refused": _answer(_ref("Error"), "Refused, in one sentence for the person.")
            },
            "securitySchemes": {
                "device": {"type": "apiKey", "in": "cookie", "name": "tallystone"},
                "token": {"type": "apiKey", "in": "header", "name": "X-CSRF-Token"},
            },
        },
    }


@blueprint.get("/api/openapi.json")
def openapi() -> Response:
    """The description of the API."""
    return jsonify(description())
