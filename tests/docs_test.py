"""The documentation knows everything that there is, and nothing that there is not."""

from __future__ import annotations

import argparse
import ast
import inspect
import os
import re
import subprocess
import sys
import tomllib
import types
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from laconic.agents.load import Agent, hooked, load
from laconic.cli.completions import levels
from laconic.cli.main import COMMANDS, build_parser, main
from laconic.compact.shapes.passes import NAMES as SHAPES
from laconic.hooks.call import dialect_of
from laconic.install import recipe
from laconic.knowledge.catalog import extended, library
from laconic.policy.rules import Rules
from laconic.reading.call import Call
from laconic.reading.decide import decide
from laconic.reading.places import Facts
from laconic.reading.table_faults import faults_of, missing_example
from laconic.settings.environ import VARIABLES
from laconic.settings.keys import options
from laconic.settings.layers import check_bytes
from laconic.types import Verdict

ROOT = Path(__file__).parent.parent
CLI = (ROOT / "docs/cli.md").read_text()
CONFIGURATION = (ROOT / "docs/configuration.md").read_text()
HANDLERS = ROOT / "src/laconic/reading/commands"
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]


@pytest.mark.parametrize(
    "level", list(levels(build_parser())), ids=lambda level: level.path or "laconic"
)
def test_every_command_and_option_is_documented(level):
    name = f"laconic {level.path}".strip()
    words = [word.text for word in level.words if word.text not in {"-h", "--help"}]
    forms = {word: (f"`{word}`", f"{name} {word}", f"[{word}]") for word in words}
    wanted = {name: (f"`{name}",), **forms}
    missing = [word for word, texts in wanted.items() if not any(text in CLI for text in texts)]
    assert missing == [], "say in docs/cli.md what they do"


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_gate_knows_every_command(command):
    branch = library().root.child("laconic").child(command.name)
    assert branch is not None, f'knowledge/data/laconic.toml has no ["laconic {command.name}"]'


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_has_help(command):
    assert command.help


