"""What `import laconic` gives a Python program: typed, isolated, safe in threads, documented."""

from __future__ import annotations

import asyncio
import doctest
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import pytest

import laconic
from laconic import engine
from laconic.cli import main as cli
from laconic.permissions import allowances
from laconic.settings.load import isolated_settings, process_environment
from machine import each_of

ROOT = Path(__file__).parent.parent
MANY = b"".join(b"copied file number %d to the archive\n" % n for n in range(2000))


pytestmark = pytest.mark.usefixtures("project")


def python(program, **variables):
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


# -- the documentation -----------------------------------------------------------------------------


def test_the_examples_of_the_documentation_are_true():
    """The blocks are one session, from the first to the last."""
    path = ROOT / "docs/library.md"
    blocks = re.findall(r"```python\n(.*?)```", path.read_text(), re.DOTALL)
    session = doctest.DocTestParser().get_doctest("".join(blocks), {}, "library.md", str(path), 0)
    assert len(session.examples) > 20
    report: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(session, out=report.append)
    assert result.failed == 0, "".join(report)


def test_every_name_is_documented():
    text = (ROOT / "docs/library.md").read_text()
    assert set(laconic.__all__) <= set(re.findall(r"`(\w+)[(`]", text))


# -- the names -------------------------------------------------------------------------------------


def test_the_names_are_listed_and_others_are_missing():
    assert set(dir(laconic)) == {*laconic.__all__, "__version__"}
    for name in laconic.__all__:
        found = [module for module, names in laconic._MODULES.items() if name in names]
        source = import_module(f"laconic.library.{found[0]}") if found else engine
        assert getattr(laconic, name) is getattr(source, name)
    with pytest.raises(AttributeError, match="no attribute 'decided'"):
        _ = laconic.decided


@pytest.mark.parametrize("name", ["compact", "rewrite", "run"])
@pytest.mark.parametrize("order", ["{module}; {verb}", "{verb}; {module}", "{verb}; {star}"])
def test_a_verb_is_not_the_package_of_its_name(name, order):
    """Whichever is imported first."""
    steps = order.format(
        module=f"import laconic.{name}, laconic.hooks.answer, laconic.run.execute",
        verb=f"from laconic import {name}",
        star="from laconic import *",
    )
    check = f"import laconic, types; assert type(laconic.{name}) is types.FunctionType"
    done = python(f"{steps}\n{check}\nfrom laconic.{name} import __path__")
    assert (done.returncode, done.stderr) == (0, "")


