"""laconic in the agents' own sandboxes: Codex's, and sandbox-runtime, which is Claude Code's."""

from __future__ import annotations

import contextlib
import json
import os
import re
import statistics
from collections.abc import Iterator

import pytest

from e2e.sandboxes import PLAIN_USER, Sandbox, lacking, probe
from laconic.record.kept import name_of
from warm_server import wait_for

WRITABLE = ("workspace-write", "srt")
TOKEN = "ghp_" + "a1B2" * 9
RECALL = re.compile(r"laconic recall (\w{6})")
TESTS = """
import unittest
class Many(unittest.TestCase):
    pass
for n in range(150):
    setattr(Many, f"test_{n:03}", lambda self, n=n: self.assertNotEqual(n, 77))
unittest.main(verbosity=2)
"""
COMMANDS = {
    "git log": 0,
    "git log --stat -n 20": 0,
    "python3 many.py": 1,
    "find tree": 0,
    "grep -rn word tree": 0,
}
SAVED = 0.7


def users() -> list[object]:
    only_root = pytest.mark.skipif(os.geteuid() != 0, reason="this is a plain user already")
    return [pytest.param(False, id="ourselves"), pytest.param(True, id="plain", marks=only_root)]


def enter(kind: str, **more: bool) -> Iterator[Sandbox]:
    """Have a sandbox with a project in it, or say why there is none."""
    if why := lacking(kind):
        pytest.skip(why)
    sandbox = Sandbox(kind, **more)
    try:
        if why := probe(sandbox):
            pytest.skip(why)
        fill(sandbox)
        yield sandbox
    finally:
        sandbox.close()


def fill(sandbox: Sandbox) -> None:
    sandbox.write("project/many.py", TESTS)
    sandbox.write("project/sample.env", f"GITHUB_TOKEN={TOKEN}\n")
    for number in range(200):
        sandbox.write(f"project/tree/part{number % 9}/file{number}.txt", f"a word {number}\n" * 5)
    identity = "-c user.name=dev -c user.email=dev@example.com"
    lines = [f"git {identity} commit -q --allow-empty -m 'change {n}'" for n in range(60)]
    lines.append(f"git add -A && git {identity} commit -q -m all")
    if sandbox.is_plain:
        sandbox.outside("chmod", "-R", "u+w", ".")
    done = sandbox.outside("bash", "-c", "git init -q && " + " && ".join(lines))
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module", params=users())
def is_plain(request):
    return request.param


@pytest.fixture(scope="module", params=WRITABLE)
def sandbox(request, is_plain):
    yield from enter(request.param, is_plain=is_plain)


@pytest.fixture(scope="module")
def read_only(is_plain):
    yield from enter("read-only", is_plain=is_plain)


def files(directory):
    found = (path for path in directory.rglob("*") if path.is_file())
    return {str(path.relative_to(directory)) for path in found if "tally" not in path.name}


def own_files(sandbox):
    """All files but those that Codex itself makes."""
    return {name for name in files(sandbox.home) if not name.startswith(".codex/")}


def history(sandbox):
    said = sandbox.outside("laconic", "history", "-n", "1000", "--json").stdout
    return [json.loads(line) for line in said.splitlines()]


def test_five_outputs_are_short_and_come_back_whole(sandbox):
    before = files(sandbox.state)
    kept = {}
    for command, status in COMMANDS.items():
        raw = sandbox.outside("bash", "-c", f"{command} 2>&1").stdout
        done = sandbox.inside("laconic", "run", *command.split())
        assert done.returncode == status, (command, done)
        (raw_id,) = (set(RECALL.findall(done.stdout + done.stderr)),)
        kept[next(iter(raw_id))] = (command, raw)
    assert files(sandbox.state) == before
    for raw_id, (command, raw) in kept.items():
        again = sandbox.inside("laconic", "recall", raw_id, "--raw")
        assert len(again.stdout + again.stderr) == len(raw), command
    runs = [run for run in history(sandbox) if run["raw_id"] in kept]
    assert len(runs) == len(COMMANDS)
    assert all(run["sandboxed"] for run in runs)
    paid, full = (sum(run[name] for run in runs) for name in ("output_tokens", "input_tokens"))
    print(f"{sandbox.kind}: {full} -> {paid} tokens, {1 - paid / full:.1%} saved")
    assert paid < full * (1 - SAVED)
    for raw_id, (command, raw) in kept.items():
        for call in (sandbox.outside, sandbox.inside):
            again = call("laconic", "recall", raw_id, "--raw")
            assert len(again.stdout + again.stderr) == len(raw), command
    assert len([run for run in history(sandbox) if run["raw_id"] in kept]) == len(COMMANDS)


