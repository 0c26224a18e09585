"""One option parser for all programs, driven by accept-lists; the unknown is a problem."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern

_OPTION_LIKE = pattern(r"--?[A-Za-z]")
MAY_BE_OPTION = "a value that is not known before it runs may be an option"
MAY_BE_SEVERAL = "a value that is not known before it runs may become several words"
_GLOB = "a file that the pattern finds may have a name that is read as an option"
FLAG, VALUE, ATTACHED = 0, 1, 2  # takes none; the next word or attached; attached only


class Spec:
    """The options that a program accepts, from the notation of docs/knowledge.md."""

    __slots__ = ("_joined", "anything", "known", "number", "patterns")

    def __init__(self, notation: str = "") -> None:
        self.known: dict[str, tuple[int, str]] = {}
        self.patterns: list[str] = []
        self.number = self.anything = False
        self._joined: dict[Spec, Spec] = {}
        for word in notation.split():
            self._add(word)

    def _add(self, word: str) -> None:
        if word == "*":
            self.anything = True
        elif word == "-NUM":
            self.number = True
        elif "*" in word:
            self.patterns.append(word)
        elif word.endswith("]") and "[=" in word:
            name, _, role = word[:-1].partition("[=")
            self.known[name] = (ATTACHED, role)
        elif "=" in word:
            name, _, role = word.partition("=")
            self.known[name] = (VALUE, role)
        else:
            self.known[word] = (FLAG, "")

    @property
    def is_empty(self) -> bool:
        return not (self.known or self.patterns or self.number or self.anything)

    def joined(self, other: Spec) -> Spec:
        """Return the options of both; where both have one by that name, it is this one's."""
        if other.is_empty:
            return self
        if self.is_empty:
            return other
        both = self._joined.get(other)
        if both is None:
            both = self._joined[other] = self._with(other)
        return both

    def _with(self, other: Spec) -> Spec:
        both = Spec()
        both.known = {**other.known, **self.known}
        both.patterns = self.patterns + other.patterns
        both.number = self.number or other.number
        both.anything = self.anything or other.anything
        return both


class Option:
    """An option as given. value is None for a flag."""

    __slots__ = ("argument", "name", "role", "value")

    def __init__(self, name: str, role: str, value: Argument | None, argument: Argument) -> None:
        self.name, self.role, self.value, self.argument = name, role, value, argument


class Parsed:
    """Options, operands, and problems (argument and message); ended: `--` was there."""

    __slots__ = ("ended", "operands", "options", "problems", "rest")

    def __init__(self) -> None:
        self.options: list[Option] = []
        self.operands: list[Argument] = []
        self.problems: list[tuple[Argument, str]] = []
        self.rest: list[Argument] = []  # with stop_at_operand: the operand and all after it
        self.ended = False

    def has(self, *names: str) -> bool:
        return any(option.name in names for option in self.options)

    def values(self, *names: str) -> list[Argument]:
        return [o.value for o in self.options if o.name in names and o.value is not None]


class Reading:
    """How a program reads its command line; see docs/knowledge.md for style, late and complete."""

    __slots__ = ("alike", "complete", "late", "refused", "single", "spec")

    def __init__(
        self,
        spec: Spec,
        *,
        single: bool = False,
        late: bool = True,
        complete: bool = False,
        alike: bool = False,
        refused: Iterable[str] = (),
    ) -> None:
        self.alike = alike
        self.spec, self.single, self.late, self.complete = spec, single, late, complete
        self.refused = tuple(refused)


def parse_options(
    arguments: list[Argument], reading: Reading, *, stop_at_operand: bool = False
) -> Parsed:
    """Read arguments as the program would; errs towards problems, which only cost a question."""
    parsed = Parsed()
    todo = list(reversed(arguments))
    while todo:
        argument = todo.pop()
        if parsed.ended:
            parsed.operands.append(argument)
        elif argument.text == "--" and not argument.glob:
            parsed.ended = True
        elif _is_operand(argument, parsed, is_last=not todo, alike=reading.alike):
            if stop_at_operand:
                parsed.rest = [argument, *reversed(todo)]
                return parsed
            parsed.operands.append(argument)
            if not reading.late:
                parsed.operands += reversed(todo)
                return parsed
        elif argument.leading.startswith("-"):
            _read_option(argument, todo, reading, parsed)
    if stop_at_operand:
        parsed.rest = parsed.operands
    return parsed