TYPED = """
from typing import Any, assert_type
import laconic
from laconic import Decision, LaconicError, Verdict
decision = laconic.decide("ls", cwd=".", settings=laconic.load_settings(environ={}), environ={})
assert_type(decision, Decision)
assert_type(decision.verdict, Verdict)
assert decision.verdict == "deny" or decision.verdict < "deny"
assert_type(laconic.explain("ls"), str)
assert_type(laconic.rewrite("ls").text, str)
assert_type(laconic.run(["ls"]), int)
compacted = laconic.compact(b"", command="ls", status=0)
assert_type(compacted.text if compacted else "", str)
assert_type(LaconicError("").hint, str)

def upper(command: str, context: laconic.Context) -> str:
    return command.upper()

rule = laconic.Rule(id="a", pattern="^x", rewrite=upper, severity="error", applies_to=("rust",))
other = laconic.Rule(id="b", pattern=laconic.When(program=("x",)), rewrite=laconic.Append("-s"))
registry = laconic.Registry.seed(["rust"]).register(laconic.Catalogue(id="c", rules=(rule, other)))
assert_type(registry.match("x"), list[laconic.Match])
gate = laconic.Gate(stacks=["rust"], registry=registry, ask=lambda envelope: True)
envelope = gate.decide("x")
assert_type(envelope, laconic.Envelope)
assert_type(envelope.verdict, Verdict)
assert_type(gate.record(envelope, call_id="1"), bool)
assert_type(gate.compact("x", "text"), str)
assert_type(gate.run("x").status, int)
async def twins() -> None:
    assert_type(await gate.adecide("x"), laconic.Envelope)
    assert_type(await gate.arun("x", timeout=5.0), laconic.Result)
    assert_type(await gate.acompact("x", b"bytes", 0), str)
call = gate.hook({"command": "x"}, tool="shell", call_id="1")
assert_type(call, laconic.ToolCall | None)

@gate.tool
def shell(command: str, timeout: int = 5) -> str:
    return command
assert_type(shell("x", timeout=3), str)

@gate.tool(key="line")
async def later(line: str) -> int:
    return 1
async def use() -> None:
    assert_type(await later("x"), int)
def inner(args: str) -> int:
    return 3
async def ainner(args: str) -> int:
    return 3
assert_type(laconic.preset_run_command(stacks=["rust"], inner=inner)("x"), int | laconic.Envelope)
assert_type(laconic.preset_run_command()({"command": "x"}), laconic.Envelope)
async def awaits() -> None:
    assert_type(await laconic.preset_run_command(inner=ainner)("x"), int | laconic.Envelope)
    if call is not None:
        assert_type(await call.afinish(b"x", 0), str)
assert_type(call.finish("x") if call else "", str)
assert_type(decision.to_dict(), dict[str, Any])
assert_type(gate.audit_log.take(), list[laconic.AuditEntry])
"""
WRONG = """# pyright: strict
import laconic
laconic.decide(b"ls")
laconic.compact(b"").text
laconic.run("ls", 1)
laconic.decided
laconic.Rule(pattern="x")
laconic.Gate(stack=["rust"])
laconic.Gate().run("x", limit=3)
laconic.preset_run_command(stack=["rust"])
laconic.decide("x").verdict == 2
laconic.Gate().decide("x").verdict == 1
laconic.Rule(id="a", pattern="x", severity="fatal")
laconic.Rule(id="a", pattern="x", action="refuse")
laconic.Gate(unguarded="ignore")
laconic.preset_run_command(inner=len)(7)
laconic.preset_run_command()("x").reslt
laconic.Gate().tool(3)
"""


CHECKERS = {
    "mypy": [sys.executable, "-m", "mypy", "--strict", "--no-error-summary"],
    "pyright": ["pyright", "--pythonpath", sys.executable],
}


@pytest.mark.parametrize("checker", ["mypy", *each_of("pyright")])
def test_a_type_checker_sees_the_signatures(checker, tmp_path):
    def errors(text):
        (tmp_path / "use.py").write_text(text)
        words = [*CHECKERS[checker], tmp_path / "use.py"]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
        return {int(line) for line in re.findall(r"use\.py:(\d+)\S* (?:- )?error", done.stdout)}

    assert errors(TYPED) == set()
    assert errors(WRONG) == set(range(3, WRONG.count("\n") + 1))


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: laconic.decide(5), "command"),
        (lambda: laconic.decide(["git", "status"]), "command"),
        (lambda: laconic.decide(b"ls"), "command"),
        (lambda: laconic.decide("ls", 5), "cwd"),
        (lambda: laconic.decide("ls", settings={}), "settings"),
        (lambda: laconic.explain(None), "command"),
        (lambda: laconic.rewrite(None), "command"),
        (lambda: laconic.compact("text"), "data"),
        (lambda: laconic.compact(b"", command=["ls"]), "command"),
        (lambda: laconic.run("ls"), "argv"),
        (lambda: laconic.run(["ls"], {}), "settings"),
    ],
)
def test_a_wrong_type_is_an_error_that_names_the_argument(call, name):
    with pytest.raises(laconic.LaconicError, match=f"`{name}` must be"):
        call()


# -- decisions as people see them ------------------------------------------------------------------


def test_a_decision_prints_as_a_person_reads_it():
    done = python('import laconic; print(laconic.decide("mkfs.ext4 /dev/sda1"))')
    assert done.stdout == "deny: changes or destroys the contents of a disk (mkfs)\n"


def test_a_printed_decision_cannot_command_the_terminal():
    decision = laconic.Decision(laconic.Verdict.ASK, "x", "a\x1b[2Jb\n", instead="c")
    assert str(decision) == "ask: a\ufffd[2Jb\ufffd (x); instead: c"


