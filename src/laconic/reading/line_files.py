"""The texts of files that a line reads: what is in them now, and what the line puts into them."""

from __future__ import annotations

import posixpath

from laconic.files import folded
from laconic.knowledge.arguments import expand
from laconic.knowledge.streams import command_output
from laconic.reading.secret_files import is_secret
from laconic.shell.words import literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.knowledge.arguments import Reader, Values
    from laconic.reading.places import Facts
    from laconic.shell.walk import Occurrence

_MAX_TEXTS = 16
_ENTERS = frozenset(("cd", "pushd"))


def texts_now(facts: Facts, path: str, _values: Values) -> tuple[str, ...]:
    """What is in a file now; of one that holds secrets nothing, because reasons show names."""
    if is_secret(path) or is_secret(facts.real_path(path)):
        return ()
    text = facts.text(posixpath.join(facts.cwd, path))
    return () if text is None else (text,)


class LineFiles:
    """The files of a line, by the names that it has for them."""

    __slots__ = ("_around", "_directories", "_known", "_occurrences", "_written")

    def __init__(
        self, occurrences: list[Occurrence], around: Reader, directories: list[str]
    ) -> None:
        self._occurrences, self._around, self._directories = occurrences, around, directories
        self._written: dict[str, list[str]] | None = None
        self._known: dict[str, tuple[str, ...]] = {}

    def texts(self, path: str, values: Values) -> tuple[str, ...]:
        """The texts that a file may have when the line reads it."""
        if path not in self._known:
            self._known[path] = ()  # while that is found out: what it is made of may be in files
            self._known[path] = self._look_up(path, values)
        return self._known[path]

    def _look_up(self, path: str, values: Values) -> tuple[str, ...]:
        places = self._places(path)
        found = [text for place in places for text in self._around(place, values)]
        if self._written is None:
            self._written = {}
            self._note_written(self._written, values)
        for place in places:
            own = self._written.get(folded(place), [])
            found += [*own, "".join(own)] if own else []
        return tuple(dict.fromkeys(found))[:_MAX_TEXTS]

    def _places(self, path: str) -> list[str]:
        """Where it may be: below the directories that the line starts in, and those it enters."""
        commands = [one.command for one in self._occurrences if one.command.words[1:]]
        entered = [literal(c.words[1]) for c in commands if literal(c.words[0]) in _ENTERS]
        tops = [directory for directory in self._directories if directory]
        below = [posixpath.join(top, one) for top in tops for one in entered if one is not None]
        joined = (posixpath.normpath(posixpath.join(top, path)) for top in [*tops, *below])
        return list(dict.fromkeys(joined))

    def _note_written(self, written: dict[str, list[str]], values: Values) -> None:
        for one in self._occurrences:
            redirects = (*one.command.redirects, *one.context.around)
            targets = tuple(r.target for r in redirects if ">" in r.operator and r.fd in ("", "1"))
            if not targets:
                continue
            texts = [f"{text}\n" for text in command_output(one.command, (), values)]
            for target in expand(targets, values):
                for path in (place for text in target.texts for place in self._places(text)):
                    written.setdefault(folded(path), []).extend(texts)
