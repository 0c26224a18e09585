"""Editors, debuggers, tclsh and m4: commands in their options or their input that start programs.

Unsafe: `!command` of ed, ex and vi, `r !command`, `w file`; `shell`, `!`, `pipe` and `python` of
gdb, `platform shell` of lldb, `!` of r2; `exec`, `open` and `spawn` of Tcl; `(shell-command …)` and
its kin of Emacs; `syscmd` and `include` of m4.
https://pubs.opengroup.org/onlinepubs/9799919799/utilities/ed.html
https://sourceware.org/gdb/current/onlinedocs/gdb.html/Shell-Commands.html
https://www.tcl-lang.org/man/tcl8.6/TclCmd/exec.htm
https://www.gnu.org/software/emacs/manual/html_node/elisp/Synchronous-Processes.html
https://www.gnu.org/software/m4/manual/m4.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.commands.python_effects import follow_visible
from laconic.types import Effect, Kind

_WITH_CODE = frozenset("-c --cmd -ex -iex -eval-command -o -O -k -e --eval --execute".split())
_BUNDLE = pattern(r"-[sEen]*c")
_RUNS = pattern(
    r"""^[ \t:%.,$\d]*(?:sil\w*!?\s+)?(?:[rwe]\s*)?!\s*(.+)$
    | ^\s*(?:(?:platform\s+)?shell|sh)\s+(.+)$ | ^\s*(?:pipe\b|\|)[^|\n]*\|(.+)$
    | \bsystem(?:list)?\(\s*['"]([^'"\n]+)
    | (?:^|[\[;{]\s*)(?:exec|spawn|system)\s+([^\]\n;}]+)
    | \bopen\s+["{]?\|([^"}\n]+)
    | \((?:async-)?shell-command(?:-to-string)?\s+"([^"\n]+)
    | \(call-process-shell-command\s+"([^"\n]+)
    | \be?syscmd\(\s*`?([^)'\n]+)""",
    re.VERBOSE | re.MULTILINE,
)
_WRITES = pattern(
    r"""^[ \t:%.,$\d]*(?:w|wq|W|x|sav|saveas|write)!?\s+(?:>>\s*)?(?!!)(\S+)\s*$
    | \bopen\s+["{]?([^\s"}|]+)["}]?\s+["{]?[wa]
    | \((?:write-region|write-file|append-to-file)\s[^"\n]*"([^"\n]+)""",
    re.VERBOSE | re.MULTILINE,
)
_READS = pattern(
    r"""^[ \t:%.,$\d]*(?:r|e|read|edit)!?\s+(?!!)(\S+)\s*$
    | \bopen\s+["{]?([^\s"}|]+)["}]?\s*(?:r\b|\]) | ^\s*source\s+(\S+)
    | \((?:insert-file-contents|find-file|load)[\w-]*\s+"([^"\n]+)
    | \bs?include\(\s*`?([^)'\n]+)""",
    re.VERBOSE | re.MULTILINE,
)
_PYTHON = pattern(r"^\s*(?:python|py|script)\s+(.+)$", re.MULTILINE | re.DOTALL)


def judge(call: Call) -> None:
    if call.situation.input_text is None and not call.arguments:
        call.does(Effect.UNCLEAR, Kind.INPUT, "does what it reads")
    for text in _texts(call):
        for follow, pieces in ((call.shell, _RUNS), (call.writes, _WRITES), (call.reads, _READS)):
            for found in pieces.finditer(text.text or ""):
                named = next(filter(None, found.groups()), "").strip()
                follow(Argument(named, text.start, text.end))
        for found in _PYTHON.finditer(text.text or ""):
            follow_visible(call, found[1], text)


def _texts(call: Call) -> Iterator[Argument]:
    """What it is told to do, as far as the line says so."""
    before = ""
    for argument in call.arguments:
        word = argument.text or argument.leading
        if before in _WITH_CODE or _BUNDLE.fullmatch(before):
            yield argument
        elif word.startswith("+"):
            yield argument.behind(1)
        elif (end := word.find("=") + 1) and word[: end - 1] in _WITH_CODE:
            yield argument.behind(end)
        before = word
    if call.situation.input_text is not None:
        yield Argument(call.situation.input_text, *call.span)