def test_a_directory_may_be_a_path_and_relative(project):
    (project / "inner").mkdir()
    (project / "inner/.yarnrc.yml").write_text("yarnPath: ./evil.cjs")
    for cwd in ("inner", Path("inner"), project / "inner"):
        assert laconic.decide("yarn --version", cwd).verdict is laconic.Verdict.ASK
    assert laconic.decide("yarn --version").verdict is laconic.Verdict.ALLOW


def test_a_current_directory_that_is_gone_is_an_error(project):
    project.joinpath(".git").rmdir()
    project.rmdir()
    with pytest.raises(laconic.LaconicError, match="the current directory is gone"):
        laconic.decide("ls")
    assert laconic.decide("ls", "/").verdict is laconic.Verdict.ALLOW


# -- isolation -------------------------------------------------------------------------------------


@pytest.fixture
def everything(home, project):
    """Whatever can have a say in a decision: each would change the answer to its command."""
    config = home / ".config/laconic"
    (config / "rules").mkdir(parents=True)
    (config / "filters").mkdir()
    (config / "config.toml").write_text('[commands]\ndeny = ["ls"]\n[skip]\nexclude = ["cargo"]\n')
    (config / "rules/zz.toml").write_text(
        '["zz"]\nabout = "x"\nverdict = "allow"\nanything = true\n'
    )
    filter_text = 'command = ["many"]\nkind = "summary"\ndrop = ["number [1-9]"]\n'
    (config / "filters/many.toml").write_text(filter_text)
    (project / ".laconic").mkdir()
    (project / ".laconic/config.toml").write_text('[commands]\ndeny = ["cat"]\n')
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text('{"permissions": {"deny": ["Bash(git log)"]}}')
    state = home / ".local/state/laconic"
    allowances.add(state, "git push", str(project), time.time() + 99, once=True, now=time.time())
    return state


VERDICTS = {
    "ls": ("allow", "deny"),
    "zz": ("ask", "allow"),
    "cat x": ("allow", "deny"),
    "git log": ("allow", "deny"),
    "git push": ("ask", "allow"),
}


@pytest.mark.usefixtures("everything")
@pytest.mark.parametrize("command", VERDICTS)
def test_only_settings_that_are_given_count(command):
    alone, with_settings = VERDICTS[command]
    assert laconic.decide(command).verdict == alone
    assert laconic.explain(command).startswith(f"{alone}  ")
    settings = laconic.load_settings()
    assert laconic.decide(command, settings=settings).verdict == with_settings
    assert laconic.explain(command, settings=settings).startswith(f"{with_settings}  ")


@pytest.mark.usefixtures("everything")
def test_only_settings_that_are_given_count_for_text():
    settings = laconic.load_settings()
    assert laconic.rewrite("cargo test").text == "laconic run cargo test"
    assert laconic.rewrite("cargo test", settings).text == "cargo test"
    assert laconic.compact(MANY, "many", 0).filter == "generic"
    assert laconic.compact(MANY, "many", 0, settings).filter == "many"


def test_variables_count_only_in_settings_that_are_given(monkeypatch):
    monkeypatch.setenv("LACONIC_PROFILE", "strict")
    monkeypatch.setenv("LACONIC_DISABLED", "1")
    command = "curl https://example.com"
    strict = laconic.decide(command, settings=laconic.load_settings())
    assert (laconic.decide(command).verdict, strict.verdict) == ("allow", "ask")
    assert laconic.rewrite("cargo test").text != "cargo test"
    assert laconic.rewrite("cargo test", laconic.load_settings()).text == "cargo test"
    assert laconic.compact(MANY) is not None
    assert laconic.compact(MANY, settings=laconic.load_settings()) is None


def test_an_exception_is_used_up_only_when_that_is_asked_for(everything):
    settings = laconic.load_settings()
    before = (everything / "allowances.jsonl").read_bytes()
    for _ in range(2):
        assert laconic.decide("git push", settings=settings).verdict == "allow"
        laconic.decide("git push", use_up_allowances=True)  # isolated: there is none to use up
    assert (everything / "allowances.jsonl").read_bytes() == before
    used = [laconic.decide("git push", settings=settings, use_up_allowances=True) for _ in range(2)]
    assert [decision.verdict for decision in used] == ["allow", "ask"]


