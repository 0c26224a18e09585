"""jq: no filter can run a program or write a file.

Unsafe: only reading secrets; the first operand is the filter unless -f names a file.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.policy.call import Call

_SKIPPED = {"--arg": 2, "--argjson": 2, "--indent": 1, "-L": 1}
_NAMED_FILES = ("--slurpfile", "--rawfile", "--argfile")


def judge(call: Call) -> None:
    todo = list(reversed(call.arguments))
    has_filter = any(word.text in ("-f", "--from-file") for word in todo)
    while todo:
        word = todo.pop()
        skipped = _SKIPPED.get(word.text or "", 1 if word.text in _NAMED_FILES else 0)
        del todo[len(todo) - skipped :]
        if skipped or word.leading.startswith("-"):
            continue
        if has_filter:
            call.reads(word)
        has_filter = True
