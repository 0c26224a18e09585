"""env: runs a command in a changed environment.

Unsafe: the command; variables that change what it does, or that are taken away; -S (splits a text
into a command), -P (another search path). Without PATH a shell uses the one that it was built with,
and bash's own default ends in the current directory. Without a command it prints the environment,
secrets among it.
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.environment import is_private
from laconic.types import Effect, Kind

_SHELL = pattern(r"sh[-.0-9]*$")  # bash, dash, zsh, bash-5.2
# Variables whose absence programs are used to.
_DISPENSABLE = frozenset(("HOME", "PATH", "SHLVL", "OLDPWD", "PWD"))


def judge(call: Call) -> None:
    for directory in call.parsed.values("-C", "--chdir"):
        call.situation.enter_directory(directory, call.judge.facts)
    operands = call.parsed.operands
    is_empty = call.parsed.has("-i", "--ignore-environment")
    if operands and operands[0].text == "-":
        operands = operands[1:]
        is_empty = True
    settings = 0
    while settings < len(operands) and "=" in operands[settings].leading:
        settings += 1
    if settings == len(operands):
        if not (is_empty or call.parsed.has("-S", "--split-string", "--help", "--version")):
            call.does(
                Effect.SECRETS,
                "list",
                "prints all variables, secrets among them",
                instead="printenv NAME",
            )
        return
    is_path_gone = is_empty
    for name in call.parsed.values("-u", "--unset"):
        is_path_gone = is_path_gone or name.text == "PATH"
        if name.text not in _DISPENSABLE and not is_private(name.text or "PATH", {}):
            call.does(
                Effect.UNCLEAR, "unset", "takes a variable away that may decide what runs", name
            )
    for setting in operands[:settings]:
        call.sets(setting, operands[settings:])
        is_path_gone = is_path_gone and not setting.leading.startswith("PATH=")
    if is_path_gone and any(map(_may_be_shell, operands[settings:])):
        call.does(
            Effect.UNCLEAR,
            Kind.PATH,
            "a shell without PATH may run programs of the current directory",
        )
    call.runs(operands[settings:])


def _may_be_shell(argument: Argument) -> bool:
    return argument.text is None or _SHELL.search(argument.text) is not None
