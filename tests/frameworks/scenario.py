"""What the scripted model of each framework asks for, and what must come of it."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import uuid4

import laconic

PAGES = Path(__file__).parents[2] / "docs/frameworks"
ALLOWED, REWRITTEN, DENIED, LONG = "echo hello", "find . -name '*.py'", "rm -rf /", "git log"
YES, NO = "./deploy.sh staging", "./deploy.sh production"
COMMANDS = (ALLOWED, REWRITTEN, DENIED, LONG, YES, NO)
FIRST, SECOND = "./deploy.sh first", "./deploy.sh second"
TOGETHER = (FIRST, SECOND, "rm -rf ~", "echo together")  # one turn, and a no for the second
TURNS = (*((command,) for command in COMMANDS), TOGETHER)
NOTE = "Your command was rewritten per rule python.find_versus_rg"
ABILITIES = ("allow", "rewrite", "deny", "ask", "compact", "remind")
NAMES = (Path(__file__).parents[1] / "cases/library/tool_names.txt").read_text().split()

# Programs that stand before the real ones: whatever leaks through a gate does no harm.
PROGRAMS = {
    "rm": "echo removed",
    "find": "echo found",
    "rg": "echo listed",
    "git": """for n in $(seq 12); do
printf 'commit %040d\\nAuthor: A Person <dev@example.com>\\n' "$n"
printf 'Date:   Mon Nov 2 10:00:00 2026 +0000\\n\\n    change %d\\n\\n' "$n"; done""",
}


class Scenario:
    """One conversation: the model gets the next commands for each text that it reads."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.asked: list[str] = []
        self.here, self.programs = Path.cwd(), Path.home() / "bin"
        self.tool, self.argument, self.turns = "run_command", "command", TURNS
        self.programs.mkdir()
        for name, code in {**PROGRAMS, "deploy.sh": 'echo "deployed $1"'}.items():
            path = (self.here if name == "deploy.sh" else self.programs) / name
            path.write_text(f'#!/bin/sh\necho "{name} $*" >> {self.here}/ran\n{code}\n')
            path.chmod(path.stat().st_mode | stat.S_IXUSR)
        os.environ["PATH"] = f"{self.programs}:{os.environ['PATH']}"

    def next_commands(self, text: str) -> tuple[str, ...]:
        """Take down what the model reads in this turn; return the commands it answers with."""
        self.seen.append(text)
        turn = len(self.seen) - 1
        return self.turns[turn] if turn < len(self.turns) else ()

    def next_calls(self, text: str) -> list[tuple[str, dict[str, str]]]:
        """The same as calls: an id, and the arguments."""
        commands = self.next_commands(text)
        return [(f"call-{uuid4()}", {self.argument: command}) for command in commands]

    def begin_again(self, gate: Any) -> None:
        """Forget what was seen, for a second conversation."""
        self.seen, self.asked = [], []
        (self.here / "ran").unlink(missing_ok=True)
        gate.audit_log.take()

    def ask_a_person(self, command: str, reason: str = "") -> bool:
        self.asked.append(f"{command} {reason}")
        return YES in command or FIRST in command

    def run_page(self, page: str, **names: Any) -> dict[str, Any]:
        """Run the example of a page of the documentation, which is given a model and a person."""
        text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
        code = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
        code = code.replace("run_command", self.tool)
        for there in ("{}: str", "run({}, shell", "    {}: "):
            code = code.replace(there.format("command"), there.format(self.argument))
        if self.argument != "command":  # a tool that a person confirms comes to no hook before
            code = code.replace("(requires_confirmation=True)", "")
        module = ModuleType(f"page_{page}")
        path = self.here / f"page_{page}.py"  # frameworks look for types and sources
        path.write_text(code, encoding="utf-8")
        sys.modules[module.__name__] = module
        vars(module).update(__file__=str(path), ask_a_person=self.ask_a_person, **names)
        exec(compile(code, path, "exec"), vars(module))
        return vars(module)

    def run_names(self, page: str, model: Callable[[], Any]) -> None:
        """Run the example with a tool of each usual name, then with one that has no command."""
        kept, self.turns = self.turns, (("rm -rf /",),)
        for self.tool in NAMES:
            self.seen = []
            (self.here / "ran").unlink(missing_ok=True)
            self.run_page(page, model=model())
            assert self.ran == [], f"{self.tool} has run {self.ran}"
            assert "cannot be undone" in self.seen[-1], (self.tool, self.seen)
        self.seen, self.tool, self.argument, self.turns = [], "look_up", "topic", (("echo x",),)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            error = _error_of(self.run_page, page, model=model())
        said = [str(each.message) for each in told]
        warned = sum("guards none of the tools" in text for text in said)
        # An adapter that is given each tool by itself refuses one.
        assert warned == 1 or "look_up has no" in error, (error, said)
        self.tool, self.argument, self.turns = "run_command", "command", kept

    def run_broken(self, page: str, **names: Any) -> None:
        """Run the example with a gate that raises: it comes to an end, and no command runs."""

        def fail(*_: Any, **__: Any) -> Any:
            raise RuntimeError("broken")

        async def afail(*_: Any, **__: Any) -> Any:
            raise RuntimeError("broken")

        self.seen, self.asked = [], []
        (self.here / "ran").unlink(missing_ok=True)
        verbs = {"hook": fail, "decide": fail, "ahook": afail, "adecide": afail}
        kept = {verb: getattr(laconic.Gate, verb) for verb in verbs}
        for verb, broken in verbs.items():
            setattr(laconic.Gate, verb, broken)
        with suppress(Exception):  # of most frameworks the run ends so
            self.run_page(page, **names)
        for verb, whole in kept.items():
            setattr(laconic.Gate, verb, whole)
        ran = [command for command in self.ran if not command.startswith("git ")]  # as some SDKs do
        assert ran == [], f"a gate that raises has let run {ran}"

    @property
    def ran(self) -> list[str]:
        """The programs that really ran."""
        path = self.here / "ran"
        return path.read_text().splitlines() if path.exists() else []

    def abilities(self) -> dict[str, str]:
        """What was seen of each ability: yes, no, or a word on how."""

        def seen(turn: int) -> str:
            return self.seen[turn] if turn < len(self.seen) else ""

        asked = [command in " ".join(self.asked) for command in (YES, NO)]
        answers = "deploy.sh staging" in self.ran and "deployed staging" in seen(5)
        refused = "deploy.sh production" not in self.ran and "deployed production" not in seen(6)
        found = {
            "allow": "hello" in seen(1).replace(ALLOWED, ""),
            "rewrite": "rg --files -t py" in self.ran and "listed" in seen(2),
            "deny": not any(c.startswith("rm") for c in self.ran) and "cannot be undone" in seen(3),
            "ask": all(asked) and answers and refused and len(self.seen) > len(COMMANDS),
            "compact": "change 12" in seen(4) and seen(4).count("dev@example.com") < 2,
            "remind": NOTE in seen(2),
        }
        words = {name: "yes" if value else "NO" for name, value in found.items()}
        if found["remind"] and NOTE in seen(3):
            words["remind"] = "kept"  # in the history, for longer than one turn
        return words

    def faults_of_the_last_turn(self, *, each: bool) -> list[str]:
        """What is wrong with several calls in one turn; each: a person answers one by one."""
        last = self.seen[len(TURNS)] if len(self.seen) > len(TURNS) else ""
        ran = [command for command in self.ran if command.startswith(("rm ", "deploy.sh second"))]
        faults = [f"ran {ran}"] if ran else []
        if not last:
            return [*faults, "the last turn got no answer"]
        if each and ("deployed first" not in last or "together" not in last):
            faults.append("what was allowed in the last turn did not run")
        return faults

    def report(
        self, gate: Any, asked: int = 2, *, together: bool = True, each: bool = True
    ) -> None:
        """Print what was seen, for the process that started us.

        asked: how often an answer comes to the gate; some frameworks keep a no to themselves.
        together, each: the model can make several calls in one turn, and each is answered for.
        """
        payloads = [(entry.kind, entry.payload) for entry in gate.audit_log.snapshot()]
        kinds = [
            kind
            for kind, told in payloads
            if told.get("original_command", told.get("command")) not in TOGETHER
        ]
        wanted = {"tool_rewrite": 1, "tool_denied": 1, "tool_asked": asked, "tool_result": 4}
        audit = {kind: kinds.count(kind) for kind in wanted}
        faults = [] if audit == wanted else [f"audit {audit}, not {wanted}"]
        words = self.abilities()
        faults += [f"{name} failed" for name, word in words.items() if word == "NO"]
        faults += self.faults_of_the_last_turn(each=each) if together else []
        if faults:
            print(f"ran {self.ran}\nasked {self.asked}", *self.seen[-1:], sep="\n", file=sys.stderr)
        print("RESULT " + json.dumps({"abilities": words, "faults": faults}))


def _error_of(function: Callable[..., Any], *given: Any, **more: Any) -> str:
    try:
        function(*given, **more)
    except laconic.RuleError as error:
        return str(error)
    return ""
