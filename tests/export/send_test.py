"""`laconic export` against a receiver: nothing is lost, and what comes twice has the same id."""

from __future__ import annotations

import json
import ssl
import subprocess
import sys
import time
from pathlib import Path

import pytest

from laconic.cli import main as cli
from laconic.engine import decide, isolated_settings
from laconic.export.cursor import alone
from laconic.export.leaving import rule_of
from laconic.record import decisions
from laconic.record.runs import record_run
from laconic.types import Decision, Effect, Verdict
from machine import needs
from otlp_receiver import Receiver
from records import a_run

NOW = time.time()


@pytest.fixture
def receiver():
    with Receiver() as found:
        yield found


@pytest.fixture
def state_dir(home):
    return str(home / ".local/state/laconic")


@pytest.fixture
def export(capsys):
    """Return a function that runs `laconic export`: exit status, stdout and stderr."""

    def run(*words):
        capsys.readouterr()
        status = cli.run(["export", *words])
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def configured(home):
    """Return a function that writes [export] into the user's file."""

    def write(**keys):
        path = home / ".config/laconic/config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = "\n".join(f"{key} = {json.dumps(value)}" for key, value in keys.items())
        path.write_text(f"[export]\n{lines}\n")

    return write


def log(state_dir, command="git push", agent="claude-code", **about):
    settings = isolated_settings({"HOME": "/home/me"})
    decision = decide(command, "/home/me/shop", settings, environ={"HOME": "/home/me"})
    about = {"outcome": str(decision.verdict), "session": "5b0e", **about}
    decisions.append(
        state_dir,
        decision,
        command=command,
        cwd="/home/me/shop",
        agent=agent,
        now=NOW,
        about=about,
    )


def ids(state_dir):
    return {row["id"] for row in decisions.read(state_dir)}


def test_nothing_is_sent_unless_somebody_says_where(export, state_dir):
    log(state_dir)
    status, out, err = export()
    assert (status, out) == (1, "")
    assert err.startswith("laconic: nothing is sent: no endpoint is configured\nhint: ")


def test_a_project_cannot_say_where_even_if_it_is_trusted(
    export, receiver, state_dir, project, capsys
):
    log(state_dir)
    (project / ".laconic").mkdir()
    (project / ".laconic/config.toml").write_text(
        f'[export]\nendpoint = "{receiver.url}"\ndecisions = true\n'
    )
    assert export()[0] == 1
    assert cli.run(["trust"]) == 0
    assert cli.run(["config", "get", "export.endpoint"]) == 0
    assert receiver.url in capsys.readouterr().out  # the project's file is in force, but
    assert export()[0] == 1
    assert receiver.headers == []


def test_sums_are_sent_and_grow(export, receiver, state_dir):
    for _ in range(3):
        log(state_dir)
    log(state_dir, "git status")
    log(state_dir, agent=decisions.OWN)  # a person's own question is no decision about an agent
    assert export("--endpoint", receiver.url) == (0, f"{receiver.url}: 3 sums\n", "")
    assert receiver.total("laconic.decisions", {"laconic.verdict": "ask"}) == 3
    assert receiver.total("laconic.decisions", {"laconic.verdict": "allow"}) == 1
    assert receiver.total("laconic.questions") == 3
    log(state_dir)
    assert export("--endpoint", receiver.url)[0] == 0
    assert receiver.total("laconic.decisions") == 5
    assert receiver.records == []  # decisions themselves are only sent if that is wanted


def test_what_was_saved_is_counted_once_also_if_it_is_stored_late(export, receiver, state_dir):
    def run(days):
        known = a_run("pytest", agent="codex", raw_tokens=1000, shown_tokens=100)
        record_run(state_dir, known, NOW - days * 86400)

    run(0)
    export("--endpoint", receiver.url)
    assert receiver.total("laconic.runs", {"gen_ai.agent.name": "codex"}) == 1
    first = receiver.total("laconic.tokens", {"laconic.token.kind": "input"})
    assert first > 0
    run(3)  # a sandbox has kept it until now
    export("--endpoint", receiver.url)
    export("--endpoint", receiver.url)
    assert receiver.total("laconic.runs") == 2
    assert receiver.total("laconic.tokens", {"laconic.token.kind": "input"}) == 2 * first


def test_what_ran_unchecked_is_a_sum_of_its_own(export, receiver, state_dir):
    decisions.append_unchecked(
        state_dir, "gate/disabled", "LACONIC_DISABLED is set", agent="codex", now=NOW
    )
    export("--endpoint", receiver.url)
    assert receiver.total("laconic.unchecked", {"laconic.rule": "gate/disabled"}) == 1
    assert receiver.total("laconic.decisions") == 0