@pytest.mark.parametrize(
    ("line", "status"), [("true", 0), ("exit 1", 1), ("echo x; exit 7", 7), ("kill $$", 143)]
)
def test_the_status_is_that_of_the_command(sandbox, line, status):
    assert sandbox.inside("laconic", "run", "sh", "-c", line).returncode == status


def test_secrets_are_masked(sandbox):
    done = sandbox.inside("laconic", "run", "cat", "sample.env")
    assert TOKEN not in done.stdout + done.stderr
    assert "hidden: GitHub token" in done.stdout


def test_a_run_that_ends_the_sandbox_is_written_down(sandbox):
    before = len(history(sandbox))
    for _ in range(3):
        sandbox.inside("laconic", "run", "git", "log")
    assert len(history(sandbox)) == before + 3


def test_no_server_no_lock_and_no_log_is_left(sandbox):
    sandbox.outside("laconic", "server", "stop")
    before = files(sandbox.runtime), files(sandbox.state)
    sandbox.line("laconic run git log; laconic check ls; laconic run true; laconic-py run true")
    assert (files(sandbox.runtime), files(sandbox.state)) == before
    (place,) = sandbox.tmp.glob("laconic-kept-*")
    assert place.name == name_of(str(sandbox.state))
    names = {"raw", "spool", "runs.journal"}
    wait_for(lambda: {path.name for path in place.iterdir()} <= names)  # the server has ended


def test_a_box_and_an_undo_are_refused_in_words(sandbox):
    for flags in ("--box", "--undo", "--undo --raw"):
        done = sandbox.line(f"laconic run {flags} rm many.py")
        assert done.returncode == 125, flags
        assert "was not run" in done.stderr
    assert (sandbox.project / "many.py").exists()


def check_doctor(sandbox, follows):
    said = json.loads(sandbox.inside("laconic", "doctor", "--json").stdout)
    (found,) = (one["message"] for one in said["findings"] if one["check"] == "sandbox")
    name = "Claude Code" if sandbox.kind == "srt" else "Codex"
    assert found.startswith(f"this is the sandbox of {name}: ")
    assert follows in found


def test_the_doctor_says_in_which_sandbox_it_is_and_what_follows(sandbox):
    check_doctor(sandbox, f"outputs are kept in {sandbox.tmp}/laconic-kept-")


def test_the_doctor_says_where_nothing_can_be_kept(read_only):
    check_doctor(read_only, "nothing is kept")


def times_of(sandbox, *commands):
    """The middle of nine runs in milliseconds; what Python takes to start says how busy it is."""
    named = " ".join(f"'{command}'" for command in (*commands, "laconic-py --version"))
    loop = (
        f"for n in 1 2 3 4 5 6 7 8 9; do for c in {named}; do s=$(date +%s%N); "
        '$c | cat > /dev/null; echo "$(( ($(date +%s%N) - s) / 1000 )) $c"; done; done'
    )
    times: dict[str, list[int]] = {}
    for row in sandbox.line(loop).stdout.splitlines():
        taken, _, command = row.partition(" ")
        times.setdefault(command, []).append(int(taken))
    middle = {command: statistics.median(taken) / 1000 for command, taken in times.items()}
    print(f"{sandbox.kind}: {middle}")
    return middle


def test_short_commands_take_little_longer(sandbox):
    sandbox.outside("laconic", "server", "stop")
    middle = times_of(sandbox, "laconic run git log", "laconic run true")
    assert middle["laconic run git log"] < 4 * middle["laconic-py --version"]


# -- the process outside ---------------------------------------------------------------------------


@pytest.fixture
def answered(sandbox):
    """A sandbox in which the process outside answers."""
    sandbox.inside("laconic", "run", "true")  # so that there is a place
    ask_hook(sandbox, "git status")  # starts the server
    wait_for(lambda: list(sandbox.tmp.glob("laconic-kept-*/slot-*")))
    return sandbox


