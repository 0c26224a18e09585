"""Decisions on their way to a real collector and a real Prometheus: `make fleet`."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.parse
import urllib.request
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import pytest

from laconic.cli import main as cli
from laconic.engine import decide, isolated_settings
from laconic.record import decisions
from laconic.record.runs import record_run
from otlp_receiver import PATIENCE_S, Receiver
from records import a_run

COLLECTOR = os.environ["LACONIC_TEST_COLLECTOR"]  # set by fleet/__main__.py
PROMETHEUS = os.environ["LACONIC_TEST_PROMETHEUS"]
SHIPPED = Path(__file__).parents[2] / "packages/collector/laconic.yaml"
COMMANDS = ("git status", "git push", "ls", "rm -rf /", "curl -u me:hunter2 h", "./plantedtool x")
PLANTED = "hunter2", "plantedtool", "/home/me", "publishes"
TO_PROMETHEUS = """
receivers: { otlp: { protocols: { http: { endpoint: "127.0.0.1:@port@" } } } }
exporters:
  prometheusremotewrite: { endpoint: "http://127.0.0.1:@prometheus@/api/v1/write" }
service:
  telemetry: { metrics: { level: none } }
  pipelines: { metrics: { receivers: [otlp], exporters: [prometheusremotewrite] } }
