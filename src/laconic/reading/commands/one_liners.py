"""The switches of perl and ruby, which are bundled: code, files that change in place, libraries.

Unsafe: the code of each -e; with -i the files themselves and the place of their copies; -M and -m,
whose text is code; files that -r loads. https://perldoc.perl.org/perlrun, ruby(1)
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument
from laconic.reading.call import Call

# Letters that take the rest of the word, or the next word if nothing is left of it.
_WITH_VALUE = {"perl": "eEI", "ruby": "eErICX"}
# Letters that take the rest of the word, if there is any.
_WITH_REST = {"perl": "idDxVFMm", "ruby": "iFKTWx"}


class Switches:
    """What is given: the values of each letter, and the words after the switches."""

    def __init__(self, call: Call, language: str) -> None:
        self.values: dict[str, list[Argument]] = {}
        self.files: list[Argument] = []
        todo = list(reversed(call.arguments))
        while todo and todo[-1].leading.startswith("-") and todo[-1].text not in ("-", "--"):
            self._read(todo.pop(), todo, language)
        if todo and todo[-1].text == "--":
            todo.pop()
        self.files = list(reversed(todo))

    def _read(self, word: Argument, todo: list[Argument], language: str) -> None:
        text = word.text or word.leading
        for pos, letter in enumerate(text[1:], start=1):
            rest = word.behind(pos + 1)
            if letter in _WITH_VALUE[language]:
                is_here = bool(text[pos + 1 :])
                value = rest if is_here else todo.pop() if todo else Argument("", *_span(word))
                self.values.setdefault(letter, []).append(value)
                return
            if letter in _WITH_REST[language]:
                self.values.setdefault(letter, []).append(rest)
                return


def judge_switches(call: Call, language: str) -> list[Argument]:
    """Judge files and libraries; give the code that is on the command line."""
    given = Switches(call, language)
    code = [*given.values.get("e", ()), *(given.values.get("E", ()) if language == "perl" else ())]
    for file in given.files if code else ():
        call.reads(file)
        name = (file.text or "").strip()
        if language == "perl" and (name.endswith("|") or name.startswith("|")):
            call.shell(Argument(name.strip("|"), *_span(file)))  # as `<>` opens it
        for suffix in given.values.get("i", ()):
            call.writes(file)
            if suffix.text is None or "/" in suffix.text:
                path = None if suffix.text is None else suffix.text.replace("*", "x")
                call.writes(Argument(path, *_span(suffix)))
    for library in given.values.get("r", ()):
        if library.text is None or "/" in library.text:
            call.runs_file(library)
    return [*code, *given.values.get("M", ()), *given.values.get("m", ())]


def _span(argument: Argument) -> tuple[int, int]:
    return argument.start, argument.end
