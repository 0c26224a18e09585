"""sed: the script is read command by command.

Unsafe: the commands e (runs), w and W (write), s///e and s///w; -i (changes files), -f (a script
that is not seen here); secrets that r and R read; whatever of the script cannot be read for
certain.
"""

from __future__ import annotations

import re

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern
from laconic.reading.acts import How
from laconic.reading.call import Call
from laconic.types import Effect, Kind

_SINKS = ("/dev/stdout", "/dev/stderr", "/dev/null")
_ADDRESS_END = pattern(r"[0-9]+(?:~[0-9]+)?|\$|[+~][0-9]+")
_LABEL = pattern(r"[ \t]*[\w.-]*")
_CONTINUED = pattern(r"(?<!\\)(?:\\\\)*\\$")
_PLAIN = frozenset("=dDgGhHnNpPxzF")
# A set of characters: its first `]` is one of them, and whether `\]` ends it depends on the build.
# What is looked ahead for and then repeated is not read a second way when the rest does not fit.
_SET = pattern(r"\[(?=(\^?\]?(?:\[:[a-z]+:\]|(?!\[[:.=])[^]])*))\1\]")
_SET_WITH_ESCAPES = pattern(r"\[(?=(\^?\]?(?:\\.|\[:[a-z]+:\]|(?!\[[:.=])[^]])*))\1\]", re.DOTALL)


class _UnclearError(Exception):
    """The script cannot be read for certain."""


def judge(call: Call) -> None:
    parsed = call.parsed
    scripts = parsed.values("-e", "--expression")
    files = parsed.operands
    if parsed.has("-i") and files and files[0].text == "":
        files = files[1:]  # BSD's sed takes the ending of copies as a word of its own
    if not scripts:
        scripts, files = files[:1], files[1:]
    for file in files:
        if parsed.has("-i", "--in-place"):
            _edits(call, file, parsed.values("-i", "--in-place")[-1:])
        call.reads(file)
    if any(not script.is_static for script in scripts):
        call.does(Effect.UNCLEAR, Kind.SCRIPT, "a script that is not known")
        return
    program = _Script("\n".join(script.text or "" for script in scripts))
    try:
        program.check()
    except _UnclearError as unclear:
        call.does(Effect.UNCLEAR, Kind.SCRIPT, f"the script cannot be judged: {unclear}")
    if program.harm:
        call.does(Effect.UNCLEAR, Kind.SCRIPT, program.harm)
    else:
        call.placed.update(script.start for script in scripts)  # understood, and so no path
    for name in program.inputs:
        call.reads(Argument(name, *call.span))
    for name in program.outputs:
        call.writes(Argument(name, *call.span))
    for code in program.commands:
        call.shell(Argument(code, *call.span))
    call.harmless("the script only edits what it prints: it writes no file and runs no command")


def _edits(call: Call, file: Argument, endings: list[Argument]) -> None:
    """A file is replaced by another; ending: of the name that the old one keeps, if it does.

    https://www.gnu.org/software/sed/manual/sed.html#index-In_002dplace-editing
    """
    is_kept = bool(endings and endings[0].text != "")
    is_followed = call.parsed.has("--follow-symlinks")
    call.writes(file, how=How.IN_PLACE if is_kept or is_followed else How.REPLACED)
    for ending in endings if is_kept else ():
        if ending.text is None or file.text is None:
            call.writes(Argument(None, ending.start, ending.end))
            continue
        folder, slash, name = file.text.rpartition("/")
        copy = ending.text.replace("*", name) if "*" in ending.text else f"{name}{ending.text}"
        place = copy if "/" in copy else f"{folder}{slash}{copy}"
        call.writes(Argument(place, ending.start, ending.end, glob=file.glob))