def _is_operand(argument: Argument, parsed: Parsed, *, is_last: bool, alike: bool) -> bool:
    """Tell operands from options; a word that may be either is noted as a problem.

    alike: operands mean the same wherever they stand.
    """
    if argument.is_static:
        return argument.text == "-" or not argument.leading.startswith("-")
    if argument.leading.startswith("-"):
        return False
    # If a number is missing, the operands after it are counted from another place.
    is_one = not argument.splits or argument.glob
    may_vanish = (argument.is_number and is_last) or (argument.is_revision and (is_last or alike))
    is_known = bool(argument.leading) or argument.is_revision
    if not is_known or not (is_one or may_vanish):
        parsed.problems.append((argument, _GLOB if argument.glob else MAY_BE_OPTION))
    return True


def _read_option(
    argument: Argument, todo: list[Argument], reading: Reading, parsed: Parsed
) -> None:
    word, is_open = argument.leading, not argument.is_static
    if is_open and argument.splits and not argument.glob:
        parsed.problems.append((argument, MAY_BE_SEVERAL))
    elif is_open and "=" not in word and (word.startswith("--") or reading.single):
        _accept_unlisted(argument, word, reading, parsed)
    elif reading.spec.number and word[1:].isdigit() and not is_open:
        parsed.options.append(Option("-NUM", "V", argument.behind(1), argument))
    elif word.startswith("--") or reading.single:
        _read_long(argument, todo, reading, parsed)
    else:
        _read_bundle(argument, todo, reading, parsed)


def _read_long(argument: Argument, todo: list[Argument], reading: Reading, parsed: Parsed) -> None:
    name, equals, _ = argument.leading.partition("=")
    full = _full_name(name, reading)
    known = reading.spec.known.get(full)
    if known is None:
        _accept_unlisted(argument, full, reading, parsed)
        return
    arity, role = known
    value = argument.behind(len(name) + 1) if equals else None
    if arity == FLAG and equals:
        parsed.problems.append((argument, f"{full} takes no value"))
    if arity == VALUE and value is None:
        value = _next_value(argument, full, todo, parsed)
    parsed.options.append(Option(full, role, value, argument))


def _full_name(name: str, reading: Reading) -> str:
    """Expand a unique abbreviation, if the lists are complete enough to tell."""
    if name in reading.spec.known or not reading.complete or not name.startswith("--"):
        return name
    longer = [full for full in (*reading.spec.known, *reading.refused) if full.startswith(name)]
    return longer[0] if len(longer) == 1 else name


def _read_bundle(
    argument: Argument, todo: list[Argument], reading: Reading, parsed: Parsed
) -> None:
    letters = argument.leading[1:]
    for pos, letter in enumerate(letters):
        name = f"-{letter}"
        known = reading.spec.known.get(name)
        if known is None:
            _accept_unlisted(argument, name if pos else argument.leading, reading, parsed)
            return
        arity, role = known
        value = None
        if arity == VALUE and pos + 1 == len(letters) and argument.is_static:
            value = _next_value(argument, name, todo, parsed)
        elif arity != FLAG and (pos + 1 < len(letters) or not argument.is_static):
            value = argument.behind(pos + 2)
        parsed.options.append(Option(name, role, value, argument))
        if arity != FLAG and value is not None:
            return
    if not argument.is_static:
        parsed.problems.append((argument, "an option whose text is not known"))


def _accept_unlisted(argument: Argument, name: str, reading: Reading, parsed: Parsed) -> None:
    """Accept an option by pattern; if its end is not known, every possible end must match."""
    spec, is_open = reading.spec, not argument.is_static
    patterns = [p for p in spec.patterns if not is_open or p.endswith("*")]
    if spec.anything or any(fnmatchcase(name, p) for p in patterns):
        parsed.options.append(Option(name, "V", None, argument))
    elif is_open:
        parsed.problems.append((argument, "an option whose text is not known"))
    else:
        parsed.problems.append((argument, f"laconic does not know the option {name}"))


def _next_value(
    argument: Argument, name: str, todo: list[Argument], parsed: Parsed
) -> Argument | None:
    if not todo:
        parsed.problems.append((argument, f"{name} lacks its value"))
        return None
    value = todo.pop()
    if _OPTION_LIKE.match(value.leading):
        # builds of a program differ in which options take a value: do not let one swallow another
        parsed.problems.append((value, f"looks like an option, not like the value of {name}"))
    if value.splits:
        parsed.problems.append((value, MAY_BE_SEVERAL))
    return value