def test_each_decision_has_the_names_by_which_others_know_it(
    export, receiver, configured, state_dir
):
    configured(endpoint=receiver.url, decisions=True, team="payments")
    log(state_dir, call="toolu_9", profile="work", policy="17")
    assert export() == (0, f"{receiver.url}: 2 sums, 1 decisions\n", "")
    (row,) = decisions.read(state_dir)
    (record,) = receiver.records
    assert record == {
        "body": "ask",
        "laconic.decision.id": row["id"],
        "laconic.version": row["version"],
        "laconic.verdict": "ask",
        "laconic.outcome": "ask",
        "laconic.effects": ["sends"],
        "laconic.rule": "git/push",
        "laconic.profile": "work",
        "laconic.policy.serial": "17",
        "laconic.box": False,
        "gen_ai.agent.name": "claude-code",
        "session.id": "5b0e",
        "gen_ai.tool.call.id": "toolu_9",
    }
    top = json.loads(receiver.bodies[-1][1])["resourceLogs"][0]
    names = {item["key"]: item["value"]["stringValue"] for item in top["resource"]["attributes"]}
    assert names["service.name"] == "laconic"
    assert names["laconic.team"] == "payments"
    assert len(names["service.instance.id"]) == 32
    assert top["scopeLogs"][0]["logRecords"][0]["eventName"] == "laconic.decision"
    moment = int(top["scopeLogs"][0]["logRecords"][0]["timeUnixNano"])
    assert moment == pytest.approx(NOW * 1e9, abs=1e6)


def test_a_decision_is_sent_once(export, receiver, configured, state_dir):
    configured(endpoint=receiver.url, decisions=True)
    for _ in range(1200):  # more than go at once
        decisions.append(state_dir, ASK, command="x", cwd="/", agent="codex", now=NOW)
    export()
    export()
    log(state_dir)
    export()
    assert len(receiver.ids) == 1201
    assert set(receiver.ids) == ids(state_dir)


ASK = Decision(Verdict.ASK, "git/push", "publishes commits", effects=Effect.SENDS)


@pytest.mark.parametrize("status", [301, 400, 429, 500, 503])
def test_what_was_refused_is_sent_again(export, receiver, configured, state_dir, status):
    configured(endpoint=receiver.url, decisions=True)
    log(state_dir)
    receiver.status = status
    code, _, err = export()
    assert code == 1
    assert f"answered {status}" in err
    assert "nothing is lost" in err
    log(state_dir)
    receiver.status = 200
    assert export()[0] == 0
    assert sorted(receiver.ids) == sorted(ids(state_dir))
    assert receiver.total("laconic.decisions") == 2


def test_decisions_are_sent_again_also_if_the_sums_were_taken(
    export, receiver, configured, state_dir
):
    configured(endpoint=receiver.url, decisions=True)
    log(state_dir)
    receiver.refused = {"/v1/logs"}
    assert export()[0] == 1
    assert receiver.total("laconic.decisions") == 1
    receiver.refused = set()
    assert export()[0] == 0
    assert set(receiver.ids) == ids(state_dir)
    assert receiver.total("laconic.decisions") == 1


def test_what_nobody_received_is_sent_later(export, receiver, configured, state_dir, monkeypatch):
    """The receiver is away, and the log is rotated in between."""
    monkeypatch.setattr(decisions, "ROTATE_BYTES", 40_000)
    configured(endpoint=receiver.url, decisions=True)
    for _ in range(50):
        log(state_dir)
    assert export()[0] == 0
    receiver.stop()
    for _ in range(250):
        log(state_dir)
    status, _, err = export()
    assert status == 1
    assert "cannot be reached: connection refused" in err
    assert [Path(path).exists() for path in decisions.files(state_dir)].count(True) == 3
    receiver.start()
    assert export()[0] == 0
    assert len(receiver.ids) == 300
    assert set(receiver.ids) == ids(state_dir)
    assert receiver.total("laconic.decisions") == 300


def test_what_is_written_to_a_file_that_was_moved_is_sent(export, receiver, configured, state_dir):
    """A process may have the full file open when another one moves it away."""
    configured(endpoint=receiver.url, decisions=True)
    log(state_dir)
    path = Path(decisions.log_path(state_dir))
    with path.open("ab") as late:
        path.rename(f"{path}.1")
        log(state_dir)
        export()
        line = {"id": "late", "time": "2026-11-15T09:00:00+00:00", "verdict": "ask"}
        late.write(json.dumps(line | {"agent": "codex"}).encode() + b"\n")
    export()
    assert len(receiver.ids) == 3
    assert "late" in receiver.ids


