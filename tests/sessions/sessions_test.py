"""Transcripts to values. Those in tests/cases/sessions were written by the agents themselves, for a
scripted model; what is longer than a command and its output was taken out of them."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from laconic.sessions import claude_code, codex, documents, find, gemini
from laconic.sessions.values import MOST_OUTPUT, Usage

CASES = Path(__file__).parent.parent / "cases/sessions"
COMMANDS = [
    "git init -q . && touch file-{001..090}.txt",
    "git status",
    "ls /nonexistent",
    "cat .env; echo done",
    "git push origin main",
]


def read(*paths):
    return [s for _, sessions in find.read(find.find_in(paths)) for s in sessions]


@pytest.fixture
def opencode(tmp_path):
    path = tmp_path / "opencode.db"
    database = sqlite3.connect(path)
    database.executescript((CASES / "opencode.sql").read_text())
    database.close()
    return path


@pytest.fixture(params=["claude-code", "codex", "gemini", "opencode"])
def session(request, opencode):
    names = {"gemini": CASES / "gemini", "opencode": opencode}
    (found,) = read(names.get(request.param, CASES / f"{request.param}.jsonl"))
    assert found.agent == request.param
    return found


def test_the_commands_of_each_agent_are_read_with_their_place_output_and_status(session):
    assert [step.command for step in session.steps] == COMMANDS
    assert {step.cwd for step in session.steps} == {"/home/dev/project"}
    assert all(step.has_run for step in session.steps)
    status, missing, secret = session.steps[1:4]
    assert status.output.decode().startswith(
        "On branch master\n\nNo commits yet\n\nUntracked files:\n"
    )
    assert status.output.decode().rstrip().endswith('(use "git add" to track)')
    assert status.status == 0
    assert missing.output.strip() == b"ls: cannot access '/nonexistent': No such file or directory"
    assert missing.status == 2
    assert secret.output.strip() == b"cat: .env: No such file or directory\ndone"


def test_the_requests_that_held_an_output_are_counted(session):
    """The model was asked six times: once for each command, and once more after the last."""
    assert [step.held for step in session.steps] == [5, 4, 3, 2, 1]


def test_the_tokens_that_were_paid_for_are_counted_once(session):
    expected = {
        "claude-code": Usage(24, 5400, 90900, 360),
        "codex": Usage(6000, 0, 90900, 360),
        "gemini": Usage(24900, 0, 72000, 360),
        # one of the answers was for the title of the session, which has no message
        "opencode": Usage(30300, 0, 72000, 360),
    }
    (usage,) = session.usage.values()
    assert usage == expected[session.agent]


def test_the_mode_is_known_where_the_transcript_tells(session):
    modes = {"claude-code": "default", "codex": "never"}
    assert {step.mode for step in session.steps} == {modes.get(session.agent, "")}
    asked = False if session.agent == "codex" else None
    assert {step.was_asked for step in session.steps} == {asked}


# -- forms that no session here has ----------------------------------------------------------------


def write(path, *lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def claude(kind, content, **more):
    message = {"id": more.pop("id", "msg_1"), "role": kind, "content": content}
    message |= {"model": "claude-sonnet-4-5", "usage": more.pop("usage", {})}
    return {"type": kind, "sessionId": "s", "cwd": "/p", "message": message, **more}


def bash(number, command="ls"):
    return [
        {"type": "tool_use", "id": f"toolu_{number}", "name": "Bash", "input": {"command": command}}
    ]


def result(number, text, *, is_error=False):
    block = {"type": "tool_result", "tool_use_id": f"toolu_{number}"}
    return [{**block, "content": text, "is_error": is_error}]


def test_a_person_who_says_no_was_asked(tmp_path):
    refused = "The user doesn't want to proceed with this tool use. The tool use was rejected"
    path = write(
        tmp_path / "s.jsonl",
        claude("user", "go", permissionMode="acceptEdits"),
        claude("assistant", bash(1)),
        claude("user", result(1, refused, is_error=True)),
    )
    (step,) = read(path)[0].steps
    assert (step.was_asked, step.has_run, step.output, step.mode) == (
        True,
        False,
        b"",
        "acceptEdits",
    )


def test_the_blocks_of_one_answer_are_one_request(tmp_path):
    usage = {"input_tokens": 5, "cache_creation_input_tokens": 7, "output_tokens": 1}
    path = write(
        tmp_path / "s.jsonl",
        claude("assistant", [{"type": "text", "text": "I look"}], usage=usage),
        claude("assistant", bash(1), usage={**usage, "output_tokens": 9}),
        claude("user", result(1, "a")),
        claude("assistant", [{"type": "text", "text": "done"}], id="msg_2", usage=usage),
    )
    (session,) = read(path)
    assert session.usage == {"claude-sonnet-4-5": Usage(10, 14, 0, 10)}
    assert session.steps[0].held == 1


def test_a_summary_ends_what_was_held(tmp_path):
    path = write(
        tmp_path / "s.jsonl",
        claude("assistant", bash(1)),
        claude("user", result(1, "a")),
        claude("assistant", [], id="msg_2"),
        {"type": "system", "subtype": "compact_boundary", "sessionId": "s"},
        claude("user", "summary", isCompactSummary=True),
        claude("assistant", [], id="msg_3"),
    )
    assert read(path)[0].steps[0].held == 1


def test_the_agents_that_a_session_starts_have_conversations_of_their_own(tmp_path):
    path = write(
        tmp_path / "s.jsonl",
        claude("assistant", bash(1)),
        claude("user", result(1, "a")),
        claude("assistant", bash(2), id="msg_2", isSidechain=True),
        claude("user", result(2, "b"), isSidechain=True),
        claude("assistant", [], id="msg_3", isSidechain=True),
        claude("assistant", [], id="msg_4"),
    )
    assert [step.held for step in read(path)[0].steps] == [1, 1]


def test_a_resumed_session_that_repeats_the_lines_of_another_counts_once(tmp_path):
    lines = [claude("assistant", bash(1), uuid="u1"), claude("user", result(1, "a"), uuid="u2")]
    write(tmp_path / "a.jsonl", *lines)
    write(tmp_path / "b.jsonl", *lines, claude("assistant", bash(2), uuid="u3"))
    assert sum(len(session.steps) for session in read(tmp_path)) == 2


def test_the_older_tool_of_codex_and_its_questions_are_read(tmp_path):
    def item(**payload):
        return {"type": "response_item", "payload": payload}

    def call(number, command, **more):
        arguments = json.dumps({"command": command, **more})
        return item(type="function_call", name="shell", call_id=f"c{number}", arguments=arguments)

    output = json.dumps({"output": "ok\n", "metadata": {"exit_code": 3}})
    path = write(
        tmp_path / "rollout.jsonl",
        {"type": "session_meta", "payload": {"cwd": "/p"}},
        {"type": "turn_context", "payload": {"approval_policy": "on-request", "model": "gpt-5"}},
        call(1, ["bash", "-lc", "npm test"], workdir="/p/x"),
        item(type="function_call_output", call_id="c1", output=output),
        call(2, ["git", "push"], with_escalated_permissions=True),
        item(type="function_call_output", call_id="c2", output="exec command rejected by user"),
    )
    first, second = read(path)[0].steps
    assert (first.command, first.cwd, first.output, first.status) == (
        "npm test",
        "/p/x",
        b"ok\n",
        3,
    )
    assert first.was_asked is False
    assert (second.command, second.was_asked, second.has_run) == ("'git' 'push'", True, False)


def test_the_older_file_of_gemini_is_one_object(tmp_path):
    shown = (
        "Command: ls\nDirectory: (root)\nOutput: a\nb\nError: (none)\nExit Code: 1\nSignal: (none)"
    )
    response = {"functionResponse": {"response": {"output": shown}}}
    call = {"id": "1", "name": "run_shell_command", "status": "success", "result": [response]}
    message = {"type": "gemini", "toolCalls": [{**call, "args": {"command": "ls"}}]}
    path = write(tmp_path / "session-1.json", {"projectHash": "x", "messages": [message]})
    (step,) = read(path)[0].steps
    assert (step.command, step.output, step.status) == ("ls", b"a\nb", 1)


def test_the_older_files_of_opencode_are_read(home):
    storage = home / ".local/share/opencode/storage"
    state = {
        "status": "completed",
        "input": {"command": "ls"},
        "output": "a",
        "metadata": {"exit": 0},
    }
    documents = {
        "session/global/ses_1.json": {"id": "ses_1", "directory": "/p"},
        "session/global/ses_2.json": {"id": "../ses_1", "directory": "/p"},
        "message/ses_1/msg_1.json": {"id": "msg_1", "role": "user"},
        "message/ses_1/msg_2.json": {"id": "msg_2", "role": "assistant", "modelID": "gpt-5"},
        "message/ses_1/msg_3.json": {"id": "msg_3", "role": "assistant", "tokens": {"input": 7}},
        "part/msg_2/prt_1.json": {"type": "tool", "tool": "bash", "callID": "1", "state": state},
    }
    for name, document in documents.items():
        (storage / name).parent.mkdir(parents=True, exist_ok=True)
        (storage / name).write_text(json.dumps(document))
    found = [s for _, each in find.read(find.find({"HOME": str(home)})) for s in each]
    (session,) = found
    (step,) = session.steps
    assert (step.command, step.cwd, step.output, step.held) == ("ls", "/p", b"a", 1)
    assert session.usage == {"gpt-5": Usage(), "": Usage(input=7)}


# -- hostile files ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "",
        "not json",
        "[1]",
        "[" * 200_000,
        '{"sessionId": 1, "type": "assistant", "message": 3}',
        '{"sessionId": "s", "type": "assistant", "message": {"content": [{"type": "tool_use"}]}}',
        '{"sessionId": "s", "type": "user", "message": {"content": [{"type": "tool_result"}]}}',
        '{"sessionId": "s", "type": "assistant", "message": {"usage": {"input_tokens": -5}}}',
        '{"sessionId": "s", "type": "assistant", "message": {"usage": {"input_tokens": 1e400}}}',
        '{"type": "response_item", "payload": {"type": "function_call", "name": []}}',
        '{"projectHash": 1, "id": "x", "type": "gemini", "toolCalls": [{"args": 1}]}',
    ],
)
def test_a_line_that_is_not_as_expected_is_left_out(tmp_path, line):
    good = claude("assistant", bash(1))
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join([json.dumps(good), line, json.dumps(good | {"x": 1})]) + "\n")
    (session,) = read(path)
    assert [step.command for step in session.steps if step.command] == ["ls"]
    path.write_text(line)
    read(path)


LINES = [
    json.loads(line)
    for path in (*CASES.glob("*.jsonl"), *CASES.rglob("session-*.jsonl"))
    for line in path.read_text().splitlines()
]
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2)
    ),
    max_leaves=4,
)


def with_something_else(draw, value):
    """Put anything in the place of some value inside a document."""
    if isinstance(value, dict | list) and value and draw(st.integers(0, 4)):
        key = draw(st.sampled_from(sorted(value) if isinstance(value, dict) else range(len(value))))
        changed = value.copy()
        changed[key] = with_something_else(draw, value[key])
        return changed
    return draw(ANYTHING)


@given(data=st.data())
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_document_makes_a_reader_fail(tmp_path, data):
    first = data.draw(st.integers(0, len(LINES) - 1))
    lines = LINES[first : first + 6]
    lines[0] = with_something_else(data.draw, lines[0])
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for reader in (claude_code, codex, gemini):
        for step in reader.read(path, set()).steps:
            assert isinstance(step.command, str)
            assert isinstance(step.cwd, str)
            assert step.status is None or isinstance(step.status, int)


def test_reading_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "MOST_LINE", 4000)
    long = claude("user", result(1, "x" * 10_000))
    path = write(tmp_path / "s.jsonl", claude("assistant", bash(1)), long)
    assert not read(path)[0].steps[0].has_run
    monkeypatch.undo()
    write(path, claude("assistant", bash(1)), claude("user", result(1, "x" * 2 * MOST_OUTPUT)))
    assert len(read(path)[0].steps[0].output) == MOST_OUTPUT


def test_only_regular_files_are_read_and_links_lead_nowhere(tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    os.mkfifo(place / "pipe.jsonl")
    (place / "again").symlink_to(place)
    (place / "other.jsonl").symlink_to(write(tmp_path / "s.jsonl", claude("assistant", bash(1))))
    assert read(place) == []
    assert read(place / "pipe.jsonl") == []


def test_a_view_in_place_of_a_table_is_not_read(tmp_path):
    path = tmp_path / "opencode.db"
    database = sqlite3.connect(path)
    database.executescript(
        "CREATE TABLE session (id, directory); CREATE TABLE message (id, session_id, data);"
        "CREATE VIEW part AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
        " SELECT i AS message_id, '' AS data FROM n;"
    )
    database.close()
    assert read(path) == []


def test_a_database_is_left_as_it_is(opencode):
    before = opencode.read_bytes()
    assert len(read(opencode)[0].steps) == 5
    assert opencode.read_bytes() == before
    assert [path.name for path in opencode.parent.iterdir()] == ["opencode.db"]


def test_sessions_are_found_where_agents_keep_them(home, opencode):
    places = {
        ".claude/projects/-p/s.jsonl": CASES / "claude-code.jsonl",
        "codex/sessions/2026/11/15/rollout-1.jsonl": CASES / "codex.jsonl",
        ".local/share/opencode/opencode.db": opencode,
    }
    for name, source in places.items():
        (home / name).parent.mkdir(parents=True)
        (home / name).write_bytes(source.read_bytes())
    environ = {"HOME": str(home), "CODEX_HOME": str(home / "codex")}
    found = [s.agent for _, sessions in find.read(find.find(environ)) for s in sessions]
    assert sorted(found) == ["claude-code", "codex", "opencode"]