def test_the_generated_pages_are_up_to_date():
    done = subprocess.run(
        [sys.executable, ROOT / "scripts/docs.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("variable", VARIABLES, ids=lambda variable: variable.name)
def test_every_variable_is_documented(variable):
    assert f"| `{variable.name}` |" in (ROOT / "docs/environment.md").read_text()


def test_no_other_variable_is_mentioned():
    known = {variable.name for variable in VARIABLES}
    for path in [*PAGES, *ROOT.glob("src/**/*.py")]:
        for name in re.findall(r"\bLACONIC_[A-Z_]+[A-Z]\b", path.read_text()):
            assert name in known, f"{path.name} speaks of {name}"


@pytest.mark.parametrize("name", options())
def test_every_key_is_documented(name):
    assert f"| `{name}` |" in CONFIGURATION


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_is_documented(name):
    _, _, section = (ROOT / "docs/filters.md").read_text().partition("\n## Shapes\n")
    rows = re.findall(r"^\| (`.*?`) \|", section.partition("\n## ")[0], re.MULTILINE)
    assert f"`{name}`" in [said for row in rows for said in row.split(", ")]


def examples():
    for path in (ROOT / "README.md", ROOT / "docs/configuration.md"):
        for number, text in enumerate(
            re.findall(r"```toml\n(.*?)```", path.read_text(), re.DOTALL), 1
        ):
            yield pytest.param(text, id=f"{path.name}-{number}")


@pytest.mark.parametrize("text", list(examples()))
def test_every_example_is_a_valid_configuration(text):
    assert check_bytes(text.encode(), "example")[1] == []


def sessions():
    """The blocks of what is typed and printed; what is saved depends on what was run."""
    for block in re.findall(r"```\n(\$ .*?)```", CLI, re.DOTALL):
        if "laconic gain" not in block:
            yield pytest.param(block, id=block.splitlines()[0])


@pytest.mark.parametrize("block", list(sessions()))
def test_what_is_shown_is_what_is_printed(block, tmp_path):
    typed = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
    printed = [line for line in block.splitlines(keepends=True) if not line.startswith("$ ")]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", "\n".join(["exec 2>&1", *typed])],
        env={**os.environ, "PATH": path, "LACONIC_NO_SERVER": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "".join(printed)


@pytest.mark.parametrize("name", [name for name in hooked() if load(name).permissions])
def test_every_agent_whose_rules_count_is_named(name):
    assert f"\n| {load(name).title} | " in (ROOT / "docs/gate.md").read_text()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_link_leads_somewhere(path):
    for target in re.findall(r"\]\(([^)#\s]+)", path.read_text()):
        if "://" not in target:
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


# -- how to add things -----------------------------------------------------------------------------

CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
TOOL, FILTER, RECORDING, AGENT = re.findall(r"```toml\n(.*?)```", CONTRIBUTING, re.DOTALL)
NOT_THERE = ("frob", "hello", "ok.", "zed.toml", ".venv")  # what the reader adds; a name alone


def named_paths():
    for name in sorted(set(re.findall(r"`([\w.-]*(?:/[\w.<>*-]*)+|[\w-]+\.\w+)`", CONTRIBUTING))):
        if not any(word in name for word in NOT_THERE):
            yield name


@pytest.mark.parametrize("name", list(named_paths()))
def test_every_path_in_contributing_is_there(name):
    known = re.split(r"[^/]*[<*]", name)[0]
    assert known
    assert any((base / known).exists() for base in (ROOT, ROOT / "src/laconic")), name


def test_the_tool_of_contributing_is_understood():
    tables = tomllib.loads(TOOL)
    assert list(faults_of(tables)) == []
    tools = extended([(name, name, table) for name, table in tables.items()])
    for table in tables.values():
        assert missing_example(table) == ""
        for key in ("yes", "no"):
            verdicts = [decide(c, tools, Rules(), Facts()).verdict for c in table.get(key, ())]
            assert [found for found in verdicts if (found is Verdict.ALLOW) != (key == "yes")] == []


def test_the_recording_of_contributing_has_the_form_of_the_others():
    plan = tomllib.loads(RECORDING)
    others = [tomllib.loads(path.read_text()) for path in (ROOT / "scripts/recordings").iterdir()]
    assert plan.keys() <= {key for other in others for key in other}
    for run in plan["run"]:
        assert run.keys() <= {key for other in others for made in other["run"] for key in made}


def test_the_filter_of_contributing_does_what_its_examples_say(tmp_path, capsys):
    path = tmp_path / "build.toml"
    path.write_text(FILTER)
    assert main(["filters", "test", str(path)]) == 0
    assert capsys.readouterr().out == "2 examples, 0 of them wrong\n"


def test_the_agent_of_contributing_can_be_hooked_and_installed():
    document = tomllib.loads(AGENT)
    assert dialect_of(Agent("frobber", document)).write
    made = recipe.from_table("frobber", {"title": document["title"], **document["install"]})
    assert (made.how, made.scopes) == ("hook", ("user", "project"))


def test_the_command_of_contributing_runs(capsys):
    source, test = re.findall(r"```python\n(.*?)```", CONTRIBUTING, re.DOTALL)
    module = types.ModuleType("hello")
    exec(compile(source, "hello.py", "exec"), vars(module))
    parser = argparse.ArgumentParser()
    module.add_arguments(parser)

    def laconic(_, *words):
        return module.main(parser.parse_args(words)), *capsys.readouterr()

    tests: dict[str, Any] = {}
    exec(compile(test, "hello_test.py", "exec"), tests)
    tests["test_hello_greets"](laconic)


@pytest.mark.parametrize("kind", [recipe.Recipe, recipe.File, recipe.HookEntry])
def test_every_key_of_an_installation_is_documented(kind):
    text = (ROOT / "docs/install.md").read_text().partition("## Adding an agent")[2]
    given = {"name", "title"}  # by the file's name, and above [install]
    for key in set(kind._fields) - given:
        assert f"`{key}`" in text or f"[[install.{key}]]" in text, key


METHODS = re.findall(r"`call\.(\w+)\((.*?)\)`", (ROOT / "docs/knowledge.md").read_text())


@pytest.mark.parametrize(("name", "parameters"), METHODS, ids=[name for name, _ in METHODS])
def test_what_code_for_a_tool_can_say_is_there(name, parameters):
    """What may be left out of a call may be left out of the page."""
    documented = eval(f"lambda {parameters}: 0")
    shown = inspect.signature(documented).parameters
    _, *own = inspect.signature(getattr(Call, name)).parameters.values()
    own = [each.replace(annotation=each.empty) for each in own]
    assert [*shown.values()] == [each for each in own if each.name in shown]
    assert {each.name for each in own if each.default is each.empty} <= shown.keys()


def test_all_that_handlers_say_most_is_documented():
    code = "".join(path.read_text() for path in HANDLERS.glob("*.py"))
    often = Counter(re.findall(r"\bcall\.(\w+)\(", code)).most_common(10)
    assert {name for name, _ in often} <= {name for name, _ in METHODS}


def paragraphs(path):
    """Return the paragraphs and the items of lists; tables, code and generated text are none."""
    text = re.sub(r"(?ms)^```.*?^```$|^<!-- generated.*?end -->$", "", path.read_text())
    blocks = (block for block in re.split(r"\n\s*\n", text) if not block.lstrip().startswith("|"))
    return [item for block in blocks for item in re.split(r"\n(?=\s*(?:[-*]|\d+\.) )", block)]


@pytest.mark.parametrize(
    "path", [path for path in PAGES if path.name != "CHANGELOG.md"], ids=lambda path: path.name
)
def test_no_paragraph_is_a_wall_of_text(path):
    assert [text for text in paragraphs(path) if len(text.split()) > 80] == []


def test_the_readme_is_short_and_fits_a_window():
    lines = (ROOT / "README.md").read_text().splitlines()
    assert len(lines) <= 150
    assert [line for line in lines if len(line) > 100] == []


def test_the_readme_names_all_agents_that_cannot_ask():
    known = [recipe.read_recipe(name) for name in recipe.names()]
    titles = {each.title for each in known if "ask is a denial" in each.works}
    text = " ".join((ROOT / "README.md").read_text().split())
    line = text.partition("Some give hooks no way to ask**: ")[2].partition(". ")[0]
    assert {title.partition(" for ")[0].removesuffix(" CLI") for title in titles} == {
        name.removesuffix(" CLI") for name in line.split(", ")
    }


@pytest.mark.parametrize("name", recipe.names())
def test_every_agent_is_in_the_table_of_all_agents(name):
    assert f"| `{name}` |" in (ROOT / "docs/agents.md").read_text()


@pytest.mark.parametrize(
    "page",
    ["README.md", "docs/comparison.md"],
)
def test_the_number_of_agents_is_right(page):
    kinds = [recipe.read_recipe(name).how == "rules" for name in recipe.names()]
    numbers = {"hooks": kinds.count(False), "rules": kinds.count(True)}
    has_number = (
        "| {hooks} by hooks, {rules} by rules".format(**numbers) in (ROOT / page).read_text()
    )
    assert has_number, "make docs writes the number; with_numbers() in scripts/docs.py finds it"


NETWORK = {"ftplib", "http.client", "httpx", "requests", "smtplib", "urllib.request", "xmlrpc"}


def imported(node):
    module = getattr(node, "module", None) or ""
    return {module} | {f"{module}.{alias.name}".strip(".") for alias in node.names}


def test_nothing_leaves_the_machine_but_what_the_user_asks_for():
    """SECURITY.md and the README promise it: a classifier, an export, and root's `policy pull`."""
    using = {
        str(path.relative_to(ROOT / "src/laconic"))
        for path in ROOT.glob("src/laconic/**/*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom) and NETWORK & imported(node)
    }
    assert using == {"library/chat.py", "export/post.py", "bundle/fetch.py"}


def test_the_readme_names_the_two_commands_to_start_with():
    text = (ROOT / "README.md").read_text()
    assert "make demo" in text
    assert "make test" in text
