"""Where paths lead through the links that a line makes, as the kernel follows them: name by name.

https://man7.org/linux/man-pages/man7/path_resolution.7.html
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from laconic.knowledge.arguments import Argument
from laconic.reading.call import Call
from laconic.reading.places import Facts, meant

_MOST_FOLLOWED = 40  # links in one path, as in the kernel
_MOST_WAYS = 256
_MOST_COPIES, _MOST_NAMES = 32, 64  # one after another, and other names that they give a path


class Links:
    """The links that a line makes, over those that are there; each of them may be there or not.

    look: the text of a link that is there, None if there is none. spelled: see `Facts`.
    """

    def __init__(
        self, look: Callable[[str], str | None], spelled: Callable[[str], str] = str
    ) -> None:
        self._look, self._spelled = look, spelled
        self._made: list[tuple[str, str]] = []
        self._copied: list[tuple[str, str]] = []

    def note(self, path: str, text: str) -> None:
        """Remember a link at a path whose parents are real."""
        self._made.append((path, text))

    def note_copy(self, path: str, source: str) -> None:
        """Remember that a path may come to hold the links of another one."""
        self._copied.append((path, source))

    def ends(self, path: str) -> list[str]:
        """All places that a path may lead to; the root is among them if they are too many."""
        found: dict[str, None] = {}
        known: dict[str, dict[str | None, None]] = {}
        ways = [("", path.split("/"), 0)]
        for _ in range(_MOST_WAYS):
            if not ways:
                return list(found) or [posixpath.normpath(path)]
            here, names, followed = ways.pop()
            for position, name in enumerate(names):
                if name in ("", "."):
                    continue
                if name == "..":
                    here = posixpath.dirname(here).rstrip("/")
                    continue
                step = self._spelled(f"{here}/{name}")
                if step not in known:
                    known[step] = self._texts(step)
                texts = known[step]
                if followed < _MOST_FOLLOWED:
                    ways += [
                        ("" if text[:1] == "/" else here,
                         [*text.split("/"), *names[position + 1 :]], followed + 1)
                        for text in texts if text is not None
                    ]  # fmt: skip
                if None not in texts:
                    break
                here = step
            else:
                found[here or "/"] = None
        return ["/", *found]

    def _texts(self, path: str) -> dict[str | None, None]:
        """The texts of the links that may be at a path; None stands for no link.

        The root is among them if there are too many ways in which copies may have made one.
        """
        names = dict.fromkeys([path])
        last = [path]
        for used in range(len(self._copied)):
            last = [one for one in self._copied_from(last) if one not in names]
            names |= dict.fromkeys(last)
            if not last:
                break
            if len(names) > _MOST_NAMES or used > _MOST_COPIES:
                return {None: None, "/": None}
        texts = dict.fromkeys(self._look(name) for name in names)
        return texts | {text: None for at, text in self._made if at in names}

    def _copied_from(self, paths: list[str]) -> dict[str, None]:
        """What was copied to paths, or to what they are in."""
        return {
            source + path[len(at) :]: None
            for path in paths
            for at, source in self._copied
            if path == at or path.startswith(f"{at}/")
        }


def note_links(call: Call, made: list[Argument], source: Argument, *, is_relative: bool) -> None:
    """Symbolic links are made. is_relative: their text is the source as it is written."""
    texts = source.texts if is_relative else _paths(call, source)
    links = _links_of(call)
    for path in (path for link in made for path in _paths(call, link)):
        for text in texts:
            links.note(path, text)


def note_copies(call: Call, made: list[Argument], source: Argument) -> None:
    """What the source holds is there, too, the links among it with the text that they have."""
    sources, facts = _paths(call, source), call.judge.facts
    if facts.links is None and not any(_may_be_link(path, facts) for path in sources):
        return
    links = _links_of(call)
    for path in (path for copy in made for path in _paths(call, copy)):
        for one in sources:
            links.note_copy(path, one)


def _paths(call: Call, argument: Argument) -> list[str]:
    """The paths that an argument may mean, also that of its last name if it is a link."""
    facts, where = call.judge.facts, call.situation.directories
    found = (meant(text, cwd, facts) for cwd in where for text in argument.texts)
    return [path for paths in found for path in paths if path[:1] == "/"]


def _may_be_link(path: str, facts: Facts) -> bool:
    """Tell whether it is a link, or a directory, which may hold some."""
    return facts.link(path) is not None or facts.exists(f"{path}/.")


def _links_of(call: Call) -> Links:
    """What the judge knows of links from now on."""
    facts = call.judge.facts
    if facts.links is not None:
        return facts.links
    links = Links(facts.link, facts.spelled)
    call.judge.facts = facts.with_links(links)
    return links
