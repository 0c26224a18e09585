"""Arguments as a program will see them: evaluated words, and what is certain of the others."""

from __future__ import annotations

from laconic.knowledge.parameters import certain_value, is_list, words_of
from laconic.knowledge.possible import MAX_DEPTH, possible_texts
from laconic.knowledge.printed import (
    is_name,
    is_number,
    is_numbers,
    is_path,
    new_file,
    output,
    piped,
    printer,
)
from laconic.knowledge.shapes import shapes_of
from laconic.patterns import pattern
from laconic.shell.ast import (
    Assignment,
    Command,
    DoubleQuoted,
    Literal,
    Parameter,
    Quoted,
    Substitution,
    Word,
)
from laconic.shell.words import fields, flat, leading, literal, part_splits, plain_text, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from laconic.knowledge.parameters import List
    from laconic.shell.ast import Part

    Reader = Callable[[str, "Values"], tuple[str, ...]]

_MAX_LENGTH = 16 * 1024
_NUMBERS = frozenset("#?$!")
_PLACES = frozenset(("HOME", "PWD"))
_CHANGES_IN_ZSH = pattern(r"\[|:[aAcehlpPqQrstuxgfFwW&]")
_BEGINS_WILD = pattern(r"(?:(?<=/)|^)(?=[*?[])")
_BLANKS = " \t\n"
_TO_SPACE = {ord("\t"): " ", ord("\n"): " "}
_EMPTY = Quoted(0, 0, "", "'")


class Argument:
    """One argument.

    text: its value, None if not known (for a glob, the pattern). leading: what it begins with for
    certain. glob: it names files by pattern. splits: it may become several words, or none.
    expanded: a part of it comes from a variable (other than HOME or PWD) or a substitution, or one
    before it became nothing. possible: values that it may have, where its text is not known; there
    may be others. is_number: it is a number, or there is no such argument. is_revision: it begins
    with the name of an object of git, or there is no such argument. is_job: it is the process that
    this shell started last in the background (`$!`), or nothing. is_stream: it names what a
    command of the line prints, or reads (`<(ls)`). shapes: what it looks like, with a
    `*` for each part that is not known.
    """

    __slots__ = (
        "_shapes", "end", "expanded", "glob", "is_job", "is_number", "is_revision", "is_stream",
        "leading", "possible", "splits", "start", "text",
    )  # fmt: skip

    def __init__(
        self,
        text: str | None,
        start: int,
        end: int,
        *,
        leading: str | None = None,
        glob: bool = False,
        splits: bool = False,
        expanded: bool = False,
    ) -> None:
        self.text, self.start, self.end = text, start, end
        self.leading = (text or "") if leading is None else leading
        self.glob, self.splits, self.expanded = glob, splits, expanded
        self.possible: tuple[str, ...] = ()
        self.is_number = self.is_revision = self.is_job = self.is_stream = False
        self._shapes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        flags = "".join(f", {name}" for name in ("glob", "splits") if getattr(self, name))
        return f"Argument({self.text!r}, leading={self.leading!r}{flags})"

    @property
    def texts(self) -> tuple[str, ...]:
        """All values that it may have, as far as they are known."""
        return self.possible if self.text is None else (self.text,)

    @property
    def shapes(self) -> tuple[str, ...]:
        if self.text is not None:
            return (self.text,)
        return self._shapes or (f"{self.leading}*",)

    @shapes.setter
    def shapes(self, shapes: tuple[str, ...]) -> None:
        self._shapes = shapes

    @property
    def is_static(self) -> bool:
        return self.text is not None and not self.glob

    def behind(self, length: int) -> Argument:
        """What follows so many characters: the value in `--output=value`."""
        rest = None if self.text is None else self.text[length:]
        behind = Argument(
            rest,
            self.start,
            self.end,
            leading=self.leading[length:],
            glob=self.glob,
            splits=self.splits,
            expanded=self.expanded,
        )
        behind.possible = tuple(text[length:] for text in self.possible)
        behind.shapes = tuple(shape[length:] for shape in self._shapes)
        return behind


