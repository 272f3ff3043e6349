"""The JSON API as an OpenAPI 3.1 description, at ``/api/openapi.json``.

Written by hand beside the routes; a test compares both, so that no route is missing and none is
invented.
"""

from __future__ import annotations

from importlib import metadata
from typing import Any

from flask import Blueprint, Response, jsonify

blueprint = Blueprint("openapi", __name__)

Json = dict[str, Any]

CODE = {
    "name": "code",
    "in": "path",
    "required": True,
    "description": "The code of the game.",
    "schema": {"type": "string", "pattern": "^[2-9A-HJKMNP-Z]{6}$"},
}


def _number(name: str, what: str) -> Json:
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": what,
        "schema": {"type": "integer", "minimum": 0},
    }


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

SCHEMAS: Json = {
    "Error": _object({"error": _object({"code": TEXT, "message": TEXT})}, game=_ref("Game")),
    "Card": _object({"id": WHOLE, "points": WHOLE, "pattern": TEXT}, places=_array(CELLS)),
    "SeenCard": _object(
        {
            "id": WHOLE,
            "points": WHOLE,
            "pattern": TEXT,
            "confidence": {"type": "number"},
            "sure": SWITCH,
        },
        quad=QUAD,
        alternatives=_array({"type": "array"}),
    ),
    "Problem": _object({"code": TEXT, "message": TEXT, "cells": CELLS}),
    "Matches": _object(
        {"text": TEXT, "matches": _array(_ref("Card")), "problems": _array(_ref("Problem"))}
    ),
    "Cell": _object(
        {
            "row": WHOLE,
            "col": WHOLE,
            "label": TEXT,
            "confidence": {"type": "number"},
            "sure": SWITCH,
        },
        quad=QUAD,
        alternatives=_array({"type": "array"}),
    ),
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
            "finished": SWITCH,
            "result": {"type": ["array", "null"], "items": ANY},
            "turn": _or_null("integer"),
            "over": SWITCH,
            "ending": _array(TEXT),
            "news": _array(_object({"version": WHOLE, "says": TEXT, "by": WHOLE, "at": TEXT})),
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
    name: str,
    summary: str,
    answer: Json,
    *,
    status: int = 200,
    body: Json | None = None,
    parameters: tuple[Json, ...] = (),
    token: bool = False,
    member: bool = True,
) -> Json:
    operation: Json = {
        "operationId": name,
        "summary": summary,
        "responses": {str(status): answer, "default": {"$ref": "#/components/responses/Refused"}},
    }
    if body is not None:
        operation["requestBody"] = body
    if parameters:
        operation["parameters"] = list(parameters)
    needed: Json = ({"device": []} if member else {}) | ({"token": []} if token else {})
    operation["security"] = [needed] if needed else []
    return operation


PHOTO: Json = {"type": "string", "contentMediaType": "application/octet-stream"}
GAME = _answer(_ref("Game"), "The game after it.")
BASE = {"type": "integer", "description": "The version that the sender saw."}

