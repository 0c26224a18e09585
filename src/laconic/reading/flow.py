"""Which values variables have where: assignments and loops, followed in the order they run in.

Only what is certain counts. A part of a pipeline, a subshell and a substitution have variables of
their own, except that the last part of a pipeline may run in the shell itself (`lastpipe`, zsh).
A command that may not run may not assign, and one that runs again may see later values. An error
in an expansion ends a line of the text, and the shell goes on with the next one.
https://www.gnu.org/software/bash/manual/html_node/Command-Execution-Environment.html
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping
from itertools import product

from laconic.knowledge.arguments import (
    Values,
    begins_path,
    expand,
    gives_job,
    gives_path,
    gives_revisions,
    is_plain,
    pieces,
    result,
)
from laconic.knowledge.parameters import MAX_POSSIBLE, changed, possible_values
from laconic.knowledge.possible import possible_results
from laconic.patterns import pattern
from laconic.shell.ast import (
    AndOr,
    AnyCommand,
    Arithmetic,
    Array,
    Assignment,
    Case,
    Command,
    Compound,
    Literal,
    Loop,
    Node,
    Parameter,
    Part,
    Pattern,
    Pipeline,
    Quoted,
    Script,
    Sequence,
    Substitution,
    Word,
    nodes,
)
from laconic.shell.walk import outermost_substitutions
from laconic.shell.words import text

MAX_TEXTS = 16
MAX_LENGTH = 256
_NEVER_WRONG = frozenset(("#", "##", "%", "%%", ":-", "-", ":+", "+"))
_PLAIN = pattern(r"[A-Za-z0-9_./,*-]*")
_FAILS_IN_ZSH = pattern(r"[*?[]|~(?!/)|(?:^|:)=")


class Content:
    """texts: what a variable may hold. whole: it holds one of them, and nothing else.

    leading: what it begins with for certain, where it is not whole. is_path: it is an absolute
    path, or empty. is_revision: it is names of objects of git, or empty. is_job: it is `$!`.
    """

    __slots__ = ("is_job", "is_path", "is_revision", "leading", "texts", "whole")

    def __init__(
        self,
        texts: Iterable[str],
        *,
        whole: bool,
        leading: str = "",
        is_path: bool = False,
        is_revision: bool = False,
        is_job: bool = False,
    ) -> None:
        distinct = tuple(dict.fromkeys(texts))
        short = tuple(t for t in distinct if len(t) <= MAX_LENGTH)
        self.whole = whole and short == distinct and len(short) <= MAX_TEXTS
        self.texts = short[:MAX_POSSIBLE]
        self.leading = _common_beginning(distinct) if self.whole else leading
        self.is_path = is_path or self.leading.startswith("/")
        self.is_revision, self.is_job = is_revision, is_job


def _common_beginning(texts: Collection[str]) -> str:
    """Return the text that all begin with: what the first and the last in order have in common."""
    if not texts:
        return ""
    first, last = min(texts), max(texts)
    length = next((n for n, char in enumerate(first) if last[n : n + 1] != char), len(first))
    return first[:length]


UNKNOWN = Content((), whole=False)
State = dict[str, Content]


def _joined(states: list[State]) -> State:
    """What holds if any of the states may be the case."""
    first = states[0]
    if all(state is first for state in states):
        return first
    joined: State = {}
    for name in dict.fromkeys(name for state in states for name in state):
        given = [state.get(name, UNKNOWN) for state in states]
        if all(value is given[0] for value in given):
            joined[name] = given[0]
        else:
            texts = [text for value in given for text in value.texts]
            joined[name] = Content(
                texts,
                whole=all(value.whole for value in given),
                leading=_common_beginning([value.leading for value in given]),
                is_path=all(value.is_path for value in given),
                is_revision=all(value.is_revision for value in given),
                is_job=all(value.is_job for value in given),
            )
    return joined


def _single(state: State) -> dict[str, str]:
    return {n: v.texts[0] for n, v in state.items() if v.whole and len(v.texts) == 1}


def worlds(state: State, known: Mapping[str, str], node: Node) -> list[dict[str, str]]:
    """The values of variables at a node: one mapping for each of the cases that are possible."""
    certain = {**known, **_single(state)}
    several = {name for name, value in state.items() if value.whole and len(value.texts) > 1}
    if several:
        several &= {part.name for part in nodes(node) if isinstance(part, Parameter)}
    cases, names = 1, sorted(several)
    for name in names:
        cases *= len(state[name].texts)
    if not names or cases > MAX_TEXTS:
        return [certain]
    return [
        {**certain, **dict(zip(names, chosen, strict=True))}
        for chosen in product(*(state[name].texts for name in names))
    ]


class Flow:
    """One walk over a script.

    states: what holds at each simple command and redirect, by its id. places: where the followed
    variables are set. every: all texts that the script gives to a name.
    """

    __slots__ = ("_line", "every", "known", "now", "places", "printers", "states")

    def __init__(
        self,
        script: Script,
        names: frozenset[str],
        all_nodes: list[Node],
        values: Values,
    ) -> None:
        self._line = values.line
        self.known, self.printers, self.every = values.certain, values.printers, values.possible
        self.places: dict[str, list[int]] = {name: [] for name in names}
        for node in all_nodes:
            if isinstance(node, Assignment | Loop) and node.name in names:
                self.places[node.name].append(node.start)
        for starts in self.places.values():
            starts.sort()
        self.now: State = {}
        self.states: dict[int, State] = {}
        self._sequence(script.body)

    # -- states

    def _forget(self, node: Node) -> None:
        """From here on, the names that the node sets may have any of their values, or another."""
        changed = {}
        for name, starts in self.places.items():
            first = bisect_left(starts, node.start)
            if first < len(starts) and starts[first] < node.end:
                changed[name] = Content(self.every.get(name, ()), whole=False)
        self.now = {**self.now, **changed}

    def _assign(self, assignment: Assignment) -> None:
        if assignment.name in self.places:
            value = assignment.value
            given = self._given(value) if isinstance(value, Word) else Content(("",), whole=True)
            self.now = {**self.now, assignment.name: given}

    def _given(self, word: Word) -> Content:
        """The value that a word assigns; words are neither split nor matched with files there."""
        texts, whole = [""], True
        parts = pieces(word)
        inner = [part for part, _ in parts if part.start < part.end]
        if len(inner) == 1 and gives_revisions(inner[0], self._values()):
            return Content((), whole=False, is_revision=True)
        if len(inner) == 1 and gives_job(inner[0], self._values()):
            return Content((), whole=False, is_job=True)
        begins = Content(("",), whole=True)  # with what it begins, as far as that is known
        for pos in range(len(parts)):
            value = self._part(parts, pos)
            if begins.whole:
                begins = _followed(begins, value, parts[pos + 1 :])
            texts = [done + more for done in texts for more in value.texts]
            whole = whole and value.whole
            if len(texts) > MAX_TEXTS or any(len(one) > MAX_LENGTH for one in texts):
                whole = False
                break
        return Content(texts, whole=whole, leading=begins.leading, is_path=begins.is_path)

    def _part(self, parts: list[tuple[Part, bool]], pos: int) -> Content:
        part, quoted = parts[pos]
        if isinstance(part, Literal | Quoted):
            if isinstance(part, Literal) and not quoted and "~" in part.value:
                return self._at_home(part.value) if not pos else UNKNOWN
            return UNKNOWN if part.value is None else Content((text(part.value),), whole=True)
        if isinstance(part, Parameter):
            if part.prefix or part.operator or part.index is not None:
                return self._operated(part)
            return self._held(part.name) if is_plain(parts, pos) else UNKNOWN
        if not isinstance(part, Substitution):
            return UNKNOWN
        values = self._values()
        known = result(part, values)
        if known is not None:
            return Content((known,), whole=True)
        texts = possible_results(part, values)
        return Content(texts, whole=False, is_path=gives_path(part, values))

    def _held(self, name: str) -> Content:
        given = self.now.get(name) if name in self.places else None
        if given is not None:
            return given
        known = self.known.get(name)
        return UNKNOWN if known is None else Content((known,), whole=True)

    def _operated(self, part: Parameter) -> Content:
        """`${x%.c}`: what the operator makes of each value that the variable may have."""
        held = self._held(part.name) if not part.prefix and part.index is None else UNKNOWN
        made = [changed(part, one) for one in held.texts] if held.whole else [None]
        texts = [one for one in made if one is not None]
        if len(texts) == len(made):
            return Content(texts, whole=True)
        return Content(possible_values(part, self._values()), whole=False)

    def _at_home(self, value: str) -> Content:
        """A tilde at the beginning; text with further ones, after colons, is not known."""
        home, rest = self.known.get("HOME"), value[1:]
        if value[:2] == "~+":  # the current directory
            home, rest = self.known.get("PWD"), value[2:]
        if home is None or value[0] != "~" or "~" in rest or (rest and rest[0] != "/"):
            return UNKNOWN
        return Content((home + text(rest),), whole=True)

    def _values(self) -> Values:
        possible = {**self.every, **{name: value.texts for name, value in self.now.items()}}
        certain = {**self.known, **_single(self.now)}
        revisions = frozenset(name for name, value in self.now.items() if value.is_revision)
        jobs = frozenset(name for name, value in self.now.items() if value.is_job)
        return Values(
            certain, possible, self.printers, line=self._line, revisions=revisions, jobs=jobs
        )

    # -- lists

    def _sequence(self, sequence: Sequence) -> None:
        """Line by line: what an error ends, ends with its line at the latest."""
        start, first = self.now, 0
        for pos, separator in enumerate(sequence.separators):
            self._item(sequence.items[pos], background=_is_background(separator))
            if separator is None or separator.text == "\n":
                line = sequence.items[first : pos + 1]
                if self.now is not start and any(map(may_fail, line)):
                    for item in line:
                        self._forget(item)
                start, first = self.now, pos + 1

    def _apart(self, sequence: Sequence) -> None:
        before = self.now
        self._sequence(sequence)
        self.now = before

    def _item(self, item: AndOr, *, background: bool) -> None:
        before, end = self.now, None
        is_chain = all(operator.text == "&&" for operator in item.operators)
        for pipeline in item.pipelines:
            if end is not None and not is_chain:
                self.now = end
            self._pipeline(pipeline)
            end = self.now if end is None else _joined([end, self.now])
        self.now = before if background or end is None else end

    def _pipeline(self, pipeline: Pipeline) -> None:
        before = self.now
        for command in pipeline.commands:
            self.now = before
            self._command(command)
        if len(pipeline.commands) > 1:
            self.now = _joined([before, self.now])

    # -- commands

    def _command(self, command: AnyCommand) -> None:
        before = self.now
        redirects = getattr(command, "redirects", ())
        for redirect in redirects:
            self.states[id(redirect)] = before
            self._inside(redirect)
        if isinstance(command, Command):
            self._simple(command)
        elif isinstance(command, Compound):
            self._compound(command)
        elif isinstance(command, Loop):
            self._loop(command)
        elif isinstance(command, Case):
            self._case(command)
        else:
            self._inside(command)
        if redirects and self.now is not before:
            self.now = _joined([before, self.now])  # a redirect that fails stops it

    def _simple(self, command: Command) -> None:
        before = self.states[id(command)] = self.now
        for assignment in command.assignments:
            self._inside(assignment)
            if not command.words:
                self._assign(assignment)
        for word in command.words:
            self._inside(word)
        if self.now is not before and may_fail(command):
            self.now = _joined([before, self.now])

    def _compound(self, command: Compound) -> None:
        if command.kind == "(":
            self._apart(command.bodies[0])
        elif command.kind == "if":
            self._if(command.bodies)
        else:
            is_loop = command.kind in ("while", "until")
            if is_loop:
                self._forget(command)
            before = self.now
            for body in command.bodies:
                self._sequence(body)
            if is_loop:
                self.now = _joined([before, self.now])

    def _if(self, bodies: tuple[Sequence, ...]) -> None:
        exits = []
        for test, body in zip(bodies[::2], bodies[1::2], strict=False):
            self._sequence(test)
            tested = self.now
            self._sequence(body)
            exits.append(self.now)
            self.now = tested
        if len(bodies) % 2:
            self._sequence(bodies[-1])
        self.now = _joined([*exits, self.now])

    def _loop(self, loop: Loop) -> None:
        for part in (*(loop.words or ()), *filter(None, (loop.header,))):
            self._inside(part)
        given = expand(loop.words or (), self._values())
        is_whole = loop.kind == "for" and bool(given) and all(word.is_static for word in given)
        self._forget(loop)
        before = self.now
        if loop.name in self.places:
            texts = [t for word in given for t in word.texts]
            leading = "" if loop.kind != "for" else _common_beginning([w.leading for w in given])
            is_revision = loop.kind == "for" and all(word.is_revision for word in given)
            self.now = dict(before)
            self.now[loop.name] = Content(
                texts, whole=is_whole, leading=leading, is_revision=is_revision and bool(given)
            )
        self._sequence(loop.body)
        self.now = before

    def _case(self, case: Case) -> None:
        self._inside(case.subject)
        for clause in case.clauses:
            before = self.now  # none of the bodies so far, or any of them
            for word in clause.patterns:
                self._inside(word)
            self._sequence(clause.body)
            self.now = _joined([before, self.now])

    def _inside(self, root: Node) -> None:
        """The substitutions in words, with variables of their own."""
        for substitution in outermost_substitutions(root):
            self._apart(substitution.body)


def _followed(begins: Content, value: Content, rest: list[tuple[Part, bool]]) -> Content:
    """What a word begins with, one part more; begins: all the parts so far, of one text."""
    known = begins.leading
    if value.whole and len(value.texts) == 1:
        return Content((known + value.texts[0],), whole=True)
    is_last = all(part.start == part.end for part, _ in rest)
    is_path = value.is_path and is_last and not known
    leading = value.leading
    if not leading and value.is_path and not is_last and begins_path(rest):
        leading = "/"  # the slash that follows, if the path is empty
    return Content((), whole=False, leading=known + leading, is_path=is_path)


def _is_background(separator: Node | None) -> bool:
    return getattr(separator, "text", "") == "&"


def may_fail(root: Node) -> bool:
    """Tell whether an expansion in it may be an error: arithmetic, operators, in zsh also globs."""
    return any(
        isinstance(node, Arithmetic | Pattern | Array)
        or (isinstance(node, Parameter) and _may_be_wrong(node))
        or (isinstance(node, Literal) and _FAILS_IN_ZSH.search(node.value))
        for node in nodes(root)
    )


def _may_be_wrong(part: Parameter) -> bool:
    """`${x%.c}` and `${x:-a}` with plain words are fine in every shell."""
    if part.prefix or part.index is not None:
        return True
    is_fine = part.operator in _NEVER_WRONG and _PLAIN.fullmatch(part.operand) is not None
    return bool(part.operator) and not is_fine
