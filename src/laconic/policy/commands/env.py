"""env: runs a command in a changed environment.

Unsafe: the command; variables that change what it does; -S (splits a text into a command), -P
(another search path). Without a command it prints the environment, secrets among it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.policy.call import Call


def judge(call: Call) -> None:
    if call.parsed is None:
        return
    for directory in call.parsed.values("-C", "--chdir"):
        call.judge.enter_directory(directory)
    operands = call.parsed.operands
    is_empty = call.parsed.has("-i", "--ignore-environment") or any(
        o.text == "-" for o in operands[:1]
    )
    if operands and operands[0].text == "-":
        operands = operands[1:]
    settings = 0
    while settings < len(operands) and "=" in operands[settings].leading:
        settings += 1
    if settings == len(operands):
        if not (is_empty or call.parsed.has("--help", "--version")):
            call.ask("list", "prints all variables, secrets among them", instead="printenv NAME")
        return
    program = operands[settings].text
    for setting in operands[:settings]:
        call.sets(setting, program)
    call.runs(operands[settings:])