def test_a_line_that_is_being_written_waits(export, receiver, configured, state_dir):
    configured(endpoint=receiver.url, decisions=True)
    log(state_dir)
    path = Path(decisions.log_path(state_dir))
    whole = path.read_bytes()
    with path.open("ab") as stream:
        stream.write(whole[:40])
        stream.flush()
        export()
        assert len(receiver.ids) == 1
        stream.write(whole[40:])
    export()
    assert len(receiver.ids) == 2


def test_a_crash_before_the_cursor_sends_the_same_ids_and_sums_again(
    export, receiver, configured, state_dir, home
):
    configured(endpoint=receiver.url, decisions=True)
    log(state_dir)
    export()
    (cursor,) = (home / ".local/state/laconic/export").glob("*.json")
    before = cursor.read_bytes()
    log(state_dir)
    export()
    cursor.write_bytes(before)  # as if it had never been written
    export()
    assert len(receiver.ids) == 3
    assert set(receiver.ids) == ids(state_dir)
    assert receiver.total("laconic.decisions") == 2


def test_what_is_gone_from_the_log_is_said(export, receiver, configured, state_dir):
    configured(endpoint=receiver.url, decisions=True)
    log(state_dir)
    export()
    Path(decisions.log_path(state_dir)).unlink()
    log(state_dir)
    _, _, err = export()
    assert "decisions may be gone from the log that were never sent" in err
    assert export()[2] == ""


def test_a_damaged_cursor_is_said(export, receiver, state_dir, home):
    log(state_dir)
    export("--endpoint", receiver.url)
    (cursor,) = (home / ".local/state/laconic/export").glob("*.json")
    cursor.write_text('{"since": "x"}')
    status, _, err = export("--endpoint", receiver.url)
    assert status == 1
    assert f"laconic: {cursor}: is damaged\nhint: rm {cursor}" in err


def test_two_endpoints_each_get_all(export, receiver, state_dir):
    log(state_dir)
    with Receiver() as other:
        export("--endpoint", receiver.url)
        export("--endpoint", other.url)
        assert other.total("laconic.decisions") == receiver.total("laconic.decisions") == 1


def test_what_a_receiver_drops_is_said_and_not_sent_again(export, receiver, configured, state_dir):
    configured(endpoint=receiver.url, decisions=True)
    receiver.answer = b'{"partialSuccess": {"rejectedLogRecords": "1", "errorMessage": "old"}}'
    log(state_dir)
    status, _, err = export()
    assert (status, err) == (0, "laconic: the receiver dropped 1 of them: old\n")
    export()
    assert len(receiver.ids) == 1


def test_headers_come_from_a_file_and_go_to_the_configured_endpoint_alone(
    export, receiver, configured, state_dir, tmp_path
):
    (tmp_path / "headers").write_text("Authorization: Bearer t0ken\n")
    configured(endpoint=receiver.url, headers_file=str(tmp_path / "headers"))
    log(state_dir)
    assert export()[0] == 0
    assert receiver.headers[-1]["Authorization"] == "Bearer t0ken"
    with Receiver() as other:
        assert export("--endpoint", other.url)[0] == 0
        assert "Authorization" not in other.headers[-1]
    (tmp_path / "headers").write_text("no colon\n")
    assert export()[2].endswith("headers: expected lines of the form `Name: value`\n")


