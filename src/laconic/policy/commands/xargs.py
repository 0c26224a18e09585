"""xargs: runs a command with words of its input at its end, or in place of a mark.

Unsafe: the command; the words themselves, which may be options of the command; the mark inside
shell code; -o and -p (take over the terminal); --process-slot-var with a name that programs heed.
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument
from laconic.policy.environment import is_private
from laconic.types import Effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.knowledge.options import Parsed
    from laconic.policy.call import Call

MARKS = ("-I", "-i", "-J", "--replace")
_COUNTS = ("-n", "-L", "-l", "--max-args", "--max-lines")  # in some versions they undo a mark


def judge(call: Call) -> None:
    parsed = call.parsed
    if parsed is None:
        return
    for name in parsed.values("--process-slot-var"):
        if name.text is None or not is_private(name.text, {}):
            call.does(Effect.UNCLEAR, "variable", "sets a variable that programs may heed", name)
    if not parsed.operands:
        call.does(Effect.UNCLEAR, "command", "names no command")
        return
    mark = _mark(parsed)
    command = parsed.operands if mark is None else [_filled(p, mark) for p in parsed.operands]
    if mark is None or parsed.has(*_COUNTS):
        start, end = call.span
        command = [*command, Argument(None, start, end, leading="", splits=True)]
    call.runs(command)


def _mark(parsed: Parsed) -> str | None:
    """What the input replaces; an empty mark is one that is not known."""
    mark = None
    for option in parsed.options:
        if option.name in MARKS:
            mark = "{}" if option.value is None else option.value.text or ""
    return mark


def _filled(part: Argument, mark: str) -> Argument:
    if part.text is not None and (mark and mark not in part.text):
        return part
    front = (part.text or "").partition(mark)[0] if mark else ""
    return Argument(None, part.start, part.end, leading=front)
