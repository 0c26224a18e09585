"""The arguments that are secrets: what the tables say, and that it changes no verdict."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest

from laconic.knowledge.catalog import DATA, library, tables
from laconic.knowledge.options import Spec
from laconic.secrets.redact import redact

OWN = tomllib.loads((DATA / "secrets/programs.toml").read_text())
TABLES = {name: table for name, table in OWN.items() if name != "input"}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_secrets_has_nothing_else(name: str) -> None:
    table = TABLES[name]
    assert table.keys() <= {"options", "operands", "also", "style"}
    assert table.get("options") or table.get("operands")
    assert {role for _, role in Spec(table.get("options", "")).known.values()} <= {"SECRET"}
    *before, last = table.get("operands", "SECRET...").split()
    assert (set(before) | {last}) <= {"V", "SECRET..."}


def test_it_makes_no_program_known_to_the_gate() -> None:
    assert not any(map(library().knows, ("winexe", "kadmin", "snmpget", "sqlplus", "*")))
    assert "secrets/programs" not in {stem for stem, _, _ in tables()}


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("docker run -p 8080:80 x", "docker run -p 8080:80 x"),
        ("docker login -p 8080:80 x", "docker login -p [hidden] x"),
        ("gh issue create -b 'It does not start'", "gh issue create -b 'It does not start'"),
        ("gh variable set X -b hunter2", "gh variable set X -b [hidden]"),
        ("glab mr list -t x", "glab mr list -t x"),
        ("skopeo copy --src-creds=me:x a b", "skopeo copy --src-creds=[hidden] a b"),
        ("keytool -list -storepass hunter2 -v", "keytool -list -storepass [hidden] -v"),
        ("7z a -phunter2 -p x", "7z a -p[hidden] -p x"),
    ],
)
def test_an_option_counts_for_its_subcommand_where_one_is_named(command: str, shown: str) -> None:
    assert redact(command) == shown


@pytest.mark.parametrize("command", ["redis-cli -a {} ping", "unzip -P {} a.zip", "curl -u {} x"])
def test_a_secret_of_an_ordinary_table_is_hidden(command: str) -> None:
    """They are not in the file of secrets: their own tables accept these options."""
    assert "Hunter2" not in redact(command.format("Hunter2"))
    program, option = command.split()[:2]
    assert option not in Spec(TABLES.get(program, {}).get("options", "")).known


def test_the_gate_is_not_loaded_to_hide_a_secret() -> None:
    program = (
        "import sys; from laconic.secrets.redact import redact; print(redact('mysql -px a'));"
        "print(*(name for name in sys.modules if name.startswith('laconic.policy')))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, check=True)
    assert done.stdout.decode().split("\n") == ["mysql -p[hidden] a", "", ""]