def test_who_asks_outside_gets_the_same_as_by_a_python_inside(answered):
    for line in (*COMMANDS, "cat sample.env", "sh -c 'echo x; exit 7'", "true"):
        asked = answered.line(f"laconic run {line}")
        alone = answered.line(f"LACONIC_NO_SERVER=1 laconic run {line}")
        texts = [RECALL.sub("ID", done.stdout + done.stderr) for done in (asked, alone)]
        texts = [re.sub(r"in \d[.]\d+s", "in 0s", text) for text in texts]
        assert texts[0] == texts[1], line
        assert asked.returncode == alone.returncode
        for raw_id in RECALL.findall(asked.stdout):
            raw = answered.inside("laconic", "recall", raw_id, "--raw").stdout
            assert answered.outside("laconic", "recall", raw_id, "--raw").stdout == raw
            assert raw


def test_who_asks_outside_is_fast(answered):
    middle = times_of(answered, "git log", "laconic run git log", "laconic run true")
    # 10 ms and 5 ms, where Python takes 40 to start
    assert middle["laconic run git log"] < middle["laconic-py --version"] / 2
    assert middle["laconic run true"] < middle["laconic run git log"]


def test_a_value_of_a_variable_is_not_sent_outside(answered):
    (place,) = answered.tmp.glob("laconic-kept-*")
    value = "vXk27-Qz81-Lm3"
    for setting in (f"A_SECRET={value}", f"B_TOKEN='\n  {value}  \n'"):
        done = answered.line(f"export {setting}; laconic run printf 'x {value} y\\n'")
        assert value not in done.stdout, setting
        assert "1 secret masked" in done.stdout
    assert not list(place.glob("spool/*"))


LIAR = """
import os, struct, sys
place, out = sys.argv[1:3]
(name,) = [n for n in os.listdir(place) if n.startswith("slot-")]
os.rename(f"{place}/{name}", f"{place}/old")
os.mkfifo(f"{place}/{name}", 0o600)
pipe = os.open(f"{place}/{name}", os.O_RDWR)
text = lambda b: struct.pack(">I", len(b)) + b
rest = text(out.encode() + b"\\n") + text(b"") + text(b"")
body = struct.pack(">III", 0, 0, 0) + rest
while True:
    data = os.read(pipe, 4096)
    try:
        to = os.open(f"{place}/spool/{data[16:22].decode()}.ask", os.O_WRONLY | os.O_NONBLOCK)
        os.write(to, b"lac1" + b"J" + struct.pack(">I", len(body)) + body)
        os.close(to)
    except OSError:
        pass  # it was too late
"""


def test_a_liar_in_the_sandbox_gives_a_text_and_no_status(answered):
    (place,) = answered.tmp.glob("laconic-kept-*")
    script = answered.write("project/liar.py", LIAR)
    (name,) = place.glob("slot-*")
    # Until he has been in time once: who asks waits a tenth of a second.
    ask = "said=$(laconic run sh -c 'echo x; exit 7'); echo $said $?; [ $said = lie ] && break"
    line = f"python3 {script} {place} lie & sleep 1; for n in $(seq 60); do {ask}; done; kill %1"
    try:
        said = answered.line(line).stdout.split()
        assert "lie" in said
        assert set(said[1::2]) == {"7"}
        outside = answered.outside("laconic", "run", "sh", "-c", "echo x; exit 7")
        assert (outside.stdout, outside.returncode) == ("x\n", 7)
    finally:
        (place / "old").unlink(missing_ok=True)
        name.unlink(missing_ok=True)


def test_whoever_is_silent_in_the_sandbox_delays_nothing_for_long(answered):
    (place,) = answered.tmp.glob("laconic-kept-*")
    (name,) = place.glob("slot-*")
    taken = "import os, sys, time; p = os.open(sys.argv[1], os.O_RDWR); time.sleep(9)"
    name.rename(place / "old")
    os.mkfifo(name, 0o600)
    if answered.is_plain:
        os.chown(name, PLAIN_USER, PLAIN_USER)
    try:
        line = f'python3 -c "{taken}" {name} & sleep 1; laconic run echo x; kill %1'
        assert answered.line(line).stdout == "x\n"
    finally:
        (place / "old").unlink()
        name.unlink()