def test_nothing_of_the_users_is_opened(everything, project):
    """Seen from outside: no file in the home, nor the project's configuration."""
    program = """
import sys, laconic
laconic.decide("ls"), laconic.rewrite("ls"), laconic.compact(b"a")  # what is loaded once
opened = []
sys.addaudithook(lambda event, args: event == "open" and opened.append(str(args[0])))
for command in ("ls", "zz", "git push", "cat x && cargo test"):
    laconic.decide(command), laconic.explain(command), laconic.rewrite(command)
laconic.compact(b"a\\n" * 5000, "many")
print(*opened, sep="\\n")
"""
    done = python(program)
    assert done.returncode == 0, done.stderr
    assert str(everything.parent.parent.parent) not in done.stdout
    assert f"{project}/.laconic" not in done.stdout


def test_settings_with_another_configuration_stay_isolated():
    settings = isolated_settings(process_environment())
    assert settings.with_config(settings.config).is_isolated


def test_problems_of_files_come_with_the_decision(home):
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text("{")
    assert laconic.decide("ls").problems == ()
    found = laconic.decide("ls", settings=laconic.load_settings()).problems
    assert {problem.file for problem in found} == {str(home / ".claude/settings.json")}


# -- the command line ------------------------------------------------------------------------------


@pytest.mark.usefixtures("everything")
@pytest.mark.parametrize("command", [*VERDICTS, "git status; rm -rf / # x", "if"])
def test_the_command_line_gives_the_same(command, capsys):
    settings = laconic.load_settings()
    decision = laconic.decide(command, settings=settings)
    cli.run(["explain", command])
    assert capsys.readouterr().out == laconic.explain(command, settings=settings) + "\n"
    cli.run(["rewrite", command])
    assert capsys.readouterr().out == laconic.rewrite(command, settings).text + "\n"
    cli.run(["check", "--json", command])
    said = json.loads(capsys.readouterr().out)
    assert (said["verdict"], said["rule"]) == (decision.verdict, decision.rule)


@pytest.mark.parametrize("verb", ["decide", "rewrite"])
def test_the_command_line_calls_the_library(verb, monkeypatch, capsys):
    called = []
    original = getattr(engine, verb)
    monkeypatch.setattr(engine, verb, lambda *a, **k: called.append(a[0]) or original(*a, **k))
    words = ["check", "explain"] if verb == "decide" else ["rewrite"]
    for word in words:
        cli.run([word, "git status"])
    assert called == ["git status"] * len(words)
    assert capsys.readouterr().err == ""


# -- run -------------------------------------------------------------------------------------------


def test_run_gives_the_exit_status_and_leaves_the_process_alone(capfd):
    before = [signal.getsignal(number) for number in signal.valid_signals()], Path.cwd()
    assert laconic.run(["sh", "-c", "echo out; echo err >&2; exit 7"]) == 7
    assert capfd.readouterr() == ("out\n", "err\n")
    assert laconic.run(["sh", "-c", "kill -KILL $$"]) == 137
    assert laconic.run(["no-such-program"]) == 127
    assert ([signal.getsignal(number) for number in signal.valid_signals()], Path.cwd()) == before


def test_run_hides_what_can_be_recalled(project, capsys):
    (project / "many").write_bytes(MANY)
    done = python("import laconic; laconic.run(['sh', '-c', 'cat many'])")
    (raw_id,) = re.findall(r"lines hidden.*: .* recall (\w+)\]", done.stdout)
    cli.run(["recall", raw_id])
    assert capsys.readouterr().out == MANY.decode()


def test_run_hands_on_no_descriptor_of_ours(capfd):
    assert laconic.run(["sh", "-c", "ls /proc/self/fd 2>/dev/null || echo 0 1 2 3"]) == 0
    assert len(capfd.readouterr().out.split()) == 4  # one is the directory itself