"""


@pytest.fixture
def state_dir(home):
    return str(home / ".local/state/laconic")


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@contextmanager
def running(words, log, environ=None):
    """Run a program until the end of this; it is stopped as a service would be."""
    with log.open("ab") as stream:
        process = subprocess.Popen(
            list(map(str, words)),
            stdout=stream,
            stderr=stream,
            env={**os.environ, **(environ or {})},
        )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_S)


def wait_for_port(process, port, log):
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text()[-2000:]
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.fail(log.read_text()[-2000:])


class Writer:
    """Writes decisions as a hook does; its numbers are those of what was written."""

    def __init__(self, state_dir):
        settings = isolated_settings({"HOME": "/home/me"})
        self.state_dir, self.count = state_dir, 0
        self.decided = [
            (command, decide(command, "/home/me/shop", settings, environ={"HOME": "/home/me"}))
            for command in COMMANDS
        ]

    def write(self, count):
        for _ in range(count):
            command, decision = self.decided[self.count % len(self.decided)]
            self.count += 1
            about = {"outcome": str(decision.verdict), "session": "5b0e", "call": f"c{self.count}"}
            assert decisions.append(
                self.state_dir,
                decision,
                command=command,
                cwd="/home/me/shop",
                agent="claude-code",
                now=time.time(),
                about=about,
            )

    @property
    def ids(self):
        return {row["id"] for row in decisions.read(self.state_dir) if "id" in row}

    @property
    def verdicts(self):
        return Counter(row["verdict"] for row in decisions.read(self.state_dir))


def test_the_collector_follows_the_log(state_dir, tmp_path, monkeypatch):
    """The receiver goes away, the log is rotated, the collector is stopped and started again."""
    monkeypatch.setattr(decisions, "ROTATE_BYTES", 900_000)
    writer, log = Writer(state_dir), tmp_path / "collector.log"
    writer.write(2000)
    with Path(decisions.log_path(state_dir)).open("ab") as stream:
        stream.write(b"no line of ours, hunter2\n")
        stream.write(b'{"time": "2026-11-15T09:00:00.000+00:00", "command": "hunter2"}\n')
        stream.write(b'{"verdict": "ask", "command": "hunter2"}\n')
    decisions.append(
        state_dir, writer.decided[0][1], command="x", cwd="/", agent="cli", now=time.time()
    )
    before, ours = list(decisions.read(state_dir)), writer.ids
    with Receiver() as receiver:
        environ = {
            "DECISIONS_LOG": decisions.log_path(state_dir),
            "COLLECTOR_STORAGE": str(tmp_path / "storage"),
            "OTLP_ENDPOINT": receiver.url,
        }
        options = ["--set=exporters::otlphttp/laconic::encoding=json"]  # that the test can read it
        options += ["--set=service::telemetry::metrics::level=none"]
        words = [COLLECTOR, f"--config={SHIPPED}", *options]
        with running(words, log, environ):
            receiver.wait_for(lambda: len(receiver.ids) >= 2000)
            receiver.stop()
            writer.write(3000)
        writer.write(2000)
        files = [path for path in decisions.files(state_dir) if Path(path).exists()]
        with running(words, log, environ):
            receiver.start()
            receiver.wait_for(lambda: len(set(receiver.ids)) >= 7000)
        own = {row["id"] for row in before if row.get("agent") == "cli"}
        sent = receiver.ids
        assert set(sent) == (ours | writer.ids) - own
        first = next(r for r in receiver.records if r["laconic.verdict"] == "ask")
        assert first.keys() == {
            "body", "event.name", "gen_ai.agent.name", "gen_ai.tool.call.id",
            "laconic.decision.id", "laconic.effects", "laconic.outcome", "laconic.verdict",
            "laconic.version", "session.id",
        }  # fmt: skip
        assert [word for word in PLANTED if word in receiver.text] == []
        print(
            f"\nlog -> collector -> receiver: written {writer.count}, in {len(files)} files, "
            f"distinct ids {len(set(sent))}, arrived {len(sent)}"
        )


def test_sums_reach_prometheus(state_dir, home, tmp_path, capfd):
    """The collector is away once, and once its answer is lost, so that the same is sent again."""
    writer = Writer(state_dir)
    port, prometheus_port = free_port(), free_port()
    recipe = tmp_path / "collector.yaml"
    text = TO_PROMETHEUS.replace("@port@", str(port))
    recipe.write_text(text.replace("@prometheus@", str(prometheus_port)))
    (tmp_path / "prometheus.yml").write_text("global: {}\n")
    logs = tmp_path / "prometheus.log", tmp_path / "collector.log"
    store = [
        PROMETHEUS, f"--config.file={tmp_path}/prometheus.yml",
        f"--storage.tsdb.path={tmp_path}/data", "--web.enable-remote-write-receiver",
        f"--web.listen-address=127.0.0.1:{prometheus_port}",
    ]  # fmt: skip
    url = f"http://127.0.0.1:{port}"

    def export():
        capfd.readouterr()
        status = cli.run(["export", "--endpoint", url])
        return status, capfd.readouterr().err

    with running(store, logs[0]) as prometheus:
        wait_for_port(prometheus, prometheus_port, logs[0])
        with running([COLLECTOR, f"--config={recipe}"], logs[1]) as collector:
            wait_for_port(collector, port, logs[1])
            writer.write(1000)
            record_run(state_dir, a_run("pytest", raw_tokens=900, shown_tokens=90), time.time())
            assert export() == (0, "")
        writer.write(2000)
        status, err = export()
        assert status == 1
        assert "nothing is lost" in err
        with running([COLLECTOR, f"--config={recipe}"], logs[1]) as collector:
            wait_for_port(collector, port, logs[1])
            (cursor,) = (home / ".local/state/laconic/export").glob("*.json")
            before = cursor.read_bytes()
            assert export() == (0, "")
            cursor.write_bytes(before)
            writer.write(1500)
            assert export() == (0, "")
            expected = dict(writer.verdicts)
            query = "sum by (laconic_verdict) (laconic_decisions_total)"
            found = asked_until(prometheus_port, query, "laconic_verdict", expected)
            assert found == expected
            tokens = "sum by (laconic_token_kind) (laconic_tokens_total)"
            saved = asked(prometheus_port, tokens, "laconic_token_kind")
            assert saved.keys() == {"input", "output"}
            assert saved["input"] > saved["output"] > 0
            names = json.loads(
                get(prometheus_port, "/api/v1/series?match[]={__name__=~'laconic_.*'}")
            )
            assert [word for word in PLANTED if word in json.dumps(names)] == []
    with capfd.disabled():
        print(
            f"\nlaconic export -> collector -> Prometheus: written {writer.count}, "
            f"found {sum(found.values()):.0f}: {found}; {len(names['data'])} series"
        )


def get(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=PATIENCE_S) as answer:
        return answer.read()


def asked(port, query, label):
    path = "/api/v1/query?" + urllib.parse.urlencode({"query": query})
    rows = json.loads(get(port, path))["data"]["result"]
    return {row["metric"][label]: int(row["value"][1]) for row in rows}


def asked_until(port, query, label, expected):
    """Ask until that is the answer, or for too long: the collector passes on what it has taken."""
    deadline = time.monotonic() + PATIENCE_S
    while (found := asked(port, query, label)) != expected and time.monotonic() < deadline:
        time.sleep(0.2)
    return found