class Line:
    """What holds for all of a line.

    files: the texts that a file may have. hidden: a `*` also means names that begin with a dot.
    alternatives: what arrays and arguments may be, as whole lists.
    """

    __slots__ = ("alternatives", "files", "hidden")

    def __init__(
        self,
        files: Reader = lambda _path, _values: (),
        alternatives: Mapping[str, tuple[List, ...]] | None = None,
        *,
        hidden: bool = False,
    ) -> None:
        self.files, self.alternatives, self.hidden = files, alternatives or {}, hidden


_NOTHING = Line()


class Values:
    """What is known of the values of expansions.

    certain: variables that have this value. possible: values that others may have, or one element
    of an array; `1` and `@` are arguments of a function or a script. printers: the commands whose
    `$(echo x)` is what their arguments say; those that no function replaces.
    leading: what others begin with for certain. paths: those that are absolute paths, or empty.
    revisions: those that are names of objects of git, or empty. jobs: those that are `$!`, or
    empty.
    shapes: what the text gives to variables anywhere, with `*` for what is not known of it.
    lists: arrays and arguments, in a case that is only supposed; there, blanks in values make
    several words. line: what does not change from one command to the next.
    """

    __slots__ = (
        "certain",
        "jobs",
        "leading",
        "line",
        "lists",
        "paths",
        "possible",
        "printers",
        "revisions",
        "shapes",
    )

    def __init__(
        self,
        certain: Mapping[str, str] | None = None,
        possible: Mapping[str, tuple[str, ...]] | None = None,
        printers: frozenset[str] = frozenset(),
        leading: Mapping[str, str] | None = None,
        paths: frozenset[str] = frozenset(),
        shapes: Mapping[str, tuple[str, ...]] | None = None,
        line: Line = _NOTHING,
        revisions: frozenset[str] = frozenset(),
        jobs: frozenset[str] = frozenset(),
    ) -> None:
        self.revisions, self.jobs = revisions, jobs
        self.certain, self.possible, self.printers = certain or {}, possible or {}, printers
        self.leading, self.paths, self.shapes = leading or {}, paths, shapes or {}
        self.lists: Mapping[str, List] = {}
        self.line = line

    def all_of(self, name: str) -> tuple[str, ...]:
        """All values of a variable, as far as they are known."""
        known = self.certain.get(name)
        return self.possible.get(name, ()) if known is None else (known,)

    def texts_of(self, operand: str, depth: int = MAX_DEPTH) -> tuple[str, ...]:
        """What the word in `${x:-word}` may be. depth: of substitutions that it may stand in."""
        from laconic.shell import ParseError, parse  # noqa: PLC0415 - seldom

        try:
            words = parse(f": {text(operand)}").nodes_of(Command)[0].words[1:]
        except ParseError:
            return ()
        return tuple(t for argument in expand(words, self, depth) for t in argument.texts)


def evaluate(words: tuple[Word | Assignment, ...], variables: Mapping[str, str]) -> list[Argument]:
    """The arguments that words become, where nothing but these variables is known."""
    return expand(words, Values(variables))


def expand(words: tuple[Word | Assignment, ...], values: Values, depth: int = 0) -> list[Argument]:
    """The arguments that words become. depth: that of the substitution around them."""
    arguments: list[Argument] = []
    is_gone = False
    for word in words:
        simple = plain_text(word)
        if simple is not None:
            arguments.append(Argument(simple, word.start, word.end, expanded=is_gone))
            is_gone = False
            continue
        known = fields(word)
        if known is None:
            more = _partly_known(word, values, depth)
            if more:
                more[0].expanded = more[0].expanded or is_gone
            is_gone = not more
            arguments += more
            continue
        for field in known:
            argument = Argument(field.text, word.start, word.end, glob=field.glob)
            if field.glob:
                argument.leading = leading(word) if len(known) == 1 else ""
                argument.splits = True
            if field.tilde:
                argument = _at_home(argument, values.certain)
            argument.expanded, is_gone = is_gone, False
            arguments.append(argument)
            if field.glob and values.line.hidden:
                arguments += _with_hidden(argument)
    return arguments


