"""Many threads and many tasks at one Gate: nothing is lost, nothing happens twice for one call."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sqlite3
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

import laconic
from laconic import engine
from laconic.library import call_memory, judge
from laconic.library.run_in_thread import in_own_thread
from library.endpoint import serving

SLOW_S = 0.4
LIMIT_S = 0.2  # half of it: a busy machine is slow, too
CALLS = 40


class Everything:
    """A gate with rules, a model and all sinks, and what they have seen."""

    def __init__(self, endpoint, place):
        self.endpoint = endpoint
        self.records = []
        handler = logging.Handler()
        handler.emit = lambda record: self.records.append(record.audit)
        logger = logging.getLogger(f"audit of {place}")
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
        self.lines, self.table = place / "audit.jsonl", place / "audit.db"
        chat = laconic.HTTPChat(provider="openai", url=endpoint.url, api_key="k")
        rewrites = laconic.Rule(
            id="team.old",
            pattern=r"^old\b",
            rewrite=lambda command, _: f"echo {command.partition(' ')[2]}",
            explanation="Why.",
        )
        self.gate = laconic.Gate(
            custom_rules=[rewrites],
            classifier={"model": "m", "client": chat},
            gate=False,
            audit=[
                laconic.LoggingAudit(logger),
                laconic.JsonLinesAudit(self.lines),
                laconic.SqliteAudit(self.table),
            ],
        )

    def script(self, asked):
        for _ in range(asked):
            self.endpoint.say({"kind": "allow", "confidence": 1})

    def entries(self):
        """What each sink has taken, as (kind, what it is about)."""
        connection = sqlite3.connect(self.table)
        rows = connection.execute("SELECT kind, payload FROM audit").fetchall()
        connection.close()
        found = {
            "memory": [(e.kind, e.payload) for e in self.gate.audit_log.snapshot()],
            "logging": [(e["kind"], e["payload"]) for e in self.records],
            "lines": [
                (e["kind"], e["payload"])
                for e in map(json.loads, self.lines.read_text().split("\n")[:-1])
            ],
            "sqlite": [(kind, json.loads(payload)) for kind, payload in rows],
        }
        return {name: Counter(_about(k, p) for k, p in told) for name, told in found.items()}


def _about(kind, payload):
    if kind == "tool_hooks.reminder_injected":
        return kind, payload["body"]
    return kind, payload.get("original_command", payload["command"])


def command(number):
    return (f"old {number}", "rm -rf /", f"make {number}")[number % 3]


def expected(numbers):
    """One entry of each kind for each call, whoever has asked about it and how often."""
    wanted = Counter()
    for n in numbers:
        if n % 3 == 0:
            texts = f"Original: old {n} Rewritten: echo {n}."
            body = f"Your command was rewritten per rule team.old: Why. {texts}"
            wanted.update({("tool_rewrite", f"old {n}"): 1, ("tool_result", f"echo {n}"): 1})
            wanted["tool_hooks.reminder_injected", body] += 1
        elif n % 3 == 1:
            wanted["tool_denied", "rm -rf /"] += 1
        else:
            wanted["tool_hook_classifier_verdict", f"make {n}"] += 1
            wanted["tool_result", f"make {n}"] += 1
    return wanted


@pytest.fixture
def everything(tmp_path):
    with serving("openai") as endpoint:
        yield Everything(endpoint, tmp_path)


def test_eight_threads_ask_about_each_call_twice_and_all_happens_once(everything):
    gate = everything.gate
    everything.script(CALLS)

    def work(number):
        call = gate.hook({"command": command(number)}, tool="shell", call_id=f"c{number}")
        runs = call.start()
        return runs, call

    with ThreadPoolExecutor(8) as pool:
        twice = [n for n in range(CALLS) for _ in range(2)]
        started = list(pool.map(work, twice))
        finished = list(pool.map(lambda found: found[0] and found[1].finish("x", 0), started))
    assert [runs for runs, _ in started] == [n % 3 != 1 for n in twice]
    assert finished == ["x" if n % 3 != 1 else False for n in twice]
    wanted = expected(range(CALLS))
    for name, found in everything.entries().items():
        assert found == wanted, name
    assert len(everything.endpoint.requests) == len(range(2, CALLS, 3))
    reminders = gate.take_reminders().split("\n")
    assert len(reminders) == len(range(0, CALLS, 3))


def test_fifty_tasks_ask_about_each_call_twice_and_all_happens_once(everything):
    gate = everything.gate
    everything.script(50)

    async def work(number):
        call = await gate.ahook({"command": command(number)}, tool="shell", call_id=f"c{number}")
        runs = await call.astart()
        return await call.afinish("x", 0) if runs else runs

    async def main():
        return await asyncio.gather(*(work(n // 2) for n in range(100)))

    found = asyncio.run(main())
    assert found == ["x" if n // 2 % 3 != 1 else False for n in range(100)]
    wanted = expected(range(50))
    for name, told in everything.entries().items():
        assert told == wanted, name
    assert len(everything.endpoint.requests) == len(range(2, 50, 3))


def test_a_call_that_runs_is_not_forgotten_for_others(monkeypatch):
    monkeypatch.setattr(call_memory, "_MOST_CALLS", 3)
    gate = laconic.Gate()
    running = gate.hook("echo 1", call_id="a")
    assert running.start()
    for n in range(5):
        gate.hook("rm -rf /", call_id=f"other-{n}").start()
    assert gate.call("a") is running
    running.finish("1", 0)
    assert [e.payload["call_id"] for e in gate.audit_log.take() if e.kind == "tool_result"] == ["a"]
    for n in range(5):
        assert gate.hook("echo 2", call_id=f"endless-{n}").start()
    assert gate.call("endless-4") is not None
    assert gate.call("endless-0") is None


# -- the event loop --------------------------------------------------------------------------------


def slowly(value):
    def function(*_args, **_more):
        time.sleep(SLOW_S)
        return value

    return function


def longest_gap(work):
    """How long the loop did nothing else while this was awaited, and what came of it."""

    async def main():
        task = asyncio.create_task(work())
        longest, before = 0.0, time.monotonic()
        while not task.done():
            await asyncio.sleep(0.005)
            now = time.monotonic()
            longest, before = max(longest, now - before), now
        return longest, await task

    return asyncio.run(main())


SLOW = {
    "predicate": {"custom_rules": [laconic.Rule(id="a", pattern=slowly(False))]},
    "rewriter": {"custom_rules": [laconic.Rule(id="a", pattern="^make", rewrite=slowly("echo a"))]},
    "mode": {
        "custom_rules": [laconic.Rule(id="a", pattern="^make")],
        "mode": slowly({"action": "passthrough"}),
    },
    "model": {"classifier": {"model": "m", "client": slowly('{"kind": "allow"}')}},
    "sink": {"audit": slowly(None), "custom_rules": [laconic.Rule(id="a", pattern="^make")]},
    "ask": {"gate": True, "ask": slowly(True)},
}


async def by_hook(gate):
    call = await gate.ahook({"command": "make x"}, call_id="1")
    return await call.aask_and_start() and await call.afinish("x", 0) == "x"


async def by_tool(gate):
    @gate.tool
    async def run(command: str) -> str:
        return f"ran {command}"

    return (await run("make x")).startswith("ran")


async def by_run(gate):
    return (await gate.arun("make x")).status != 126


@pytest.mark.parametrize(
    ("slow", "way"),
    [
        *((slow, by_hook) for slow in SLOW),
        *((slow, way) for slow in ("predicate", "sink") for way in (by_tool, by_run)),
    ],
)
def test_whatever_is_slow_the_loop_goes_on(slow, way):
    gate = laconic.Gate(**{"gate": False, **SLOW[slow]})
    longest, ran = longest_gap(lambda: way(gate))
    assert ran is True
    assert longest < LIMIT_S


@pytest.mark.parametrize("slow", ["predicate", "rewriter", "model", "sink"])
def test_the_preset_does_not_keep_the_loop_waiting_either(slow):
    config = {**SLOW[slow]}
    if "classifier" in config:
        config["llm_classifier"] = config.pop("classifier")

    async def inner(args):
        return args

    run = laconic.preset_run_command(config, inner=inner)
    longest, _ = longest_gap(lambda: run("make x"))
    assert longest < LIMIT_S


@pytest.mark.parametrize(
    ("text", "is_long"),
    [
        ("ls -la", False),
        ("ls; " * 90, False),
        ("ls; " * 101, True),
        ("echo " + "$(ls) " * 1_000, True),
        (["echo", *["a b"] * 200], True),
    ],
)
def test_only_a_short_command_is_judged_in_the_loop(text, is_long, monkeypatch):
    gate, threads, own = laconic.Gate(), [], threading.current_thread()
    decide = gate.judge.decide

    def noted(*asked, **how):
        threads.append(threading.current_thread())
        return decide(*asked, **how)

    monkeypatch.setattr(gate.judge, "decide", noted)
    asyncio.run(gate.ahook({"command": text}, call_id="1"))
    if isinstance(text, str):
        asyncio.run(gate.adecide(text))
    assert {thread is not own for thread in threads} == {is_long}


@pytest.mark.parametrize("what", ["commands", "people"])
def test_those_who_wait_long_do_not_keep_others_waiting(what, tmp_path):
    """More of them than asyncio has threads."""
    go = threading.Event()
    model = {"model": "m", "client": lambda *_: '{"kind": "allow", "confidence": 1}'}

    def ask(_):
        return go.wait(20)

    async def main():
        gate = laconic.Gate(classifier=model, ask=ask, gate=what == "people", cwd=tmp_path)
        command = "touch made" if what == "people" else "until [ -e go ]; do sleep 0.05; done"
        waiting = [asyncio.create_task(gate.arun(command, timeout=20)) for _ in range(40)]
        await asyncio.sleep(0.2)
        other = await asyncio.wait_for(gate.adecide("ls"), 10)
        assert not any(task.done() for task in waiting)
        go.set()
        (tmp_path / "go").touch()
        return other, await asyncio.gather(*waiting)

    other, results = asyncio.run(main())
    assert other.verdict == "allow"
    assert [result.status for result in results] == [0] * 40


def test_a_fault_in_a_thread_of_its_own_is_that_of_the_caller():
    async def main():
        with pytest.raises(ZeroDivisionError):
            await in_own_thread(lambda: 1 / 0)
        return await in_own_thread(max, 1, 2)

    assert asyncio.run(main()) == 2


@pytest.fixture
def stuck(monkeypatch):
    """A gate, and a decision of it that waits in a thread for something that is slow."""
    slow, go = threading.Event(), threading.Event()
    decide = engine.decide_request

    def slowly(request, *arguments, **options):
        if request.command == "slow":
            slow.set()
            go.wait(20)
        return decide(request, *arguments, **options)

    monkeypatch.setattr(engine, "decide_request", slowly)
    gate = laconic.Gate()
    thread = threading.Thread(target=gate.decide, args=("slow",))
    thread.start()
    assert slow.wait(10)
    yield gate
    go.set()
    thread.join()


def test_a_decision_that_is_stuck_keeps_no_other_thread_waiting_for_long(stuck):
    started = time.monotonic()
    assert [stuck.decide(command).verdict for command in ("ls", "pwd")] == ["allow", "allow"]
    assert time.monotonic() - started < SLOW_S


def test_a_process_forked_during_a_decision_does_not_wait_for_it(stuck):
    """Its first decision comes as fast as its others: no turn is taken there."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        taken = not judge._turn.locked() and stuck.decide("ls").verdict
        os.write(writing, str(taken).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reading, 100) == b"allow"
    os.close(reading)
    os.close(writing)
