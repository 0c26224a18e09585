"""Variables that bash and zsh treat specially: nothing that is allowed makes them run something.

Every way to set or to unset a variable is tried on every name that the shells themselves list.
What the gate allows is run in a directory with a program `ls`, and with values that run code where
they are evaluated.
"""

from __future__ import annotations

import os
import subprocess
from functools import cache
from typing import TYPE_CHECKING

import pytest

from laconic.knowledge.catalog import library
from laconic.policy.rules import Rules
from laconic.reading.decide import decide
from laconic.reading.environment import is_private
from laconic.reading.places import Facts
from laconic.types import Verdict
from machine import each_of

if TYPE_CHECKING:
    from pathlib import Path

SHELLS = each_of("bash", "zsh")
_CODE = "path[$(touch pwned)1]"
_FORMS = [
    "{n}='{c}'", "{n}='{c}' true", "{n}+='{c}'", "read {n} < value", "IFS= read -r a {n} < value",
    "read -r -A {n} < value", "read -ra {n} < value", "mapfile -t {n} < value",
    "for {n} in '{c}'; do :; done", "export {n}='{c}'", "export -p {n}='{c}'",
    "declare {n}='{c}'", "declare -F {n}='{c}'", "declare -p {n}='{c}'", "readonly {n}='{c}'",
    "readonly -p {n}='{c}'", "typeset -g {n}='{c}'", "f() {{ local {n}='{c}'; :; }}; f",
    ": ${{{n}:='{c}'}}", ": ${{{n}='{c}'}}", ": ${{{n}::='{c}'}}", "(({n}=1))", ": $(({n}++))",
    "printf -v {n} %s '{c}'", "getopts a: {n} -a '{c}'", "exec {{{n}}}< value", "{n}=('{c}')",
    "{n}=(a '{c}')", "{n}[1]='{c}'", "unset {n}", "unset -v {n}", "unset '{n}[0]'", "unset -f {n}",
    "{n}=.", "{n}=", "export {n}=.", "export -n {n}", "env -u {n} true",
    "select {n} in '{c}'; do break; done", "wait -p {n}", "coproc {n} {{ :; }}",
    "declare -n r={n}; r='{c}'", "declare -i {n}; {n}='{c}'",
]  # fmt: skip
# Names that the manuals list and that are not there until something sets them.
_UNLISTED = """
    BASH_ENV BASH_COMPAT BASH_XTRACEFD BASH_MONOSECONDS CHILD_MAX COPROC EMACS ENV ERRNO EXECIGNORE
    FCEDIT FUNCNEST GLOBIGNORE GLOBSORT HISTCONTROL HISTFILE HISTTIMEFORMAT IGNOREEOF INPUTRC
    MAILCHECK MAPFILE MATCH MBEGIN MEND OPTARG PERIOD POSIXLY_CORRECT PROMPT_COMMAND REPLY
    REPORTTIME SELECTMAX STTY TEXTDOMAIN TIMEFORMAT TMOUT ZDOTDIR ZLE_RPROMPT_INDENT auto_resume
    chpwd_functions zshexit_functions x n count status
""".split()


@cache
def names(shell: str) -> list[str]:
    asked = {"bash": "compgen -v", "zsh": "print -rl -- ${(k)parameters}"}[shell]
    flags = {"bash": ["--norc"], "zsh": ["-f"]}[shell]
    done = subprocess.run(
        [shell, *flags, "-c", asked],
        capture_output=True, text=True, check=True, env={"PATH": os.environ["PATH"]},
    )  # fmt: skip
    return sorted({name for name in done.stdout.split() if name.isidentifier()}.union(_UNLISTED))


@pytest.mark.parametrize("shell", SHELLS)
def test_what_may_be_set_or_unset_runs_nothing(shell: str, tmp_path: Path) -> None:
    (tmp_path / "value").write_text(f"{_CODE}\n")
    (tmp_path / "ls").write_text("#!/bin/sh\n/usr/bin/touch pwned\n")
    (tmp_path / "ls").chmod(0o755)
    facts, rules = Facts(cwd=str(tmp_path)), Rules()
    allowed = [
        text
        for name in names(shell)
        for form in _FORMS
        for text in [f"{form.format(n=name, c=_CODE)}; ls"]
        if decide(text, library(), rules, facts).verdict is Verdict.ALLOW
    ]
    assert len(allowed) > 100
    # All of them in subshells of one shell; the name of the first that leaves a mark is told.
    script = "\n".join(
        f"( eval {_quoted(text)} ) >/dev/null 2>&1 </dev/null; "
        f"[ -e pwned ] && {{ echo {_quoted(text)}; /bin/rm -f pwned; }}"
        for text in allowed
    )
    (tmp_path / "script").write_text(f"{script}\ntrue\n")
    done = subprocess.run(
        [shell, *({"bash": ["--norc"], "zsh": ["-f"]}[shell]), "script"],
        cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
    )  # fmt: skip
    assert done.stdout == ""


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def test_code_in_a_value_is_seen_to_run(tmp_path: Path) -> None:
    """The texts do harm where nothing holds them: the test above could fail."""
    for text in (f"RANDOM='{_CODE}'", "unset PATH; ls"):
        (tmp_path / "ls").write_text("#!/bin/sh\n/usr/bin/touch pwned\n")
        (tmp_path / "ls").chmod(0o755)
        subprocess.run(["bash", "-c", text], cwd=tmp_path, check=False, capture_output=True)
        assert (tmp_path / "pwned").exists()
        (tmp_path / "pwned").unlink()


def test_ordinary_variables_are_free() -> None:
    for (
        name
    ) in "x n files count DB OUT HOST PORT TMP TIMEOUT URL VERSION PROMPT status match".split():
        assert is_private(name, {}), name
        assert not is_private(name, {name: "exported"}), name
