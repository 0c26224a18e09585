"""Pay for an import where it is used: what may be loaded at start, by name."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

HEAVY = {
    "argparse", "asyncio", "dataclasses", "difflib", "hashlib", "importlib.metadata",
    "importlib.resources", "inspect", "json", "logging", "pathlib", "rich", "sqlite3",
    "subprocess", "tempfile", "tomllib", "traceback", "typing",
}  # fmt: skip


def loaded_by(statement: str) -> set[str]:
    program = f"import sys\n{statement}\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-c", program], check=True, capture_output=True, text=True
    )
    return set(done.stdout.split())


# What the interpreter itself loads at start (site, an editable install) is not ours.
@pytest.fixture(scope="module")
def bare():
    return loaded_by("pass")


def test_a_hook_loads_little():
    """Beyond what json and re need; a hook starts before every command."""
    call = '{"tool_name": "Bash", "tool_input": {"command": "git status"}, "cwd": "/"}'
    statement = (
        "from laconic.hooks.answer import answer; "
        f"given = answer('claude-code', 'PreToolUse', {call!r}.encode(), {{'HOME': '/'}}, '/'); "
        "assert b'allow' in given.stdout, given.fault"
    )
    loaded_by(statement)  # what is computed once is kept
    heavy = HEAVY | {"ast", "datetime", "ipaddress", "threading", "urllib"}
    heavy |= {"ctypes"}
    assert (loaded_by(statement) - loaded_by("import json")) & heavy == set()


def test_a_hook_goes_through_few_modules():
    """Whoever follows one call through the code has to read them all."""
    walk = ROOT / "scripts" / "hook_walk.py"
    done = subprocess.run([sys.executable, walk], check=True, capture_output=True, text=True)
    files = re.search(r"in (\d+) files", done.stdout)
    assert files
    assert int(files[1]) <= 37, done.stdout


def test_a_worker_of_the_server_has_loaded_what_is_common():
    commands = ["git status", "ls | head -3", "grep -rn x .", "rm -rf /", "npm run build"]
    program = f"""
import json
from laconic.server import handlers
handlers.warm_up()
before = set(sys.modules)
for command in {commands}:
    call = json.dumps({{"tool_name": "Bash", "tool_input": {{"command": command}}, "cwd": "/"}})
    given = handlers.answer_hook("claude", "PreToolUse", call.encode(), {{"HOME": "/"}}, "/")
    assert bool(given.stdout) == (command != "npm run build") and not given.fault
assert set(sys.modules) == before, set(sys.modules) - before
"""
    assert "laconic.reading.commands.find" in loaded_by(program)


SHAPES = "laconic.compact.shapes."
LOG = "".join(f"INFO  step {number} of the build\n" for number in range(100))
UNTRACKED = "Untracked files:\n" + "".join(f"\tsrc/{number}.py\n" for number in range(50))


def shapes_loaded_by(statement: str) -> set[str]:
    return {name for name in loaded_by(statement) if name.startswith(SHAPES)}


def test_a_worker_of_the_server_has_loaded_all_shapes_and_what_shows_an_output():
    program = f"""
from laconic.compact.lines import read_lines
from laconic.compact.load import built_in
from laconic.compact.view import RUN, View
from laconic.server import handlers
handlers.warm_up()
before = set(sys.modules)
assert View(RUN).compacted(0, read_lines({LOG.encode()!r}))
assert View(RUN, built_in("git/status")).compacted(0, read_lines({UNTRACKED.encode()!r}))
assert set(sys.modules) == before, set(sys.modules) - before
"""
    modules = (ROOT / "src" / SHAPES.replace(".", "/")).glob("[!_]*.py")
    assert shapes_loaded_by(program) == {f"{SHAPES}{path.stem}" for path in modules}


def test_a_server_warms_up_while_its_installation_is_taken_away():
    program = """
from laconic.server import handlers
sys.modules["laconic.compact.shapes.plan"] = None  # as if it could not be found
handlers.warm_up()
"""
    assert "laconic.compact.shapes.report" in loaded_by(program)


@pytest.mark.parametrize("command", [["true"], ["printf", UNTRACKED]])
def test_a_run_loads_the_shapes_of_its_filter_only(command):
    """They are loaded while the command runs, before it is known what it prints."""
    program = f"""
from laconic.run.execute import execute
from laconic.run.options import read_task
assert execute(read_task("run", ["--filter", "git/status", *{command}])) == 0
"""
    before = shapes_loaded_by("import laconic.run.supervise")
    needed = shapes_loaded_by("import laconic.compact.shapes.state, laconic.compact.shapes.listing")
    assert f"{SHAPES}state" not in before
    assert shapes_loaded_by(program) == before | needed


@pytest.mark.parametrize(
    ("module", "may_load"),
    [
        ("laconic", set()),
        ("laconic.shell", set()),
        ("laconic.errors", set()),
        ("laconic.cli.main", {"argparse", "typing"}),
        ("laconic.settings.load", set()),
        ("laconic.run.execute", set()),
        ("laconic.run.supervise", {"hashlib", "json", "pathlib"}),
    ],
)
def test_an_import_stays_light(module, may_load, bare):
    assert (loaded_by(f"import {module}") - bare) & HEAVY <= may_load


def test_the_check_sees_a_heavy_import(bare):
    assert "tomllib" in (loaded_by("import tomllib") - bare) & HEAVY


def test_a_command_loads_its_own_module_only():
    statement = "import laconic.cli.main as m; m.build_parser(only='parse')"
    loaded = loaded_by(statement)
    assert "laconic.cli.parse" in loaded
    assert not {name for name in loaded if name.startswith("laconic.settings.load")}
    assert "laconic.cli.config" not in loaded
