"""What is known of programs: tables by command path, and the search for the one that fits."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache
from itertools import product

from laconic.knowledge.options import Parsed, Reading, Spec, parse_options
from laconic.types import EFFECTS, Effect, union

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping
    from typing import Any

    from laconic.knowledge.arguments import Argument

    Row = tuple[str, str, dict[str, Any]]  # the file's stem, the table's path, its keys

KEYS = frozenset(
    "also about verdict effect does why instead options everywhere operands refuse style anything"
    " formats late complete network covered code groups needs values alone settings"
    " startup_settings"
    " subcommands traits yes no".split()
)

# Beside those of macOS, Homebrew installs GNU's programs by names with a `g`:
# https://formulae.brew.sh/formula/coreutils, and findutils, gnu-tar, grep and make.
_GNU = frozenset(
    f"g{name}"
    for name in """
    [ b2sum base32 base64 basename basenc cat chgrp chmod chown chroot cksum comm cp csplit cut
    date dd df dir dircolors dirname du echo egrep env expand expr factor false fgrep fmt fold
    grep groups head id install join kill link ln logname ls make md5sum mkdir mkfifo mknod
    mktemp mv nice nl nohup nproc numfmt od paste pathchk pr printenv printf ptx pwd readlink
    realpath rm rmdir sha1sum sha224sum sha256sum sha384sum sha512sum shred shuf sleep sort
    split stat stdbuf stty sum sync tac tail tar tee test touch tr true truncate tsort tty uname
    unexpand uniq unlink uptime users vdir wc who whoami xargs yes
    """.split()
)


class Entry:
    """One table of the knowledge files, ready to use; see docs/knowledge.md for the keys.

    A program has many tables, and few are used: options are read when somebody asks for them.
    """

    __slots__ = (
        "_covered", "_effects", "_everywhere", "_options", "_reading_keys", "_readings", "about",
        "alone", "anything", "code", "does", "formats", "groups", "id", "instead", "needs",
        "network", "network_for", "operands", "path", "refuse", "settings", "source",
        "startup_settings", "subcommands", "values", "verdict", "why",
    )  # fmt: skip

    def __init__(self, path: str, table: Mapping[str, Any], source: str) -> None:
        self.path, self.source = path, source
        self.id = path.replace(" ", "/")
        self.about: str = table.get("about", "")
        self.verdict: str = table.get("verdict", "allow")
        effect = table.get("effect", "")
        if isinstance(effect, str):
            effect = {"*": effect}
        self._effects = {word: text for words, text in effect.items() for word in words.split()}
        self.why: str = table.get("why", "")
        self.instead: str = table.get("instead", "")
        self._options: str | None = table.get("options")
        self._everywhere: str = table.get("everywhere", "")
        self._covered: str = table.get("covered", "")
        self.operands: tuple[str, ...] | None = (
            tuple(table["operands"].split()) if "operands" in table else None
        )
        self.refuse: dict[str, str] = table.get("refuse", {})
        self.does: dict[str, str] = table.get("does", {})
        self.anything: bool = table.get("anything", False)
        self.formats: bool = table.get("formats", False)
        network = table.get("network", False)
        self.network = bool(network)
        self.network_for: tuple[str, ...] = () if network is True else tuple(str(network).split())
        self.code: str = table.get("code", "")
        self.groups = frozenset(table.get("groups", "").split())
        self.needs: tuple[str, ...] = tuple(table.get("needs", "").split())
        self.values: dict[str, str] = table.get("values", {})
        self.alone: tuple[str, ...] = tuple(table.get("alone", "").split())
        self.settings: tuple[str, ...] = tuple(table.get("settings", "").split())
        self.startup_settings: tuple[str, ...] = tuple(table.get("startup_settings", "").split())
        self.subcommands: tuple[str, ...] = tuple(table.get("subcommands", "").split())
        roles = self.operands or ("V...",)
        self._reading_keys = {
            "alike": len(roles) == 1 and roles[0].endswith("..."),
            "single": table.get("style", "gnu") == "single",
            "late": table.get("late", True),
            "complete": table.get("complete", False),
            "refused": tuple(self.refuse),
        }
        self._readings: dict[Spec, Reading] = {}  # by the options accepted everywhere

    def effect(self, word: str) -> Effect:
        """What a call does that is not harmless; word: the last one of the path that it took."""
        return effects_in(self._effects.get(word, self._effects.get("*", "")))

    def effect_of(self, name: str) -> tuple[Effect, str]:
        """What an option or a task makes the program do, and the words for it."""
        words, _, why = self.does.get(name, "").partition(": ")
        return effects_in(words), why

    @property
    def options(self) -> Spec | None:
        return None if self._options is None else _spec(self._options)

    @property
    def everywhere(self) -> Spec:
        return _spec(self._everywhere)

    def covers(self, option: str) -> bool:
        """Tell whether a call with this option does nothing else than its effect says."""
        return option in _spec(self._covered).known

    def reading(self, everywhere: Spec) -> Reading:
        known = self._readings.get(everywhere)
        if known is None:
            spec = (self.options or _NONE).joined(everywhere).joined(_spec(self._covered))
            known = self._readings[everywhere] = Reading(spec, **self._reading_keys)
        return known


_spec = cache(Spec)
_NONE = Spec()


@cache
def effects_in(text: str) -> Effect:
    """The effects that a table names, with blanks between them."""
    return union(EFFECTS[word] for word in text.split())


_NO_TABLE = Entry("", {}, "")  # for a program of which only subcommands have a table


class Branch:
    """A place in the tree of command paths: perhaps an entry, and the words that may follow.

    name: the word that leads here, as the tables have it: perhaps with a `*`.
    """

    __slots__ = ("alternatives", "entry", "name", "words")

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.entry: Entry | None = None
        self.words: dict[str, Branch] = {}
        self.alternatives: list[tuple[str, Branch]] = []  # patterns with a `*`

    def child(self, word: str) -> Branch | None:
        branch = self.words.get(word)
        if branch is not None or not self.alternatives:
            return branch
        return next((b for pattern, b in self.alternatives if fnmatchcase(word, pattern)), None)

    def grow(self, word: str) -> Iterable[Branch]:
        """The branches for a word of a path, made where they are missing."""
        for name in alternatives(word):
            if "*" not in name:
                yield self.words.setdefault(name, Branch(name))
                continue
            known = next((b for pattern, b in self.alternatives if pattern == name), None)
            if known is None:
                known = Branch(name)
                self.alternatives.append((name, known))
            yield known

    def plant(self, words: list[str], entry: Entry, *, is_exact: bool) -> None:
        """Put an entry where words lead. is_exact: it wins over one whose path has alternatives."""
        branches = [self]
        for word in words:
            branches = [grown for branch in branches for grown in branch.grow(word)]
        for branch in branches:
            if branch.entry is None or is_exact:
                branch.entry = entry


class Programs(dict[str, Branch]):
    """The branches of all programs; each grows from its tables when somebody asks for it."""

    def __init__(self, names: KeysView[str] | set[str], rows: Callable[[str], list[Row]]) -> None:
        super().__init__()
        self._names, self._rows = names, rows

    def __missing__(self, program: str) -> Branch:
        branch = Branch()
        for stem, path, table in self._rows(program):
            for name in (path, *table.get("also", ())):
                if program in first_words(name):
                    entry = Entry(path, table, stem)
                    branch.plant(name.split()[1:], entry, is_exact="{" not in name)
        self[program] = branch  # only now: another thread may look for it at any time
        return branch

    def get(self, program: str, default: Any = None) -> Any:
        return self[program] if program in self._names else default

    def __contains__(self, program: object) -> bool:
        return program in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def keys(self) -> Any:
        return self._names

    def items(self) -> Any:
        return [(program, self[program]) for program in self._names]

    def values(self) -> Any:
        return [self[program] for program in self._names]


def first_words(path: str) -> list[str]:
    """Return the programs that a path is about: `{npm,pnpm} install` is about two."""
    return alternatives(path.split(maxsplit=1)[0])


def alternatives(word: str) -> list[str]:
    return word[1:-1].split(",") if word.startswith("{") and word.endswith("}") else [word]


def plain_paths(path: str, table: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """The paths of a table without alternatives: `{a,b} c` is two."""
    for name in (path, *table.get("also", ())):
        yield from product(*map(alternatives, name.split()))


class Library:
    """All tables, by program."""

    __slots__ = ("root",)

    def __init__(self, programs: dict[str, Branch]) -> None:
        self.root = Branch()
        self.root.words = programs

    def knows(self, program: str) -> bool:
        return program in self.root.words or program in _GNU

    def find(self, program: str, arguments: list[Argument]) -> Match | None:
        """The longest path that fits; options before subcommands are read on the way."""
        branch = self.root.words.get(program)
        if branch is None and program in _GNU:
            program = program[1:]
            branch = self.root.words.get(program)
        if branch is None:
            return None
        match = Match(program, branch, arguments)
        while match.step():
            pass
        return match


class Match:
    """A walk down the command paths.

    entry: the last table met; path: the words; id: these as the tables have them; arguments: what
    follows them; everywhere: options accepted at any depth; missing: the subcommand that is not
    known, if any.
    """

    __slots__ = ("arguments", "before", "branch", "entry", "everywhere", "id", "missing", "path")

    def __init__(self, program: str, branch: Branch, arguments: list[Argument]) -> None:
        self.path, self.branch, self.arguments = [program], branch, arguments
        self.id = program
        self.entry = branch.entry
        self.everywhere = branch.entry.everywhere if branch.entry else _NONE
        self.before: list[tuple[Entry, Parsed]] = []
        self.missing: Argument | None = None

    def step(self) -> bool:
        if not self.branch.words and not self.branch.alternatives:
            return False
        parsed = self._options_in_front()
        if not parsed.rest:
            return False
        word = parsed.rest[0]
        following = self.branch.child(word.text) if word.is_static and word.text else None
        if following is None:
            self.missing = word
            return False
        self.before.append((self.entry or _NO_TABLE, parsed))
        self.path.append(word.text or "")
        self.id += f"/{following.name}"
        self.branch, self.arguments = following, parsed.rest[1:]
        if following.entry is not None:
            self.entry = following.entry
            self.everywhere = following.entry.everywhere.joined(self.everywhere)
        return True

    @property
    def effect(self) -> Effect:
        """What a call does that is not harmless: as the last table that names effects says."""
        for entry in reversed(self.entries):
            if effect := entry.effect(self.path[-1]):
                return effect
        return Effect.UNKNOWN

    @property
    def entries(self) -> list[Entry]:
        """The tables met on the way, from the program's own on."""
        last = [self.entry] if self.entry is not None else []
        return [*(entry for entry, _ in self.before), *last]

    def _options_in_front(self) -> Parsed:
        if self.branch.entry is not None:
            reading = self.branch.entry.reading(self.everywhere)
        else:
            reading = Reading(self.everywhere)
        return parse_options(self.arguments, reading, stop_at_operand=True)

    def wanted(self, entry: Entry, name: str) -> str | None:
        """What the value of an option must match: as its table says, or one above it.

        entry: the table that the option was read with. Tables above it count for options that are
        accepted everywhere, unless the table has one of its own by that name.
        """
        if name in entry.values or (entry.options is not None and name in entry.options.known):
            return entry.values.get(name)
        above = [table for table, _ in self.before]
        above = above[: above.index(entry)] if entry in above else above
        known = (table for table in reversed(above) if name in table.everywhere.known)
        return next((table.values.get(name) for table in known), None)

    def has_before(self, *names: str) -> bool:
        """Tell whether one of these is given before the subcommand and means the same there."""
        own = self.entry.options if self.entry is not None else None
        same: set[str] = set()
        for table, parsed in self.before:
            same.update(table.everywhere.known)
            if parsed.has(*(n for n in names if n in same and not (own and n in own.known))):
                return True
        return False