def test_run_follows_the_settings_that_are_given(home, project):
    filters = home / ".config/laconic/filters"
    filters.mkdir(parents=True)
    (filters / "seq.toml").write_text('command = ["seq"]\nkind = "summary"\ndrop = ["^[^5]*$"]\n')
    (project / ".laconic").mkdir()
    (project / ".laconic/config.toml").write_text('[commands]\ndeny = ["cat"]\n')
    program = (
        "import laconic; s = laconic.load_settings(); s.values; laconic.run(['seq', '60'], {})"
    )
    alone, with_settings = (python(program.format(given)).stdout for given in ("None", "s"))
    assert alone.splitlines() == [str(n) for n in range(1, 61)]
    assert with_settings.splitlines()[0] == "5"


def test_run_takes_words():
    with pytest.raises(laconic.LaconicError):
        laconic.run("ls -l")
    with pytest.raises(laconic.LaconicError):
        laconic.run([])


def test_run_loads_no_file_of_the_current_directory(project):
    (project / "pickle.py").write_text("raise SystemExit(9)")
    assert laconic.run(["true"]) == 0


# -- threads ---------------------------------------------------------------------------------------

COMMANDS = [
    "git status",
    "git push",
    "rm -rf /",
    "cd /tmp && ls",
    "x=1; echo $x | head -3",
    "npm run build",
    "find . -name '*.py' -exec grep x {} +",
    "if",
    "for f in *; do cat $f; done",
    "cargo test | tail -5",
]


def answers(command):
    decision = laconic.decide(command)
    leaves = tuple(map(repr, decision.leaves()))
    compacted = laconic.compact(MANY + command.encode(), command, 1)
    texts = laconic.explain(command), laconic.rewrite(command).text, str(compacted)
    return (repr(decision), leaves, *texts)


def test_eight_threads_get_the_answers_of_one():
    alone = [answers(command) for command in COMMANDS]
    start = threading.Barrier(8)

    def work(number):
        start.wait()
        mine = COMMANDS[number:] + COMMANDS[:number]
        return dict(zip(mine, map(answers, mine), strict=True))

    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(work, range(8)):
            assert [found[command] for command in COMMANDS] == alone


def test_the_first_use_may_be_in_eight_threads_at_once(home):
    program = """
import threading, laconic
found, start = [], threading.Barrier(8)
def work():
    start.wait()
    found.append((str(laconic.decide("rm -rf /")), laconic.rewrite("cargo test").text))
threads = [threading.Thread(target=work) for _ in range(8)]
for t in threads: t.start()
for t in threads: t.join()
print(len(found), len(set(found)))
"""
    done = python(program, LACONIC_CACHE_DIR=str(home / "cache"))
    assert (done.stdout, done.stderr) == ("8 1\n", "")


@pytest.mark.usefixtures("everything")
def test_settings_may_be_shared_by_threads():
    settings = laconic.load_settings()

    def verdict(command):
        return laconic.decide(command, settings=settings).verdict

    with ThreadPoolExecutor(8) as pool:
        words = list(pool.map(verdict, [*VERDICTS] * 20))
    assert words == [after for _, after in VERDICTS.values()] * 20


@pytest.mark.usefixtures("everything")
def test_one_exception_is_used_up_by_one_of_eight_threads():
    settings = laconic.load_settings()

    def use(_):
        found = laconic.decide("git push", settings=settings, use_up_allowances=True)
        return found.verdict

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(use, range(8))) == ["allow"] + ["ask"] * 7


def test_an_event_loop_may_call_it(capfd):
    async def main():
        statuses = await asyncio.gather(
            *(asyncio.to_thread(laconic.run, ["sh", "-c", f"exit {n}"]) for n in range(4))
        )
        return statuses, laconic.decide("rm -rf /").verdict, laconic.compact(MANY) is not None

    assert asyncio.run(main()) == ([0, 1, 2, 3], "deny", True)
    assert capfd.readouterr().err == ""


def test_compacting_leaves_the_alarm_alone(monkeypatch):
    monkeypatch.setattr(signal, "setitimer", None)
    monkeypatch.setattr(signal, "signal", None)
    assert laconic.compact(MANY, "./backup.sh", 0) is not None
