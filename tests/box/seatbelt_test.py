"""The rules of the box for macOS, read as Seatbelt reads them: the last one that fits decides.

There is no Mac here, so a page of code stands for the kernel. What it knows of the rules is in
https://reverse.put.as/wp-content/uploads/2011/09/Apple-Sandbox-Guide-v1.0.pdf
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from box.conftest import git
from box.world import PLACES, SECRETS
from laconic.box import seatbelt
from laconic.box.plan import make_plan
from laconic.errors import LaconicError
from laconic.settings.load import read_settings

CASES = Path(__file__).parents[1] / "cases/box"
_TOKEN = re.compile(
    r'\s+|;[^\n]*|#"(?P<regex>[^"]*)"|"(?P<text>(?:\\.|[^"\\])*)"|(?P<word>[^\s()";]+)|[()]'
)


def read(text):
    """The rules as nested lists; a regular expression is a compiled one."""
    stack, pos = [[]], 0
    while pos < len(text):
        found = _TOKEN.match(text, pos)
        assert found, text[pos : pos + 40]
        pos = found.end()
        if found[0] == "(":
            stack.append([])
        elif found[0] == ")":
            done = stack.pop()
            stack[-1].append(done)
        elif found["regex"] is not None:
            stack[-1].append(re.compile(found["regex"]))
        elif found["text"] is not None:
            stack[-1].append(re.sub(r"\\(.)", r"\1", found["text"]))
        elif found["word"]:
            stack[-1].append(found["word"])
    assert len(stack) == 1
    return stack[0]


def answer(rules, operation, thing=""):
    said = ""
    for rule in rules:
        if rule[0] not in ("allow", "deny"):
            assert rule == ["version", "1"]
            continue
        operations = [one for one in rule[1:] if isinstance(one, str)]
        filters = [one for one in rule[1:] if not isinstance(one, str)]
        is_about = any(covers(one, operation) for one in operations)
        if is_about and (not filters or any(fits(one, thing) for one in filters)):
            said = rule[0]
    return said


def covers(name, operation):
    return name in ("default", operation) or (name[-1] == "*" and operation.startswith(name[:-1]))


def fits(condition, thing):
    kind, *rest = condition
    match kind, rest:
        case ("literal" | "sysctl-name" | "global-name" | "iokit-registry-entry-class", [name]):
            return thing == name
        case "subpath", [path]:
            return thing == path or thing.startswith(f"{path}/")
        case "sysctl-name-prefix", [prefix]:
            return thing.startswith(prefix)
        case "regex", [expression]:
            return bool(expression.match(thing))
        case "target", ["same-sandbox"]:
            return thing == "same-sandbox"
        case (("local" | "remote"), ["ip", address]):
            wanted = re.escape(f"ip:{address}").replace(r"\*", ".*")
            return bool(re.fullmatch(wanted, thing))
        case (("local" | "remote"), ["unix-socket", inner]):
            return thing.startswith("unix:") and fits(inner, thing.removeprefix("unix:"))
    raise AssertionError(condition)


@pytest.fixture
def places(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.platform", "darwin")
    home, project = tmp_path / "home", tmp_path / "projects/p"
    for path in (*SECRETS, "notes.txt", ".zshrc", ".bashrc", ".gitconfig"):
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text("secret\n")
    for path, text in PLACES.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(text)
    subprocess.run(["git", "init", "-q", project], check=True)
    git(tmp_path, "init", "-q", "other")
    git(
        tmp_path / "other",
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@example.org",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "other",
    )
    git(
        project,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        tmp_path / "other",
        "sub",
    )
    (project / ".git/hooks/pre-commit").write_text("true\n")
    (home / ".config/laconic/config.toml").write_text("[box]\nports = [5432]\n")
    environ = {"HOME": str(home), "PATH": os.environ["PATH"], "MY_TOKEN": "x"}
    environ["LACONIC_STATE_DIR"] = str(tmp_path / "state")
    (tmp_path / "state").mkdir()
    plan = make_plan(str(project), read_settings(environ, project), environ)
    return {
        "PROJECT": str(project), "PROJECTS": str(project.parent), "OUT": str(tmp_path / "out"),
        "UHOME": str(home), "HOME": plan.home_path, "TEMPORARY": plan.temporary,
        "STATE": str(tmp_path / "state"), "BOX": plan.directory, "plan": plan,
    }  # fmt: skip


def filled(text, places):
    return re.sub(r"\$([A-Z]+)", lambda found: places[found[1]], text)


def test_rows(places):
    rules = read(seatbelt.rules(places["plan"]))
    wrong = []
    for line in (CASES / "seatbelt.tsv").read_text().splitlines():
        if line and line[0] != "#":
            wanted, operation, thing = (*line.split("\t"), "")[:3]
            if answer(rules, operation, filled(thing, places)) != wanted:
                wrong.append(line)
    assert not wrong


def test_what_escapes_try_to_write_is_refused(places):
    rules = read(seatbelt.rules(places["plan"]))
    signs = {
        filled(line.split()[2], places)
        for file in CASES.glob("*.escapes")
        for line in file.read_text().splitlines()
        if re.match(r"--- (?:exists|exists-late|changed|gone) \$(?:OUT|PROJECT|UHOME)/", line)
    }
    assert len(signs) > 10
    ways = ("file-write-create", "file-write-data", "file-write-unlink")
    open_ones = {path for path in signs for way in ways if answer(rules, way, path) != "deny"}
    assert not open_ones


def test_no_secret_of_the_home_is_read(places):
    rules = read(seatbelt.rules(places["plan"]))
    for name in SECRETS:
        assert answer(rules, "file-read-data", f"{places['UHOME']}/{name}") == "deny", name


def test_a_network_is_one_only_if_the_settings_say_so(places):
    plan = places["plan"]
    plan.has_network = True
    rules = read(seatbelt.rules(plan))
    assert answer(rules, "network-outbound", "ip:192.0.2.1:443") == "allow"


def test_words_that_start_a_command(places):
    words = seatbelt.start(places["plan"])
    assert words[:2] == ["/usr/bin/sandbox-exec", "-f"]
    assert Path(words[2]).read_text() == seatbelt.rules(places["plan"])
    assert words[words.index("MY_TOKEN") - 1] == "-u"
    assert f"HOME={places['HOME']}" in words
    # env and the shell, which every Unix has, hand on what follows as it is
    script = 'printf "%s|" "$HOME" "${MY_TOKEN-none}" "$0" "$@"'
    done = subprocess.run(
        [*words[3:], "/bin/sh", "-c", script, "a=b", "", "*"],
        capture_output=True, text=True, check=True, env={"MY_TOKEN": "x", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert done.stdout == f"{places['HOME']}|none|a=b||*|"


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_any_path_is_read_back(name):
    path = f"/Users/me/{name}"
    assert read(seatbelt._quoted(path)) == [path]
    if '"' not in name:
        (rule,) = read(seatbelt._spelled(path))
        assert fits(rule, path)
        assert fits(rule, f"{path}/below")
        assert not fits(rule, f"{path}x")


@pytest.mark.parametrize("name", ["a\nb", "a\x00b"])
def test_what_would_end_a_rule_has_no_box(name):
    with pytest.raises(LaconicError):
        seatbelt._quoted(name)
    with pytest.raises(LaconicError):
        seatbelt._literally(name)