def _with_hidden(argument: Argument) -> list[Argument]:
    """What `*` means beside other names after `shopt -s dotglob`: `.*`."""
    hidden = _BEGINS_WILD.sub(".", argument.text or "")
    if hidden == argument.text:
        return []
    return [Argument(hidden, argument.start, argument.end, glob=True, splits=True)]


def _at_home(argument: Argument, variables: Mapping[str, str]) -> Argument:
    user, slash, rest = (argument.text or "")[1:].partition("/")
    name = {"": "HOME", "+": "PWD"}.get(user)  # `~-` is the directory before, `~name` another home
    home = None if name is None else variables.get(name)
    placed = Argument(
        f"{home}{slash}{rest}" if home is not None else None,
        argument.start,
        argument.end,
        leading="/" if home is None else f"{home}/" if argument.glob else None,
        glob=argument.glob,
    )
    placed.shapes = (f"/*{slash}{rest}",)
    return placed


# -- words with expansions -------------------------------------------------------------------------


def _partly_known(word: Word | Assignment, values: Values, depth: int) -> list[Argument]:
    if isinstance(word, Assignment):
        argument = Argument(None, word.start, word.end, leading=leading(word))
        if isinstance(word.value, Word):
            argument.shapes = tuple(leading(word) + s for s in _shapes(word.value, values, depth))
        return [argument]
    parts = pieces(word)
    done: list[str | None] = []  # arguments that are complete, when an unquoted result has blanks
    current: str | None = None
    for pos, (part, quoted) in enumerate(parts):
        if isinstance(part, Parameter) and is_list(part):
            many = _list_words(part, values, quoted=quoted)
            if many is None:
                last = _unknown_end(word, parts[pos:], current or "", values, depth)
                break
            current = _put_in(done, current, many, quoted=quoted)
            continue
        value = _value(parts, pos, values, depth)
        is_plain = not quoted and isinstance(part, Literal)
        if is_plain and not pos and value is not None:
            value = _with_home(value, values)
        is_pattern = is_plain and value is not None and _has_pattern(value)
        if value is None or is_pattern or len(current or "") > _MAX_LENGTH:
            last = _unknown_end(word, parts[pos:], current or "", values, depth)
            break
        if quoted or isinstance(part, Literal):
            current = (current or "") + value
        else:
            current = _split_into(done, current, value)
    else:
        last = None
        done += [] if current is None else [current]
    is_expanded = any(
        isinstance(part, Substitution) or (isinstance(part, Parameter) and part.name not in _PLACES)
        for part, _ in parts
    )
    known = [_made(t, word, is_expanded=is_expanded) for t in done]
    return known if last is None else [*known, last]


def _with_home(value: str, values: Values) -> str:
    """The beginning of a word with the home in place of its tilde: `~/$x`."""
    home = values.certain.get("HOME", "") if value.startswith("~/") else ""
    return home.encode("utf-8", "surrogateescape").decode("latin-1") + value[1:] if home else value


def _made(value: str | None, word: Word, *, is_expanded: bool) -> Argument:
    known = None if value is None else text(value)
    return Argument(known, word.start, word.end, expanded=is_expanded)


def _list_words(part: Parameter, values: Values, *, quoted: bool) -> List | None:
    """The words of `"$@"`, or the one of `"$*"`; unquoted, none of them may be a pattern."""
    words = words_of(part, values)
    if words is None:
        return None
    if not quoted and any(word is None or _has_pattern(word) for word in words):
        return None
    encoded = [w and w.encode("utf-8", "surrogateescape").decode("latin-1") for w in words]
    if quoted and "*" in (part.name, part.index):
        return None if None in encoded else (" ".join(w or "" for w in encoded),)
    return tuple(encoded)


def _put_in(
    done: list[str | None], current: str | None, words: List, *, quoted: bool
) -> str | None:
    """Add the words of a list: the first to the current argument, and the last is the next one."""
    for pos, word in enumerate(words):
        if pos:
            done += [] if current is None else [current]
            current = None
        if word is None:
            done.append(None)
        elif quoted:
            current = (current or "") + word
        else:
            current = _split_into(done, current, word)
    return current


