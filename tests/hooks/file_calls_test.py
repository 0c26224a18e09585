"""The agent's other tools: what reads or writes a file gets the answer that a command gets."""

from __future__ import annotations

import json
import re
import shlex
import time
from pathlib import Path

import pytest

from hook_fixture import decision_of, said
from laconic import engine
from laconic.agents.load import hooked, load
from laconic.install import recipe
from laconic.permissions import allowances
from laconic.settings.load import read_settings
from laconic.types import HARD, Effect

CASES = Path(__file__).parents[1] / "cases/tools"
PAIRS = {"Read": "cat -- {}", "Write": ": > {}"}
# A tool that writes outside the project is left to the agent, which asks about it by itself.
SAME = HARD & ~Effect.OUTSIDE_WRITE


def cases():
    for path in sorted(CASES.glob("*.cases")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if line and not line.startswith("#"):
                tool, expected, file = line.split(None, 2)
                yield pytest.param(tool, expected, file, id=f"{path.stem}:{number}")


def test_there_are_enough_pairs():
    assert len(list(cases())) >= 200


def claude(tool, **tool_input):
    base = {"hook_event_name": "PreToolUse", "permission_mode": "default"}
    return {**base, "tool_name": tool, "tool_input": tool_input}


def told(given):
    assert given.fault == ""
    return decision_of(given).get("permissionDecision", "-")


@pytest.mark.parametrize(("tool", "expected", "file"), list(cases()))
def test_a_tool_and_a_command_get_one_answer(tool, expected, file, place):
    path = file.replace("~", str(place.home), 1) if file.startswith("~/") else file
    given = place.answer("claude-code", claude(tool, file_path=path))
    assert told(given) == expected
    request = engine.Request(PAIRS[tool].format(shlex.quote(path)), place.project, place.environ)
    settings = read_settings(place.environ, place.project)
    decision = engine.decide_request(request, settings)
    grounds = [leaf for leaf in decision.leaves() if leaf.effects & SAME]
    assert [leaf.verdict for leaf in grounds[:1]] == [e for e in [expected] if e != "-"]


# -- what agents send


def gemini(tool, tool_input, **more):
    return {"hook_event_name": "BeforeTool", "tool_name": tool, "tool_input": tool_input, **more}


@pytest.mark.parametrize(
    ("tool", "tool_input", "expected"),
    [
        ("Read", {"file_path": ".env", "limit": 10}, "ask"),
        ("Read", {"file_path": "src/main.py"}, "-"),
        ("Grep", {"pattern": "KEY", "path": "app/.env"}, "ask"),
        ("Grep", {"pattern": "KEY", "glob": ".env*"}, "ask"),
        ("Grep", {"pattern": "KEY", "path": "app", "glob": "*.pem"}, "ask"),
        ("Grep", {"pattern": "KEY", "path": "src", "glob": "*.{ts,tsx}"}, "-"),
        ("Grep", {"pattern": "KEY"}, "-"),
        ("Edit", {"file_path": ".env", "old_string": "a", "new_string": "b"}, "ask"),
        ("Edit", {"file_path": ".git/hooks/pre-commit"}, "ask"),
        ("Edit", {"file_path": "src/main.py"}, "-"),
        ("MultiEdit", {"file_path": ".github/workflows/ci.yml", "edits": []}, "ask"),
        ("NotebookEdit", {"notebook_path": "~/.ssh/config"}, "ask"),
        ("NotebookEdit", {"notebook_path": "a.ipynb"}, "-"),
        ("Glob", {"pattern": ".env*"}, "-"),
        ("WebFetch", {"url": "https://example.com/.env"}, "-"),
        ("TodoWrite", {"todos": [{"content": ".env"}]}, "-"),
        ("Read", {"file_path": 5}, "-"),
        ("Read", {}, "-"),
        ("mcp__filesystem__read_file", {"path": ".env"}, "ask"),
        ("mcp__filesystem__read_multiple_files", {"paths": ["a.txt", "b/.env"]}, "ask"),
        ("mcp__filesystem__read_file", {"path": ".github/workflows/ci.yml"}, "-"),
        ("mcp__filesystem__write_file", {"path": ".git/config", "content": ""}, "ask"),
        ("mcp__filesystem__write_file", {"path": "src/x.py", "content": ""}, "-"),
        ("mcp__filesystem__edit_file", {"path": ".bashrc", "edits": []}, "ask"),
        ("mcp__filesystem__move_file", {"source": ".env", "destination": "x"}, "ask"),
        ("mcp__filesystem__move_file", {"source": "a", "destination": ".git/hooks/x"}, "ask"),
        ("mcp__writer__read_file", {"path": ".env"}, "ask"),
        ("mcp__other__put", {"file_path": ".git/hooks/pre-commit"}, "ask"),
        ("mcp__other__move", {"from": ".env", "to": "x"}, "ask"),
        ("mcp__other__move", {"srcFile": "a", "dstFile": ".git/hooks/x"}, "ask"),
        ("mcp__other__edit", {"targets": [{"p": ".git/hooks/x"}]}, "ask"),
        ("mcp__other__open", {"target": "FILE:///home/u/.ssh/id_rsa"}, "ask"),
        ("mcp__other__note", {"file_content": ".env", "from": "ann@example.com"}, "-"),
        ("mcp__other__query", {"sql": "select 1"}, "-"),
    ],
)
def test_the_tools_of_claude_code(tool, tool_input, expected, place):
    assert told(place.answer("claude-code", claude(tool, **tool_input))) == expected


@pytest.mark.parametrize(
    ("stdin", "expected"),
    [
        (gemini("read_file", {"file_path": ".env"}), "ask"),
        (gemini("read_file", {"absolute_path": "/etc/shadow"}), "ask"),
        (gemini("read_file", {"file_path": "README.md"}), None),
        (gemini("read_many_files", {"include": ["src/*.py", ".env"]}), "ask"),
        (gemini("grep_search", {"pattern": "x", "dir_path": "a", "include": ".env"}), "ask"),
        (gemini("grep_search", {"pattern": "x", "include_pattern": ".env"}), "ask"),
        (gemini("write_file", {"file_path": ".gemini/settings.json", "content": ""}), "ask"),
        (gemini("write_file", {"file_path": "src/a.py", "content": ""}), None),
        (gemini("replace", {"file_path": ".git/config"}), "ask"),
        (gemini("mcp_fs_read_file", {"path": ".env"}), "ask"),
        (gemini("mcp_fs_read_file", {"path": "conftest.py"},
                mcp_context={"tool_name": "read_file"}), None),
        (gemini("mcp_fs_save", {"path": "conftest.py"}), "ask"),
        (gemini("google_web_search", {"query": ".env"}), None),
    ],
)  # fmt: skip
def test_the_tools_of_gemini(stdin, expected, place):
    given = said(place.answer("gemini", stdin))
    assert given.get("decision") == expected
    assert "hookSpecificOutput" not in given


def test_the_reason_names_the_way_out_and_the_allowance_counts(place):
    path = f"{place.project}/.env"
    given = decision_of(place.answer("claude-code", claude("Read", file_path=path)))
    reason = given["permissionDecisionReason"]
    assert "may hold keys, passwords or tokens" in reason
    text = f"Read {path}"
    assert f"laconic allow '{text}' --for 30m" in reason
    [row] = place.log()
    assert (row["verdict"], row["effects"], row["command"]) == ("ask", ["secrets"], text)
    state = read_settings(place.environ, place.project).directories.state
    allowances.add(state, text, place.project, time.time() + 60, once=True, now=time.time())
    assert told(place.answer("claude-code", claude("Read", file_path=path))) == "-"
    assert told(place.answer("claude-code", claude("Read", file_path=path))) == "ask"


def test_where_nobody_can_answer_it_is_denied(place):
    stdin = {**claude("Read", file_path=".env"), "permission_mode": "dontAsk"}
    assert told(place.answer("claude-code", stdin)) == "deny"
    place.environ["CI"] = "true"
    given = said(place.answer("gemini", gemini("read_file", {"file_path": ".env"})))
    assert given["decision"] == "deny"


@pytest.mark.parametrize("mode", ["acceptEdits", "plan", "auto", "bypassPermissions"])
def test_a_mode_makes_no_difference(mode, place):
    for tool in ("Read", "Edit"):
        stdin = {**claude(tool, file_path=".env"), "permission_mode": mode}
        assert told(place.answer("claude-code", stdin)) == "ask"
        stdin["tool_input"] = {"file_path": "src/main.py"}
        assert told(place.answer("claude-code", stdin)) == "-"


@pytest.mark.parametrize(
    ("settings", "tool", "file", "expected"),
    [
        ('[settings]\ngate = "off"', "Read", ".env", "-"),
        ('[settings]\nprofile = "guard"', "Read", ".env", "ask"),
        ('[settings]\nprofile = "work"', "Write", ".git/config", "ask"),
        ('[settings]\nprofile = "strict"', "Write", "src/a.py", "-"),
        ('[effects]\nsecrets = "deny"', "Read", ".env", "deny"),
        ('[effects]\nsecrets = "allow"', "Read", ".env", "ask"),
        ('[paths]\nsecret = ["vault/**", "~/private/**"]', "Read", "vault/a.txt", "ask"),
        ('[paths]\nsecret = ["vault/**", "~/private/**"]', "Read", "~/private/a.txt", "ask"),
        ('[paths]\nnever_write = ["migrations/**"]', "Write", "migrations/1.sql", "ask"),
        ('[paths]\nnever_write = ["migrations/**"]', "Edit", "migrations/1.sql", "ask"),
        ('[paths]\nnever_write = ["migrations/**"]', "Read", "migrations/1.sql", "-"),
        ('[paths]\nwrite = ["**"]', "Write", ".git/config", "ask"),
        ('[effects]\nsecrets = "deny"\n[settings]\nescalate_deny = true', "Read", ".env", "ask"),
    ],
)
def test_the_configuration_counts(settings, tool, file, expected, place):
    place.configure(settings)
    assert told(place.answer("claude-code", claude(tool, file_path=file))) == expected


def test_a_link_is_followed(place):
    project = Path(place.project)
    (project / ".env").write_text("")
    (project / "notes.txt").symlink_to(".env")
    (project / "docs").symlink_to(".git")
    assert told(place.answer("claude-code", claude("Read", file_path="notes.txt"))) == "ask"
    assert told(place.answer("claude-code", claude("Write", file_path="docs/hooks/x"))) == "ask"


def test_another_hosts_tools_and_other_events_get_no_answer(place):
    stdin = claude("Read", file_path=".env")
    for more in ({"cursor_version": "1"}, {"hook_event_name": "PostToolUse", "tool_response": {}},
                 {"hook_event_name": "PermissionRequest"}):  # fmt: skip
        assert told(place.answer("claude-code", {**stdin, **more})) == "-"


# -- what is installed


@pytest.mark.parametrize("agent", [name for name in hooked() if load(name).files])
def test_the_hook_is_installed_for_these_tools(agent):
    """Every tool of the data file reaches the hook, and others that it does not know do not."""
    found = load(agent)
    tools = [tool for access in ("reads", "writes", "changes") for tool in found.files[access]]
    if "mcp" in found.files:
        tools.append(f"{found.files['mcp']}server__read_file")
    before = {event.name for event in found.events if event.kind == "before"}
    if agent == "pi":
        text = (Path(recipe.__file__).parent / "templates/pi.ts").read_text()
        assert [tool for tool in tools if f'"{tool}"' not in text] == []
        return
    entries = [e for file in found.document["install"]["files"] for e in file.get("entries", ())]
    values = [e["value"] for e in entries if e["at"][-1] in before]
    if agent == "vscode":
        assert "matcher" not in values[0]  # it calls every hook for every tool
        return
    # Copilot anchors its patterns; the others search.
    form = "^(?:{})$" if agent == "copilot" else "(?:{})"
    matches = re.compile("|".join(form.format(value["matcher"]) for value in values))
    assert any(map(matches.search, found.tools))
    assert [tool for tool in tools if not matches.search(tool)] == []
    assert [tool for tool in ("Glob", "Task", "TodoRead", "ls") if matches.search(tool)] == []


@pytest.mark.parametrize(
    ("agent", "stdin"),
    [
        ("codebuddy", claude("Read", file_path=".env")),
        ("qoder", claude("Edit", file_path=".git/config")),
        ("droid", claude("Create", file_path=".git/hooks/x")),
        ("qwen", claude("read_file", absolute_path=".env")),
        ("qwen", claude("edit", file_path="conftest.py")),
        ("copilot", {"toolName": "view", "toolArgs": {"path": ".env"}}),
        ("copilot", {"toolName": "edit", "toolArgs": '{"path": ".git/config"}'}),
        ("vscode", {"hook_event_name": "PreToolUse", "tool_name": "read_file",
                    "tool_input": {"filePath": ".env"}}),
        ("pi", {"type": "tool_call", "toolName": "read", "input": {"path": ".env"}}),
        ("vscode", {"hook_event_name": "PreToolUse", "tool_name": "editFiles",
                    "tool_input": {"files": ["a.py", ".vscode/tasks.json"]}}),
    ],
)  # fmt: skip
def test_the_tools_of_other_agents(agent, stdin, place):
    given = json.dumps(said(place.answer(agent, stdin)))
    assert '"ask"' in given
    harmless = json.loads(
        re.sub(r"\.env|\.git/[a-z/]+|\.vscode/[a-z.]+|conftest", "x", json.dumps(stdin))
    )
    assert not said(place.answer(agent, harmless))


@pytest.mark.parametrize(
    ("profile", "mode", "expected"),
    [
        ("default", "default", "-"),
        ("default", "bypassPermissions", "ask"),
        ("work", "bypassPermissions", "ask"),
        ("guard", "default", "ask"),
        ("guard", "bypassPermissions", "ask"),
    ],
)
def test_where_nobody_else_asks_a_place_outside_does(profile, mode, expected, place):
    place.configure(f'[settings]\nprofile = "{profile}"')
    for tool_input in ({"file_path": "/usr/local/bin/git"}, {"file_path": "/etc/cron.d/x"}):
        stdin = {**claude("Write", **tool_input, content="x"), "permission_mode": mode}
        assert told(place.answer("claude-code", stdin)) == expected
    stdin = {**claude("Write", file_path="src/a.py", content="x"), "permission_mode": mode}
    assert told(place.answer("claude-code", stdin)) == "-"


@pytest.mark.parametrize("field", ["uri", "url", "path", "output_path"])
def test_an_argument_of_an_mcp_tool_may_be_the_address_of_a_file(field, place):
    for path in ("{}/.git/config", "{}/%2egit/config", "localhost{}/.git/config"):
        address = "file://" + path.format(place.project)
        stdin = claude("mcp__files__write_file", **{field: address})
        assert told(place.answer("claude-code", stdin)) == "ask"
    stdin = claude("mcp__web__get_page", **{field: "https://example.com/.env"})
    assert told(place.answer("claude-code", stdin)) == "-"


MCP = [
    ("run", {"cmd": "cat .env"}, "ask"),
    ("run", {"argv": ["cat", ".env"]}, "ask"),
    ("run", {"command": "cat", "args": [".env"]}, "ask"),
    ("run", {"args": {"Command": "cat .env"}}, "ask"),
    ("run", {"commands": ["ls", "cat .env"]}, "ask"),
    ("run", {"script": "rm -rf ~/"}, "deny"),
    ("run", {"cmd": "ls; touch x"}, "-"),
    ("run", {"code": "print((1"}, "-"),
    ("terminal", {"input": "cat .env"}, "ask"),
    ("summarize", {"input": "cat .env (please"}, "-"),
    ("fetch", {"url": "http://169.254.169.254/latest"}, "ask"),
    ("fetch", {"uri": "https://example.com/x"}, "-"),
    ("fetch", {"urls": ["file:///etc/shadow"]}, "ask"),
    ("edit", {"edits": [{"path": ".envrc"}]}, "ask"),
    ("read", {"requests": [{"file": {"path": ".env"}}]}, "ask"),
]


@pytest.mark.parametrize(("tool", "given", "expected"), MCP)
def test_what_an_mcp_tool_is_told_is_judged_as_the_shell_s_would_be(place, tool, given, expected):
    said_of_it = place.answer("claude-code", claude(f"mcp__x__{tool}", **given))
    assert told(said_of_it) == expected


@pytest.mark.parametrize("path", [".env ", ".env\n", " .env", "sub/.env\t"])
def test_blanks_around_a_path_hide_nothing(place, path):
    assert told(place.answer("claude-code", claude("Read", file_path=path))) == "ask"
