"""Audit sinks and reminders."""

from __future__ import annotations

import json
import logging
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

import laconic
from laconic import tool_hooks
from laconic.library.audit import new_entry

TOKEN = "ghp_" + "a1B2" * 9


def entry(kind="tool_denied", **payload):
    return new_entry(kind, {"rule_id": "a", "command": f"x --token {TOKEN}", **payload}, "s-1")


def test_an_entry_has_a_number_a_time_a_session_and_no_secrets():
    first, second = entry(), entry()
    assert second.seq > first.seq
    found = first.to_dict()
    assert set(found) == {"schema", "seq", "time", "session", "kind", "payload"}
    assert (found["schema"], found["session"]) == (1, "s-1")
    assert TOKEN not in json.dumps(found)


def test_memory_gives_its_entries_once():
    sink = laconic.MemoryAudit(limit=2)
    for _ in range(3):
        sink.write(entry())
    assert len(sink.snapshot()) == 2
    assert len(sink.take()) == 2
    assert sink.take() == []


def test_logging_has_a_level_and_the_entry(caplog):
    with caplog.at_level(logging.INFO, "laconic.audit"):
        laconic.LoggingAudit().write(entry())
        laconic.LoggingAudit().write(entry("tool_rewrite"))
    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]
    assert caplog.records[0].audit["payload"]["rule_id"] == "a"


def test_json_lines_are_whole_and_private(tmp_path):
    path = tmp_path / "audit.jsonl"
    sink = laconic.JsonLinesAudit(path)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: sink.write(entry(n=n, explanation="é\n")), range(200)))
    found = [json.loads(line) for line in path.read_text().splitlines()]
    assert sorted(row["payload"]["n"] for row in found) == list(range(200))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_json_lines_follow_no_link(tmp_path):
    (tmp_path / "audit.jsonl").symlink_to(tmp_path / "other")
    with pytest.raises(OSError, match="symbolic"):
        laconic.JsonLinesAudit(tmp_path / "audit.jsonl").write(entry())


def test_sqlite_takes_entries_from_any_thread(tmp_path):
    path = tmp_path / "audit.db"
    sink = laconic.SqliteAudit(path)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: sink.write(entry()), range(40)))
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT DISTINCT session, kind, rule_id FROM audit").fetchall()
        (count,) = connection.execute("SELECT count(*) FROM audit").fetchone()
    connection.close()
    assert (rows, count) == ([("s-1", "tool_denied", "a")], 40)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_is_emitted_outside_of_a_gate_is_in_the_common_log():
    tool_hooks.lifecycle_audit_log_take()
    tool_hooks.tool_hooks_emit_audit("custom.kind", {"a": 1})
    told = tool_hooks.tool_hooks_inject_reminder(
        {"body": "Mind this.", "tags": ["x"], "ttl_turns": 2}
    )
    assert told["session_attached"] is False
    first, second = tool_hooks.lifecycle_audit_log_take()
    assert (first["kind"], first["payload"]) == ("custom.kind", {"a": 1})
    assert second["kind"] == "tool_hooks.reminder_injected"
    assert second["payload"] == {
        "reminder_id": told["reminder_id"],
        "deduped_count": 0,
        "session_attached": False,
        "tags": ["x"],
        "body": "Mind this.",
        "ttl_turns": 2,
        "dedupe_key": None,
    }
    assert tool_hooks.lifecycle_audit_log_take() == []


@pytest.mark.parametrize("kind", ["", None, 3])
def test_an_entry_without_a_kind_is_an_error(kind):
    with pytest.raises(ValueError, match="kind"):
        laconic.emit_audit(kind, {})


@pytest.mark.parametrize(
    "spec", [{}, {"body": " "}, {"body": "x", "ttl_turns": 0}, {"body": "x", "ttl_turns": True}]
)
def test_a_reminder_without_a_body_or_a_turn_is_an_error(spec):
    with pytest.raises(ValueError, match="tool_hooks_inject_reminder"):
        laconic.inject_reminder(spec)


# -- reminders -------------------------------------------------------------------------------------


def test_a_reminder_is_read_for_its_turns_and_then_no_more():
    queue = laconic.ReminderQueue()
    queue.inject({"body": "one turn", "ttl_turns": 1})
    queue.inject({"body": "two turns", "ttl_turns": 2})
    queue.inject({"body": "always"})
    assert [queue.take_text().split("\n") for _ in range(3)] == [
        ["one turn", "two turns", "always"],
        ["two turns", "always"],
        ["always"],
    ]


def test_a_later_reminder_takes_the_place_of_one_with_its_key_or_text():
    queue = laconic.ReminderQueue()
    assert queue.inject({"body": "a", "dedupe_key": "k"}) == 0
    assert queue.inject({"body": "b", "dedupe_key": "k"}) == 1
    assert queue.inject({"body": " b "}) == 1
    assert [reminder.body for reminder in queue.take()] == [" b "]


def test_a_rewrite_reminds_once():
    gate = laconic.Gate(stacks=["rust"], gate=False, session="s")
    envelope = gate.decide("cargo check")
    gate.record(envelope)
    (rewritten, injected) = gate.audit_log.take()
    assert (rewritten.session, injected.payload["tags"]) == ("s", ["tool_rewritten"])
    assert injected.payload["session_attached"] is True
    assert gate.take_reminders() == (
        "Your command was rewritten per rule rust.cargo.target_dir_conflict: "
        f"{envelope.explanation} Original: cargo check"
        " Rewritten: cargo check --target-dir target-shared."
    )
    assert gate.take_reminders() == ""