@needs("openssl")
def test_a_receiver_must_be_who_it_says(export, state_dir, tmp_path, monkeypatch):
    log(state_dir)
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    words = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=x".split()
    names = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate]
    subprocess.run([*words, *names], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with Receiver(context) as receiver:
        status, _, err = export("--endpoint", receiver.url)
        assert status == 1
        assert "certificate" in err
        assert receiver.bodies == []
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert export("--endpoint", receiver.url)[0] == 0
        assert receiver.total("laconic.decisions") == 1


def test_two_exports_do_not_send_at_once(export, receiver, state_dir, home):
    log(state_dir)
    with alone(home / ".local/state/laconic"):
        status, _, err = export("--endpoint", receiver.url)
    assert (status, err) == (1, "laconic: another laconic export is under way\n")
    assert export("--endpoint", receiver.url)[0] == 0


@pytest.mark.parametrize(
    "url",
    ["x", "ftp://h", "http://", "http://me:pw@h", "http://h:x", "http://h/?a=b", "http://h\n/x"],
)
def test_what_is_no_address_is_refused(export, state_dir, url):
    log(state_dir)
    status, out, err = export("--endpoint", url)
    assert (status, out) == (1, "")
    assert err.startswith("laconic: ")
    assert err.count("\n") == 2


def test_the_status_says_what_is_sent_and_where(configured, capsys):
    assert cli.run(["status"]) == 0
    assert "laconic export sends" not in capsys.readouterr().out
    configured(endpoint="https://h:4318", decisions=True)
    assert cli.run(["status"]) == 0
    told = "laconic export sends sums and each decision to https://h:4318\n"
    assert told in capsys.readouterr().out


# -- what leaves -----------------------------------------------------------------------------------

PLANTED = "hunter2", "./plantedtool", "plantedarg", "/planted/place", "planted-reason", "PLANTED_X"
COMMANDS = (
    "curl -u me:hunter2 https://example.com/plantedarg",
    "./plantedtool plantedarg",
    "PLANTED_X=1 make plantedarg",
    "cat /planted/place/id_rsa",
    "echo x > /planted/place/file",
    "git push plantedarg",
)


def plant(state_dir):
    for command in COMMANDS:
        log(state_dir, command)
    decision = Decision(Verdict.DENY, "plantedtool/word", "planted-reason", effects=Effect.DESTROYS)
    more = {"session": "/planted/place/session.jsonl", "mode": "planted-reason"}
    decisions.append(
        state_dir,
        decision,
        command="plantedarg",
        cwd="/planted/place",
        agent="codex",
        now=NOW,
        about=more,
    )
    decisions.append_unchecked(
        state_dir,
        "gate/disabled",
        "planted-reason",
        agent="codex",
        now=NOW,
        command="plantedarg",
        cwd="/planted/place",
    )
    record_run(state_dir, a_run("./plantedtool plantedarg", project="/planted/place"), NOW)
    with Path(decisions.log_path(state_dir)).open("a") as stream:
        stream.write('{"planted-reason": "hunter2"}\nplantedarg\n')


def found_in(text):
    return [word for word in (*PLANTED, "planted") if word in text]


def test_no_command_place_reason_or_secret_leaves(export, receiver, configured, state_dir):
    configured(endpoint=receiver.url, decisions=True)
    plant(state_dir)
    assert found_in(Path(decisions.log_path(state_dir)).read_text())
    assert export()[0] == 0
    assert len(receiver.ids) == len(COMMANDS) + 2
    assert found_in(receiver.text) == []


def test_commands_leave_without_secrets_if_that_is_wanted(export, receiver, configured, state_dir):
    configured(endpoint=receiver.url, decisions=True, commands=True)
    plant(state_dir)
    export()
    lines = [record.get("process.command_line", "") for record in receiver.records]
    assert "./plantedtool plantedarg" in lines
    assert "hunter2" not in receiver.text
    assert "planted-reason" not in receiver.text


def test_what_is_shown_is_what_goes(export, receiver, configured, state_dir, monkeypatch):
    configured(endpoint=receiver.url, decisions=True)
    plant(state_dir)
    monkeypatch.setattr(time, "time", lambda: NOW)
    status, out, err = export("--show")
    assert (status, err) == (0, "")
    assert receiver.headers == []
    assert export()[0] == 0
    assert receiver.text.splitlines() == out.splitlines()
    assert export("--show")[1].count("\n") == 1  # the sums as they are; no decision is new


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("git/push", "git/push"),
        ("config/deny", "config/deny"),
        ("permissions/claude-code/ask", "permissions/claude-code/ask"),
        ("unknown-command", "unknown-command"),
        ("program-by-path", "program-by-path"),
        ("gate/no-start", "gate/no-start"),
        ("acme-deploy/word", "other/word"),
        ("yarn//tmp/evil/option", "yarn/other/other/other/option"),
        ("variable/ACME_TOKEN", "variable/other"),
        ("env/vStouch acme", "env/other"),
        ("", "other"),
    ],
)
def test_of_a_rule_only_words_of_our_own_leave(rule, told):
    assert rule_of(rule) == told


def test_a_hook_loads_nothing_of_it():
    """And so it costs nothing there."""
    program = """
import sys
from laconic.hooks.answer import answer
call = b'{"tool_name": "Bash", "tool_input": {"command": "git push"}, "cwd": "/"}'
given = answer("claude-code", "PreToolUse", call, {"HOME": "/"}, "/")
assert b"ask" in given.stdout, given.fault
from laconic.server import handlers
handlers.warm_up()
wanted = ("laconic.export", "http.client", "duckdb")
print([name for name in sys.modules if name.startswith(wanted)])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stdout == "[]\n"
