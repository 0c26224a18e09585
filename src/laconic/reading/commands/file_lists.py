"""Programs that take names from a list: du and wc from a file, cpio and zip from their input.

Unsafe: --files0-from with a file of secrets, also by its beginnings, because names are printed
where there are no such files; and lists of secrets for what is packed.
https://www.gnu.org/software/coreutils/manual/html_node/du-invocation.html
https://www.gnu.org/software/cpio/manual/cpio.html
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern
from laconic.reading.call import Call

_SHORTEST = len("--f")
_MOST = 64
_PACKS_ITS_INPUT = {"cpio": pattern(r"-\w*[op]\w*|--create|--pass-through"), "zip": pattern("-@")}


def judge(call: Call) -> None:
    packs = _PACKS_ITS_INPUT.get(call.path[0])
    if packs is not None and any(packs.fullmatch(a.leading) for a in call.arguments):
        reads_listed(call)
    for packed in call.parsed.operands[1:] if call.path[0] == "zip" else ():
        if call.is_outside(packed.text or ""):
            call.reads_trees([packed])
    for pos, argument in enumerate(call.arguments):
        name, equals, _ = argument.leading.partition("=")
        if len(name) >= _SHORTEST and "--files0-from".startswith(name):
            following = call.arguments[pos + 1 : pos + 2]
            for file in [argument.behind(len(name) + 1)] if equals else following:
                call.reads(file)


def reads_listed(call: Call, listed: Argument | None = None) -> None:
    """Read the files whose names stand in a list, or in the input, one in each line."""
    texts = call.situation.fed_texts()
    if listed is not None and listed.text != "-":
        call.reads(listed)
        values = call.situation.values
        texts = tuple(text for path in listed.texts for text in values.line.files(path, values))
    names = [name for text in texts for name in text.split("\n") if name]
    for name in names[:_MOST]:
        call.reads(Argument(name, *call.span))
    call.reads(Argument(None, *call.span))
