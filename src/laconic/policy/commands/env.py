"""env: runs a command in a changed environment.

Unsafe: the command; variables that change what it does; -S (splits a text into a command), -P
(another search path). Without a command it prints the environment.
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
    if operands and operands[0].text == "-":
        operands = operands[1:]
    settings = 0
    while settings < len(operands) and "=" in operands[settings].leading:
        settings += 1
    if settings == len(operands):
        return  # prints the environment
    program = operands[settings].text
    for setting in operands[:settings]:
        call.sets(setting, program)
    call.runs(operands[settings:])