PATHS: dict[str, Json] = {
    "/api/read": {
        "post": _operation(
            "read",
            "Read a photo; nothing is kept. The board auto is whichever known game lies there.",
            _answer(
                {"anyOf": [{"allOf": [_ref("Reading"), _ref("Matches")]}, _ref("Scored")]},
                "What was read, and the cards that match or what the board scores.",
            ),
            body=_form({"photo": PHOTO}, board=TEXT, profile=TEXT, corners=TEXT),
            member=False,
        )
    },
    "/api/score": {
        "post": _operation(
            "score",
            "What a board scores by itself, line by line.",
            _answer(_object({"text": TEXT, "score": _array(_ref("ScoreLine"))})),
            body=_body(_object({"game": TEXT, "text": TEXT})),
            member=False,
        )
    },
    "/api/matches": {
        "post": _operation(
            "matches",
            "Which cards match a grid of stones.",
            _answer(_ref("Matches")),
            body=_body(_object({"text": TEXT})),
            member=False,
        )
    },
    "/api/cards": {
        "get": _operation(
            "cards",
            "The 72 pattern cards.",
            _answer(_object({"cards": _array(_ref("Card"))})),
            member=False,
        )
    },
    "/api/openapi.json": {
        "get": _operation("openapi", "This description.", _answer(ANY), member=False)
    },
    "/api/games": {
        "get": _operation(
            "myGames", "The games of this device.", _answer(_object({"games": _array(ANY)}))
        ),
        "post": _operation(
            "start",
            "Start a game and be its host.",
            _answer(_object({"code": TEXT})),
            status=201,
            body=_body(_object({"kind": TEXT, "setup": ANY}, seat=_or_null("integer"), after=TEXT)),
            token=True,
        ),
    },
    "/api/games/{code}": {
        "get": _operation(
            "game",
            "The game as this device may see it.",
            _answer({"anyOf": [_ref("Game"), _ref("Unchanged")]}),
            parameters=(CODE, {"name": "since", "in": "query", "schema": WHOLE}),
        ),
        "delete": _operation(
            "delete",
            "Delete the game for real; the host only.",
            _answer(_object({"deleted": TEXT})),
            parameters=(CODE,),
            token=True,
        ),
    },
    "/api/games/{code}/actions": {
        "post": _operation(
            "act",
            "Change the game.",
            GAME,
            body=_body(_object({"action": _object({"type": TEXT})}, base_version=BASE, key=TEXT)),
            parameters=(CODE,),
            token=True,
        )
    },
    "/api/games/{code}/undo": {
        "post": _operation(
            "undo",
            "Go back one change.",
            GAME,
            body=_body(_object({}, base_version=BASE)),
            parameters=(CODE,),
            token=True,
        )
    },
    "/api/games/{code}/redo": {
        "post": _operation(
            "redo",
            "Do it again.",
            GAME,
            body=_body(_object({}, base_version=BASE)),
            parameters=(CODE,),
            token=True,
        )
    },
    "/api/games/{code}/ask": {
        "post": _operation(
            "ask",
            "Ask the game something without changing it.",
            _answer(_object({"version": WHOLE, "answer": {}})),
            body=_body(_object({"question": _object({"type": TEXT})})),
            parameters=(CODE,),
            token=True,
        )
    },
    "/api/games/{code}/log": {
        "get": _operation(
            "log",
            "Every change since the start.",
            _answer(_object({"events": _array(ANY)})),
            parameters=(CODE,),
        )
    },
    "/api/games/{code}/events": {
        "get": _operation(
            "events",
            "Server-sent events: the game at every change.",
            {"description": "A stream.", "content": {"text/event-stream": {"schema": TEXT}}},
            parameters=(CODE, {"name": "since", "in": "query", "schema": WHOLE}),
        )
    },
    "/api/games/{code}/audit": {
        "get": _operation(
            "audit",
            "What the pad says, checked.",
            _answer(_object({"lines": _array(_ref("AuditLine"))})),
            parameters=(CODE,),
        )
    },
    "/api/games/{code}/boards/{board}": {
        "get": _operation(
            "board",
            "Shape and labels of a board, and who can read it.",
            _answer(ANY),
            parameters=(CODE, {"name": "board", "in": "path", "required": True, "schema": TEXT}),
        )
    },
    "/api/games/{code}/boards/{board}/copy": {
        "post": _operation(
            "chooseCopy",
            "Say which taught copy lies on the table; null is found from the next photo.",
            _answer(ANY),
            body=_body(_object({"profile": _or_null("string")})),
            parameters=(CODE, {"name": "board", "in": "path", "required": True, "schema": TEXT}),
        )
    },
    "/api/games/{code}/photos": {
        "post": _operation(
            "addPhoto",
            "Read a photo and keep it as evidence.",
            _answer(_ref("KeptPhoto")),
            status=201,
            body=_form(
                {"photo": PHOTO, "board": TEXT},
                seat=TEXT,
                profile=TEXT,
                corners=TEXT,
                rows=TEXT,
                cols=TEXT,
            ),
            parameters=(CODE,),
            token=True,
        )
    },
    "/api/games/{code}/look": {
        "post": _operation(
            "look",
            "Read a picture and keep nothing of it: what the live camera sees.",
            _answer(_object({"reading": _ref("Reading")})),
            body=_form({"photo": PHOTO, "board": TEXT}, seat=TEXT, profile=TEXT),
            parameters=(CODE,),
            token=True,
        )
    },
    "/api/games/{code}/cards": {
        "post": _operation(
            "readCards",
            "Read a photo of pattern cards and keep nothing of it.",
            _answer(
                _object({"cards": _array(_ref("SeenCard")), "sure": SWITCH}, problems=_array(TEXT))
            ),
            body=_form({"photo": PHOTO}, profile=TEXT),
            parameters=(CODE,),
            token=True,
        )
    },
    "/api/games/{code}/photos/{photo}": {
        "get": _operation(
            "photo",
            "A kept photo's reading.",
            _answer(_ref("KeptPhoto")),
            parameters=(CODE, _number("photo", "The number of the photo.")),
        )
    },
    "/api/games/{code}/members/{member}": {
        "post": _operation(
            "setMember",
            "Let somebody play or only watch; the host only.",
            GAME,
            body=_body(_object({"role": {"enum": ["player", "viewer"]}}, seat=_or_null("integer"))),
            parameters=(CODE, _number("member", "The number of the member.")),
            token=True,
        ),
        "delete": _operation(
            "removeMember",
            "Take a device out of the game; the host only.",
            GAME,
            parameters=(CODE, _number("member", "The number of the member.")),
            token=True,
        ),
    },
    "/api/games/{code}/members/{member}/host": {
        "post": _operation(
            "handOver",
            "Make somebody the host in one's own place; the host only.",
            GAME,
            parameters=(CODE, _number("member", "The number of the member.")),
            token=True,
        )
    },
    "/api/games/{code}/leave": {
        "post": _operation(
            "leave",
            "Leave the game.",
            _answer(_object({"left": TEXT})),
            parameters=(CODE,),
            token=True,
        )
    },
    "/api/games/{code}/timer": {
        "post": _operation(
            "timer",
            "Start the timer of the table; 0 seconds stop it.",
            GAME,
            body=_body(_object({"seconds": WHOLE})),
            parameters=(CODE,),
            token=True,
        )
    },
    "/api/games/{code}/door": {
        "post": _operation(
            "door",
            "Let new people in or not; the host only.",
            GAME,
            body=_body(_object({"open": SWITCH})),
            parameters=(CODE,),
            token=True,
        )
    },
}


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
        "paths": PATHS,
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