def _unknown_end(
    word: Word, parts: list[tuple[Part, bool]], known: str, values: Values, depth: int
) -> Argument:
    """The argument that begins with what is known; the first of the parts is not."""
    first, is_whole = parts[0][0], len(parts) == 1 and not known
    if isinstance(first, Parameter) and first.name in _NUMBERS and not known:
        known = "0"  # some number, which is not an option
    elif parts[0][1] and (is_plain(parts, 0) or isinstance(first, Substitution)):
        known += _begins_with(parts, values, depth)  # in quotes, where it is not split
    # Alone, one word may also be none.
    has_text = known or any(isinstance(part, Literal) and part.value for part, _ in parts)
    is_several = any(
        part_splits(part, quoted=quoted)
        and not (has_text and _printed_by(part, values, depth, is_name))
        for pos, (part, quoted) in enumerate(parts)
        if _value(parts, pos, values, depth) is None
    )
    argument = Argument(
        None,
        word.start,
        word.end,
        leading=text(known),
        glob=isinstance(first, Literal) and not is_several,
        splits=is_several,
        expanded=True,
    )
    argument.shapes = _shapes(word, values, depth)
    argument.is_stream = is_whole and getattr(first, "style", "") in ("<(", ">(")
    if is_whole and gives_number(first, values, depth):
        argument.leading, argument.is_number = "0", True
        argument.is_job = gives_job(first, values)
    if not known and gives_revisions(first, values, depth):
        rest = [part for part, _ in parts[1:] if part.start < part.end]
        follows = rest[0].value if rest and isinstance(rest[0], Literal) else ""
        argument.is_revision = not rest or (follows or "-")[0] != "-"
    argument.possible = possible_texts(word, values, depth)
    return argument


def pieces(word: Word) -> list[tuple[Part, bool]]:
    """The parts without double quotes, each with a flag for "quoted"; `""` leaves an empty one."""
    flattened: list[tuple[Part, bool]] = []
    for part in word.parts:
        if isinstance(part, DoubleQuoted):
            flattened.append((_EMPTY, True))
            flattened += flat(part.parts, quoted=True)
        else:
            flattened.append((part, isinstance(part, Quoted)))
    return flattened


def _has_pattern(value: str) -> bool:
    return any(char in "*?[{~" for char in value)


def _split_into(done: list[str | None], current: str | None, value: str) -> str | None:
    """Add an unquoted result to the current argument: blanks end it and begin the next."""
    words = [word for word in value.translate(_TO_SPACE).split(" ") if word]
    if current is not None and value[:1] in _BLANKS and value:
        done.append(current)
        current = None
    for word in words[:-1]:
        done.append((current or "") + word)
        current = None
    if not words:
        return current
    if value[-1] in _BLANKS:
        done.append((current or "") + words[-1])
        return None
    return (current or "") + words[-1]


def _shapes(word: Word, values: Values, depth: int) -> tuple[str, ...]:
    parts = pieces(word)
    texts = [_value(parts, pos, values, depth) for pos in range(len(parts))]
    return shapes_of(parts, texts, values)


def _value(parts: list[tuple[Part, bool]], pos: int, values: Values, depth: int) -> str | None:
    """The text that a piece gives, one character per byte; None if not known."""
    part, quoted = parts[pos]
    if isinstance(part, Literal | Quoted):
        return part.value
    if isinstance(part, Substitution):
        value, forbidden = result(part, values, depth), "*?[\\("
    elif isinstance(part, Parameter):
        is_operated = part.prefix or part.operator or part.index is not None
        if is_operated:
            value = certain_value(part, values)
        else:
            value = values.certain.get(part.name) if is_plain(parts, pos) else None
        forbidden = "*?[\\(" if values.lists else "*?[\\( \t\n"
    else:
        return None
    if value is None or (not quoted and any(char in forbidden for char in value)):
        return None
    return value.encode("utf-8", "surrogateescape").decode("latin-1")


def is_plain(parts: list[tuple[Part, bool]], pos: int) -> bool:
    """`$x` or `${x}`; `$x:h` and `$x[1]` say something else in zsh (zshexpn(1), "Modifiers")."""
    part, quoted = parts[pos]
    if not isinstance(part, Parameter) or part.prefix or part.operator or part.index is not None:
        return False
    if part.end - part.start > len(part.name) + 1 or pos + 1 == len(parts):
        return True
    following, is_quoted = parts[pos + 1]
    if not isinstance(following, Literal) or quoted is not is_quoted:
        return True
    return _CHANGES_IN_ZSH.match(following.value) is None