def test_a_pipe_in_place_of_the_journal_is_not_waited_for(answered):
    (place,) = answered.tmp.glob("laconic-kept-*")
    (place / "runs.journal").unlink(missing_ok=True)
    os.mkfifo(place / "runs.journal", 0o600)
    if answered.is_plain:
        os.chown(place / "runs.journal", PLAIN_USER, PLAIN_USER)
    pipe = os.open(place / "runs.journal", os.O_RDWR | os.O_NONBLOCK)
    try:
        with contextlib.suppress(BlockingIOError):
            while os.write(pipe, b"x" * 4096):
                pass
        assert answered.line("laconic run echo x").stdout == "x\n"
    finally:
        (place / "runs.journal").unlink()
        os.close(pipe)


def test_without_any_place_only_secrets_are_hidden(read_only):
    before = own_files(read_only)
    raw = read_only.outside("git", "log").stdout
    done = read_only.inside("laconic", "run", "git", "log")
    assert (done.stdout, done.returncode) == (raw, 0)
    done = read_only.inside("laconic", "run", "cat", "sample.env")
    assert TOKEN not in done.stdout + done.stderr
    assert read_only.inside("laconic", "run", "sh", "-c", "exit 7").returncode == 7
    assert own_files(read_only) == before


# -- attacks ---------------------------------------------------------------------------------------

EVIL = """
import glob, json, os, socket, struct, sys
marker, config = sys.argv[1:3]
text = lambda b: struct.pack(">I", len(b)) + b
texts = lambda l: struct.pack(">I", len(l)) + b"".join(map(text, l))
version = os.popen("laconic-py --version").read().split()[-1].encode()
environ = [f"{k}={v}".encode() for k, v in os.environ.items()]
evil = environ + [b"LACONIC_CONFIG_DIR=" + config.encode()]
hook = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "permission_mode": "default",
        "cwd": "/",
        "tool_input": {"command": "git status"}}
def call(words, variables):
    return text(version) + text(os.getcwd().encode()) + texts(words) + texts(variables)
frames = [
    (b"q", call([b"run", b"--raw", b"touch", marker.encode()], environ) + text(b"")),
    (b"q", call([b"allow", b"--for", b"30m", b"touch x"], environ) + text(b"")),
    (b"q", call([b"config", b"set", b"settings.profile", b"work"], environ) + text(b"")),
    (b"h", call([b"hook", b"claude-code"], evil) + text(json.dumps(hook).encode())),
    (b"r", call([b"run", b"touch", marker.encode()], environ) + struct.pack(">I", 0) + texts([])),
    (b"i", call([], environ)),
]
for path in glob.glob(os.environ["XDG_RUNTIME_DIR"] + "/laconic/*.sock"):
    print("found")
    for kind, body in frames:
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(5)
        try:
            connection.connect(path)
            print("connected")
            connection.sendall(b"lac1" + kind + struct.pack(">I", len(body)) + body)
            print("answered", connection.recv(1))
        except OSError as error:
            print(type(error).__name__)
    try:
        os.unlink(path)
        print("unlinked")
    except OSError as error:
        print(type(error).__name__)
"""


@pytest.fixture(scope="module", params=WRITABLE)
def open_sandbox(request):
    yield from enter(request.param, is_open=True)


def ask_hook(sandbox, command):
    tool = {"tool_name": "Bash", "tool_input": {"command": command}, "permission_mode": "default"}
    call = {"hook_event_name": "PreToolUse", "cwd": str(sandbox.project), "session_id": "s", **tool}
    said = sandbox.outside("laconic", "hook", "claude-code", stdin=json.dumps(call)).stdout
    return json.loads(said)["hookSpecificOutput"] if said else {}


def test_who_is_inside_gets_no_answer_of_the_server(open_sandbox):
    box = open_sandbox
    marker = box.home / "marker"
    script = box.write("project/evil.py", EVIL)
    program = box.write("project/program", f"#!/bin/sh\ntouch {marker}\n")
    program.chmod(0o755)
    box.write(
        "project/evil/config.toml",
        f'[permissions]\nengine = "external"\n[permissions.external]\ncommand = "{program}"\n',
    )
    ask_hook(box, "git status")
    wait_for(lambda: list(box.runtime.glob("laconic/*.sock")))
    done = box.inside("python3", str(script), str(marker), str(box.project / "evil"))
    said = done.stdout.split("\n")
    assert "found" in said, done
    assert "connected" in said, done
    assert not [line for line in said if line.startswith("answered b'") and line != "answered b''"]
    assert "unlinked" not in said
    assert not marker.exists()
    assert not (box.state / "allowances.json").exists()
    assert ask_hook(box, "cat ~/.ssh/id_rsa")["permissionDecision"] == "ask"
