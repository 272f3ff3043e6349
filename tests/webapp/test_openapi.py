"""The description of the API says what the routes are, and the answers are what it says."""

import io
import re
from typing import Any

import pytest
from fakes import TokenClient
from flask import Flask

from webapp.openapi import description

DOCUMENT = description()


def resolved(schema: Any) -> Any:
    while isinstance(schema, dict) and "$ref" in schema:
        *_, kind, name = schema["$ref"].split("/")
        schema = DOCUMENT["components"][kind][name]
    return schema


def fits(value: Any, schema: Any) -> bool:
    """Whether a value is of the shape; the few words of JSON Schema that the description uses."""
    schema = resolved(schema)
    if "anyOf" in schema:
        return any(fits(value, one) for one in schema["anyOf"])
    if "allOf" in schema:
        return all(fits(value, one) for one in schema["allOf"])
    if "enum" in schema:
        return value in schema["enum"]
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    python = {
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "object": dict,
        "array": list,
        "null": type(None),
    }
    if kinds and not any(isinstance(value, python[kind]) for kind in kinds):
        return False
    if isinstance(value, dict):
        inside = schema.get("properties", {})
        return set(schema.get("required", ())) <= set(value) and all(
            fits(one, inside[key]) for key, one in value.items() if key in inside
        )
    if isinstance(value, list):
        return all(fits(one, schema.get("items", {})) for one in value)
    return True


def test_every_route_of_the_api_is_described_and_no_other(app: Flask) -> None:
    routes = {
        (re.sub(r"<(?:int:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/api/")
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    described = {
        (path, method) for path, methods in DOCUMENT["paths"].items() for method in methods
    }
    assert described == routes


def test_every_name_in_a_path_is_a_parameter_and_every_reference_leads_somewhere() -> None:
    names = set()
    for path, methods in DOCUMENT["paths"].items():
        for operation in methods.values():
            names.add(operation["operationId"])
            inside = {one["name"] for one in operation.get("parameters", ()) if one["in"] == "path"}
            assert inside == set(re.findall(r"{(\w+)}", path))
    assert len(names) == sum(map(len, DOCUMENT["paths"].values()))
    for kind, name in re.findall(r"#/components/(\w+)/(\w+)", repr(DOCUMENT)):
        assert name in DOCUMENT["components"][kind]


def test_the_answers_are_as_described(app: Flask, client: TokenClient, photo: bytes) -> None:
    setup = {"players": [{"name": "Ann", "colour": "red"}], "options": {}}

    def check(path: str, method: str, answer: Any) -> Any:
        responses = DOCUMENT["paths"][path][method]["responses"]
        response = resolved(responses.get(str(answer.status_code), responses["default"]))
        assert fits(answer.get_json(), response["content"]["application/json"]["schema"]), (
            path,
            answer.json,
        )
        return answer.get_json()

    started = client.send_json("/api/games", {"kind": "stones", "setup": setup, "seat": 0})
    code = check("/api/games", "post", started)["code"]
    game = f"/api/games/{code}"
    check("/api/games", "get", client.get("/api/games"))
    check("/api/games/{code}", "get", client.get(game))
    check("/api/games/{code}", "get", client.get(f"{game}?since=0"))
    check("/api/cards", "get", client.get("/api/cards"))
    sent = client.post("/api/read", data={"photo": (io.BytesIO(photo), "x.jpg")})
    check("/api/read", "post", sent)
    kept = client.post(
        f"{game}/photos",
        data={"photo": (io.BytesIO(photo), "x.jpg"), "board": "stones"},
        headers={"X-CSRF-Token": client.token()},
    )
    number = check("/api/games/{code}/photos", "post", kept)["photo"]
    check("/api/games/{code}/photos/{photo}", "get", client.get(f"{game}/photos/{number}"))
    acted = client.send_json(
        f"{game}/actions", {"action": {"type": "claim", "seat": 0, "lines": {"total": 3}}}
    )
    check("/api/games/{code}/actions", "post", acted)
    check("/api/games/{code}/audit", "get", client.get(f"{game}/audit"))
    check("/api/games/{code}/log", "get", client.get(f"{game}/log"))
    other = app.test_client()
    joined = other.post(
        f"/g/{code}/join", data={"name": "Bob"}, headers={"X-CSRF-Token": other.token()}
    )
    assert joined.status_code == 303
    theirs = check("/api/games/{code}", "get", other.get(game))["news"]
    assert None in [one["by"] for one in theirs]
    check("/api/games/{code}/undo", "post", client.send_json(f"{game}/undo", {}))
    check("/api/games/{code}/redo", "post", client.send_json(f"{game}/redo", {}))
    check("/api/games/{code}/door", "post", client.send_json(f"{game}/door", {"open": False}))
    check(
        "/api/games/{code}/actions",
        "post",
        client.send_json(f"{game}/actions", {"action": {"type": "x"}}),
    )
    check("/api/games/{code}", "delete", client.send_json(game, {}, "DELETE"))
    check("/api/games/{code}", "get", client.get(game))


@pytest.mark.parametrize("path", sorted(DOCUMENT["paths"]))
def test_a_path_without_security_is_open_and_every_other_is_not(
    client: TokenClient, path: str
) -> None:
    for method, operation in DOCUMENT["paths"][path].items():
        asked = re.sub(r"{\w+}", "1", path.replace("{code}", "AAAAAA"))
        answer = client.open(asked, method=method.upper())
        needed = operation["security"][0] if operation["security"] else {}
        if "token" in needed or ("device" in needed and "{code}" in path):
            assert answer.status_code == 403
        else:
            assert answer.status_code in (200, 400)