class _Script:
    """A reader over the text of a script.

    inputs, outputs: the files that r, R, w and W name. commands: what e runs. harm: the first of
    what it does besides printing.
    """

    def __init__(self, text: str) -> None:
        self.text, self.pos = text, 0
        self.inputs: list[str] = []
        self.outputs: list[str] = []
        self.commands: list[str] = []
        self.harm = ""

    def check(self) -> None:
        while self.pos < len(self.text):
            if self._next() in " \t\n;}":
                self.pos += 1
            else:
                self._addresses()
                self._command()

    def _next(self) -> str:
        return self.text[self.pos : self.pos + 1]

    def _skip(self, chars: str) -> None:
        while self._next() and self._next() in chars:
            self.pos += 1

    def _line(self) -> str:
        """Read the rest of the line, and move after it."""
        end = self.text.find("\n", self.pos)
        end = len(self.text) if end < 0 else end
        line, self.pos = self.text[self.pos : end], end
        return line

    def _addresses(self) -> None:
        self._address()
        self._skip(" \t")
        if self._next() == ",":
            self.pos += 1
            self._skip(" \t")
            self._address()
        self._skip(" \t!")

    def _address(self) -> None:
        if self._next() == "/":
            self.pos += 1
            self._pattern("/")
        elif self._next() == "\\":
            delimiter = self.text[self.pos + 1 : self.pos + 2]
            self.pos += 2
            self._pattern(delimiter)
        elif found := _ADDRESS_END.match(self.text, self.pos):
            self.pos = found.end()
            return
        else:
            return
        self._skip("IM")

    def _pattern(self, delimiter: str) -> None:
        """Move after a regular expression; a delimiter in brackets can be read in two ways."""
        if delimiter in ("", "\n", "\\"):
            raise _UnclearError("odd delimiter")
        start = self.pos
        self._until(delimiter)
        body = self.text[start : self.pos - 1]
        if not all(_closes_sets(body, reading) for reading in (_SET, _SET_WITH_ESCAPES)):
            raise _UnclearError("a bracket that is not closed")

    def _until(self, delimiter: str) -> None:
        while (char := self._next()) != delimiter:
            if not char:
                raise _UnclearError("a part that does not end")
            self.pos += 2 if char == "\\" else 1
        self.pos += 1

    def _command(self) -> None:
        name = self._next()
        self.pos += 1
        if name in ("{", "}", ""):
            return
        if name == "s":
            self._substitution()
        elif name == "y":
            delimiter = self._next()
            self.pos += 1
            self._pattern(delimiter)
            self._until(delimiter)
        elif name in "ewW":
            self._harm(name)
        elif name in "#:bTtrRv":
            self._word(name)
        elif name in "aic":
            self._appended()
        elif name in "lLqQ":
            self._skip(" \t0123456789")
        elif name not in _PLAIN:
            raise _UnclearError(f"{name} is not a known command")
        if name != "s":
            self._end()

    def _word(self, name: str) -> None:
        """File names and comments go on to the end of the line; a label must be a plain word,
        because what follows its blank is a command for some versions."""
        if name in "rR":
            self.inputs.append(self._line().strip(" \t"))
        elif name == "#":
            self._line()
        elif found := _LABEL.match(self.text, self.pos):
            self.pos = found.end()

    def _harm(self, name: str) -> None:
        named = self._line().strip(" \t")
        if name == "e":
            self.commands.append(named)
            self.harm = self.harm or "the script runs a command (e)"
        elif named not in _SINKS:
            self.outputs.append(named)
            self.harm = self.harm or f"the script writes a file ({name})"

    def _appended(self) -> None:
        while _CONTINUED.search(self._line()) and self._next():
            self.pos += 1

    def _substitution(self) -> None:
        delimiter = self._next()
        self.pos += 1
        self._pattern(delimiter)
        start = self.pos
        self._until(delimiter)
        made = self.text[start : self.pos - 1]
        while (flag := self._next()) and flag in "gpiImMew0123456789":
            self.pos += 1
            if flag == "e":
                self.commands.append(made)
                self.harm = self.harm or "the script runs a command (e)"
            elif flag == "w":
                self._harm(flag)
        self._end()

    def _end(self) -> None:
        self._skip(" \t")
        if self._next() not in ("", "\n", ";", "}", "#"):
            raise _UnclearError("text behind a command")


def _closes_sets(body: str, reading: re.Pattern[str]) -> bool:
    pos = 0
    while pos < len(body):
        if body[pos] == "[":
            match = reading.match(body, pos)
            if match is None:
                return False
            pos = match.end()
        else:
            pos += 2 if body[pos] == "\\" else 1
    return True
