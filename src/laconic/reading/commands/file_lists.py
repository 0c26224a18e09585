"""du and wc: a file whose text is a list of names, which are printed where there are no such files.

Unsafe: --files0-from with a file of secrets, also by its beginnings.
https://www.gnu.org/software/coreutils/manual/html_node/du-invocation.html
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.reading.call import Call

_SHORTEST = len("--f")


def judge(call: Call) -> None:
    for pos, argument in enumerate(call.arguments):
        name, equals, _ = argument.leading.partition("=")
        if len(name) >= _SHORTEST and "--files0-from".startswith(name):
            following = call.arguments[pos + 1 : pos + 2]
            for file in [argument.behind(len(name) + 1)] if equals else following:
                call.reads(file)