def _begins_with(parts: list[tuple[Part, bool]], values: Values, depth: int) -> str:
    """What the first of the parts begins with, where its text is not known."""
    first = parts[0][0]
    if isinstance(first, Parameter):
        is_path, leading = first.name in values.paths, values.leading.get(first.name, "")
    else:
        is_path, leading = gives_path(first, values, depth), ""
    if not leading and is_path and begins_path(parts[1:]):
        return "/"
    return leading.encode("utf-8", "surrogateescape").decode("latin-1")


def begins_path(rest: list[tuple[Part, bool]]) -> bool:
    """Tell whether what follows a path, or nothing, keeps it a path: a slash, or no more text."""
    following = [part for part, _ in rest if part.start < part.end]
    if not following:
        return True
    return isinstance(following[0], Literal) and following[0].value.startswith("/")


def gives_number(part: Part, values: Values, depth: int = 0) -> bool:
    """Tell whether it is a number or nothing: what the last command of a pipeline prints."""
    if isinstance(part, Parameter):
        is_number_itself = part.name in _NUMBERS and not (part.prefix or part.operator)
        return is_number_itself or gives_job(part, values)
    return _printed_by(part, values, depth, is_number, of_pipe=True)


def gives_numbers(part: Part, values: Values) -> bool:
    """Tell whether it is numbers, as many as they may be, or nothing."""
    return gives_number(part, values) or _printed_by(part, values, 0, is_numbers, of_pipe=True)


def gives_job(part: Part, values: Values) -> bool:
    """Tell whether it is `$!`, or a variable that holds that."""
    if not isinstance(part, Parameter) or part.prefix or part.operator or part.index is not None:
        return False
    return part.name == "!" or part.name in values.jobs


def gives_path(part: Part, values: Values, depth: int = 0) -> bool:
    """Tell whether a substitution gives an absolute path, or nothing."""
    return _printed_by(part, values, depth, is_path)


def gives_revisions(part: Part, values: Values, depth: int = 0) -> bool:
    """Tell whether a part of a word is nothing but names of objects of git, or empty."""
    if isinstance(part, Parameter):
        is_whole = not (part.prefix or part.operator or part.index is not None)
        return is_whole and part.name in values.revisions
    if not isinstance(part, Substitution) or "git" not in values.printers or depth >= MAX_DEPTH:
        return False
    commands = piped(part)
    if not commands or literal(commands[0].words[0]) != "git":
        return False
    from laconic.knowledge.revisions import prints_revisions  # noqa: PLC0415 - seldom

    return prints_revisions([expand(command.words, values, depth + 1) for command in commands])


def _printed_by(
    part: Part,
    values: Values,
    depth: int,
    test: Callable[[str, list[str]], bool],
    *,
    of_pipe: bool = False,
) -> bool:
    """Tell whether what a substitution prints passes a test of its command and the words of that.

    of_pipe: the last command of a pipeline decides.
    """
    if not isinstance(part, Substitution) or depth >= MAX_DEPTH:
        return False
    commands = piped(part)
    if not commands or (len(commands) > 1 and not of_pipe):
        return False
    name = literal(commands[-1].words[0]) or ""
    if name not in values.printers:
        return False
    arguments = expand(commands[-1].words[1:], values, depth + 1)
    words = [argument.text or "" for argument in arguments]
    return all(argument.is_static for argument in arguments) and test(name, words)


def result(substitution: Substitution, values: Values, depth: int = 0) -> str | None:
    """What a substitution gives, if its command only prints what its arguments say."""
    command = printer(substitution, values.printers) if depth < MAX_DEPTH else None
    if command is None:
        return None
    arguments = expand(command.words[1:], values, depth + 1)
    if not all(argument.is_static for argument in arguments):
        return None
    texts = [argument.text or "" for argument in arguments]
    name = literal(command.words[0]) or ""
    if name == "mktemp":
        return new_file(texts, substitution.start)
    return output(name, texts, values.certain)
