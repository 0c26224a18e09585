"""cp, mv, ln and install: what is read, what is replaced, and what goes away.

Unsafe: the target, and what arrives in it under its own name; secrets that are copied; for mv the
place that a file leaves; for ln the file itself, which is written through the link later on. The
last operand is the target unless -t names one.
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.policy.call import Call

_TARGET = ("-t", "--target-directory")


def judge(call: Call) -> None:
    parsed, program = call.parsed, call.path[0]
    if parsed is None:
        return
    operands = parsed.operands
    if program == "install" and parsed.has("-d", "--directory"):
        for operand in operands:
            call.makes(operand)
        return
    targets = parsed.values(*_TARGET)
    sources = operands if targets else operands[:-1] or operands
    for target in targets or operands[len(sources) :]:
        call.writes(target)
        for source in sources:
            call.writes(_inside(target, source))
    if program == "cp" and parsed.has("-r", "-R", "-a", "--recursive", "--archive"):
        call.reads_trees(sources)
    for source in sources:
        call.reads(source)
        if program == "mv":
            call.deletes(source, verb="moves")
        elif program not in ("cp", "install") and not call.is_own(source):
            call.writes(source)


def _inside(target: Argument, source: Argument) -> Argument:
    """The file or directory that the source becomes, if the target is a directory."""
    name = (source.text or "*").rstrip("/").rpartition("/")[2]
    if target.text is None or name in ("", ".", "..", "*"):
        return target
    path = f"{target.text.rstrip('/')}/{name}" if target.text != "/" else f"/{name}"
    return Argument(path, target.start, target.end, glob=target.glob or source.glob)
