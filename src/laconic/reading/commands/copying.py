"""cp, mv, ln and install: what is read, what is replaced, and what goes away.

Unsafe: the target, and what arrives in it under its own name; secrets that are copied; for mv the
place that a file leaves; for ln the file itself, which is written through the link later on. The
last operand is the target unless -t names one. A link that is made, moved or copied leads what
follows elsewhere; its text counts from where it lies.
"""

from __future__ import annotations

import posixpath

from laconic.knowledge.arguments import Argument
from laconic.reading.call import Call
from laconic.reading.links import note_copies, note_links

_TARGET = ("-t", "--target-directory")
_KEEPS_LINKS = (
    "-r", "-R", "-a", "-d", "-P", "--recursive", "--archive", "--no-dereference", "--preserve"
)  # fmt: skip


def judge(call: Call) -> None:
    parsed, program = call.parsed, call.path[0]
    operands = parsed.operands
    if program == "install" and parsed.has("-d", "--directory"):
        for operand in operands:
            call.makes(operand)
        return
    targets = parsed.values(*_TARGET)
    sources = operands if targets else operands[:-1] or operands
    is_link = parsed.has("-s", "--symbolic", "--symbolic-link")
    is_resolved = parsed.has("-r", "--relative")  # the text is made of the path of the source
    places = targets or operands[len(sources) :]
    for target in places:
        call.writes(target)
        for source in sources:
            call.writes(_inside(target, source))
    if program == "cp" and parsed.has("-r", "-R", "-a", "--recursive", "--archive"):
        call.reads_trees(sources)
    for source in sources:
        call.reads(source)
        made = [one for target in places for one in (target, _inside(target, source))]
        made = made or [_inside(Argument(".", source.start, source.end), source)]
        if program == "mv":
            call.deletes(source, verb="moves")
        elif program not in ("cp", "install"):
            for led in _led_to(source, made) if is_link and not is_resolved else [source]:
                if not call.is_own(led):
                    call.writes(led, verb="makes a link that leads to")
        if is_link and program in ("cp", "ln"):
            note_links(call, made, source, is_relative=not is_resolved)
        elif program == "mv" or (program == "cp" and parsed.has(*_KEEPS_LINKS)):
            note_copies(call, made, source)


def _led_to(source: Argument, made: list[Argument]) -> list[Argument]:
    """What a link leads to, which counts from the directory that it is in."""
    if source.text is None or any(link.text is None for link in made):
        return [source]
    paths = (posixpath.join(posixpath.dirname(link.text or ""), source.text) for link in made)
    return [Argument(path, source.start, source.end, glob=source.glob) for path in paths]


def _inside(target: Argument, source: Argument) -> Argument:
    """The file or directory that the source becomes, if the target is a directory."""
    name = (source.text or "*").rstrip("/").rpartition("/")[2]
    if target.text is None or name in ("", ".", "..", "*"):
        return target
    path = f"{target.text.rstrip('/')}/{name}" if target.text != "/" else f"/{name}"
    return Argument(path, target.start, target.end, glob=target.glob or source.glob)
