"""The containers run what the program has: every command, option, address and extra in them."""

import json
import re
import runpy
import tomllib
from pathlib import Path
from typing import Any

import click
import dask.config
import pytest
import yaml
from distributed.cli import dask_scheduler, dask_worker
from flask import Flask
from flask.testing import FlaskClient

from webapp.__main__ import cli
from webapp.serving.processes import ports_of
from webapp.tables.devices import ALPHABET

ROOT = Path(__file__).parents[3]
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, Any] = COMPOSE["services"]
CONTAINERFILE = (ROOT / "Containerfile").read_text(encoding="utf-8")
CADDYFILE = (ROOT / "Caddyfile").read_text(encoding="utf-8")
DASK = {"scheduler": dask_scheduler.main, "worker": dask_worker.main}


def filled_in(text: str) -> str:
    """A text of compose.yaml with its variables."""
    return re.sub(r"\$\{[A-Z_]+:\?[^}]*\}", "value", text)


def parsed(words: list[str]) -> dict[str, Any]:
    """The parameters of a command. Raises click.UsageError if it does not take them."""
    program, name, *rest = map(filled_in, words)
    command: click.Command = {"tallystone": cli.commands, "dask": DASK}[program][name]
    return command.make_context(name, rest).params


@pytest.mark.parametrize("name", [name for name, of in SERVICES.items() if "command" in of])
def test_every_command_of_a_service_is_one_of_the_program(name: str) -> None:
    parsed(SERVICES[name]["command"])


def test_a_command_that_does_not_exist_would_be_noticed() -> None:
    with pytest.raises(click.UsageError):
        parsed(["tallystone", "serve", "--workers", "2"])


def test_the_containerfile_runs_the_program_with_extras_that_exist() -> None:
    command = re.search(r"^CMD (.*)$", CONTAINERFILE, re.MULTILINE)
    assert command
    parsed(json.loads(command[1]))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = re.search(r"/src\[([a-z,]+)\]", CONTAINERFILE)
    assert extras
    assert set(extras[1].split(",")) <= project["optional-dependencies"].keys()
    for library in runpy.run_path(str(ROOT / "dev.py"))["OPENCV_LIBRARIES"]:
        assert library in CONTAINERFILE


def test_the_app_reads_on_the_cluster_of_the_file_where_it_is_told_to() -> None:
    """The variable is one that `serve` knows, and the address that of the scheduler."""
    named = {
        option.envvar: option
        for option in cli.commands["serve"].params
        if option.envvar is not None
    }
    assert "SCHEDULER" in SERVICES["app"]["environment"]["TALLYSTONE_SCHEDULER"]
    assert named["TALLYSTONE_SCHEDULER"].name == "scheduler"
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    addresses = set(re.findall(r"tcp://\S+?:\d+", text))
    assert addresses == {
        f"tcp://scheduler:{parsed(SERVICES['scheduler']['command'])['port'] or 8786}"
    }
    worker = SERVICES["worker"]
    assert parsed(worker["command"])["scheduler"] in addresses
    assert worker["profiles"] == SERVICES["scheduler"]["profiles"]


def test_the_worker_is_told_settings_that_dask_has() -> None:
    settings = dask.config.collect_env(SERVICES["worker"]["environment"])
    assert settings == {"distributed": {"worker": {"profile": {"enabled": False}}}}
    assert "enabled" in dask.config.get("distributed.worker.profile")


def test_services_name_only_what_is_there(app: Flask) -> None:
    serve = parsed(SERVICES["app"]["command"])
    port = serve["port"]
    proxied = re.search(r"reverse_proxy (.*) \{", CADDYFILE)
    assert proxied
    own = ports_of(port, serve["processes"])[1:]
    assert proxied[1].split() == [f"app:{one}" for one in own]
    assert f"EXPOSE {port}" in CONTAINERFILE
    checked = re.search(r"localhost:(\d+)(/\w+)", SERVICES["app"]["healthcheck"]["test"][-1])
    assert checked
    assert int(checked[1]) == port
    assert app.test_client().get(checked[2]).status_code == 200
    for service in SERVICES.values():
        assert set(service.get("depends_on", ())) <= SERVICES.keys()
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            assert source in COMPOSE["volumes"] or (ROOT / source).exists(), volume


def test_the_proxy_sends_all_that_a_table_asks_to_one_process(app: Flask) -> None:
    """By the code in the address; only what is far from the table has it elsewhere."""
    found = re.search(r"@table path_regexp code (\S+)", CADDYFILE)
    assert found
    assert "request_header @table X-Table {re.code.1}" in CADDYFILE
    assert "lb_policy header X-Table" in CADDYFILE
    missed = set()
    for rule in app.url_map.iter_rules():
        if "code" in rule.arguments:
            matched = re.search(found[1], rule.rule.replace("<code>", ALPHABET))
            if matched is None:
                missed.add(rule.rule)
            else:
                assert matched[1] == ALPHABET, rule.rule
    assert missed == {
        "/i18n/<code>.json",
        "/history/<code>/<int:photo>.jpg",
        "/bgstats/<code>/<signature>",
    }
    for strange in ("\0", "\n", "ä"):  # Caddy undoes the escapes, and no header may hold such
        assert re.search(found[1], f"/g/{strange}") is None


def test_what_phones_do_puts_no_process_out_of_use(client: FlaskClient) -> None:
    """The proxy asks each process itself; a request that fails may be the fault of its sender."""
    assert "fail_duration" not in CADDYFILE
    asked = re.search(r"health_uri (\S+)", CADDYFILE)
    host = re.search(r"health_headers \{\s+Host (\S+)", CADDYFILE)
    assert asked
    assert host
    assert client.get(asked[1], headers={"Host": host[1]}).status_code == 200
    assert client.get(asked[1], headers={"Host": "app:8081"}).status_code == 400


def test_only_the_proxy_can_be_reached_from_outside() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]


def test_the_app_waits_for_the_database_that_stays() -> None:
    """The server that makes the database answers on its socket alone."""
    checked = SERVICES["database"]["healthcheck"]["test"]
    assert checked[checked.index("--host") + 1] == "127.0.0.1"
    assert SERVICES["migrate"]["restart"] == "on-failure"


def test_passwords_and_dumps_stay_out_of_the_image() -> None:
    """Podman reads either file, Docker the second alone."""
    left_out = (ROOT / ".containerignore").read_text(encoding="utf-8")
    assert {"**/.env", "**/*.dump", "**/*.tar.gz"} <= set(left_out.split())
    assert (ROOT / ".dockerignore").read_text(encoding="utf-8") == left_out


def test_a_backup_of_the_containers_is_described_by_names_that_they_have() -> None:
    described = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
    reached = re.findall(r"podman compose (?:exec|run)(?: -\S+)* (\w+) (\w+)", described)
    assert {("database", "pg_dump"), ("database", "pg_restore"), ("app", "tar")} <= set(reached)
    assert {service for service, _ in reached} <= SERVICES.keys()
    assert SERVICES["app"]["volumes"] == ["files:/data"]
    user = SERVICES["database"]["environment"]["POSTGRES_USER"]
    assert f"-U {user} -Fc {user} > games.dump" in described
