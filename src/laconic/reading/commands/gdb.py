"""gdb: commands that it is told on its command line.

Unsafe: whatever does more than run the program, stop it and show what is in it: `shell`, `!`,
`pipe`, `source`, `python`, `attach`, `target`, `dump`, and expressions with a call in them.
https://sourceware.org/gdb/current/onlinedocs/gdb.html/Command-and-Variable-Index.html
"""

from __future__ import annotations

from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.commands.told import judge as judge_told
from laconic.types import Effect

_COMMANDS = ("-ex", "-iex", "-eval-command")
_LOOKS = pattern(
    r"(?:r|run|start|c|continue|n|next|s|step|si|ni|stepi|nexti|fin|finish|q|quit|k|kill|up"
    r"|down)(?: \d+)?"
    r"|(?:bt|backtrace|where)(?: full)?(?: -?\d+)?|thread apply all (?:bt|backtrace)(?: full)?"
    r"|(?:f|frame|thread) \d+|(?:i|info) [a-z -]+\d*|(?:b|break|tb|tbreak|l|list)(?: [\w.:/+-]+)?"
    r"|(?:p|print|x|display|ptype|whatis)(?:/\w+)? [\w .$&*>\[\]:+-]+"
    r"|disas(?:semble)?(?: [\w:]+)?"
    r"|set (?:pagination|confirm|width|height|print [a-z-]+|disassembly-flavor"
    r"|breakpoint pending) (?:on|off|\d+|intel|att)"
)


def judge(call: Call) -> None:
    judge_told(call)
    parsed = call.parsed
    for command in parsed.values(*_COMMANDS):
        call.does(Effect.PROJECT_CODE, "runs", "runs or controls programs", command)
        if command.text is None or not _LOOKS.fullmatch(command.text):
            call.does(Effect.UNCLEAR, "ex", "does what its arguments say", command)
