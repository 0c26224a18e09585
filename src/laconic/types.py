"""The values that all layers speak of: verdicts, effects and decisions."""

from __future__ import annotations

from enum import Enum, IntEnum, IntFlag, StrEnum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Never, Self

    from laconic.errors import Problem


class Verdict(StrEnum):
    """May it run? The strictest of several wins; the order of the words is that of strictness."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class Outcome(IntEnum):
    """What laconic answers about a command; the strictest of several wins.

    A verdict says what would be right; the outcome is what the user's settings and the agent's mode
    make of it. LEFT: laconic says nothing, and the agent goes by its own rules.
    """

    ALLOWED = 0
    LEFT = 1
    ASKED = 2
    DENIED = 3

    @property
    def word(self) -> str | None:
        """The word for an agent; None where nothing is said."""
        match self:
            case Outcome.ALLOWED:
                return "allow"
            case Outcome.LEFT:
                return None
            case Outcome.ASKED:
                return "ask"
            case Outcome.DENIED:
                return "deny"
            case other:
                return assert_never(other)

    @property
    def said(self) -> str:
        """The word for a person, of what happened to a command."""
        return "left to the agent" if self is Outcome.LEFT else self.name.lower()

    @classmethod
    def of(cls, verdict: Verdict) -> Outcome:
        """The outcome where laconic alone decides."""
        match verdict:
            case Verdict.ALLOW:
                return cls.ALLOWED
            case Verdict.ASK:
                return cls.ASKED
            case Verdict.DENY:
                return cls.DENIED
            case other:
                return assert_never(other)


def assert_never(value: Never) -> Never:
    """The end of a `match` over all there is; that of `typing` takes too long to load."""
    raise AssertionError(value)


class Effect(IntFlag):
    """What would happen if a command ran; docs/gate.md says what each of them covers.

    A command has the effects of all its parts. READS is the absence of any other.
    """

    READS = 0
    DOWNLOADS = 1
    PROJECT_CODE = 2
    PROJECT_WRITE = 4
    HISTORY = 8
    DISCARDS = 16
    INSTALLS = 32
    UNKNOWN = 64
    UNCLEAR = 128
    SENDS = 256
    OUTSIDE_WRITE = 512
    GUARDED_WRITE = 1024
    SYSTEM = 2048
    SECRETS = 4096
    DESTROYS = 8192
    UNJUDGED = 16384
    RUNS_FETCHED = 32768

    @property
    def words(self) -> tuple[str, ...]:
        """Their names, as people write them: `project-code`."""
        return tuple(word for word, effect in EFFECTS.items() if effect & self) or ("reads",)

    def __str__(self) -> str:
        return ", ".join(self.words)

    def __format__(self, form: str) -> str:
        return format(str(self), form)

    # IntFlag's own operators take four times as long, and a decision uses dozens of them.
    def __and__(self, other: int) -> Effect:
        return _COMBINED[int.__and__(self, other)]

    def __or__(self, other: int) -> Effect:
        return _COMBINED[int.__or__(self, other)]


class _Combined(dict[int, Effect]):
    """Effects by their bits; each combination is made once."""

    def __missing__(self, bits: int) -> Effect:
        made = self[bits] = Effect(bits)
        return made


_COMBINED = _Combined()

MEANINGS = {
    "reads": "looks and prints",
    "downloads": "fetches; nothing of this machine goes out but a literal address",
    "project-code": "runs code that the project or its dependencies bring",
    "project-write": "creates, changes or deletes files of the project, or temporary ones",
    "history": "changes the state of the local repository in a way that can be taken back",
    "discards": "throws away work that the repository does not hold",
    "installs": "brings new code onto the machine",
    "unknown": "a program, subcommand or option that laconic does not know",
    "unclear": "text whose meaning is not certain before it runs",
    "sends": "publishes something, or text of this machine leaves it",
    "outside-write": "writes outside the project and temporary directories",
    "guarded-write": "writes what decides what runs later",
    "system": "processes, services, permissions, other machines, containers, privileges",
    "secrets": "reads or prints credentials",
    "destroys": "cannot be taken back, and nobody means it",
    "unjudged": "what laconic cannot judge: text that cannot be read, or a fault of its own",
    "runs-fetched": "runs code that comes from the network, unseen",
}
EFFECTS = {word: Effect[word.upper().replace("-", "_")] for word in MEANINGS}
HARD = (
    Effect.SENDS
    | Effect.OUTSIDE_WRITE
    | Effect.GUARDED_WRITE
    | Effect.SYSTEM
    | Effect.SECRETS
    | Effect.DESTROYS
    | Effect.UNJUDGED
    | Effect.RUNS_FETCHED
)


# What nothing but a box can judge.
BOXABLE = Effect.PROJECT_CODE | Effect.UNKNOWN | Effect.UNCLEAR


class Kind(StrEnum):
    """What a finding is about, as far as something depends on it; ids of rules end in it.

    WHOLE: the program with all its words. EDITOR: an editor starts, and waits for a person.
    FETCHED: code in a directory that the line fetches. OTHER: what only people read.
    """

    WHOLE = ""
    ADD = "add"
    CODE = "code"
    CREATE = "create"
    DELETE = "delete"
    DYNAMIC = "dynamic"
    EDITOR = "editor"
    FETCHED = "fetched"
    FILE = "file"
    INPUT = "input"
    MODE = "mode"
    NEEDS = "needs"
    NETWORK = "network"
    OPTION = "option"
    OUTSIDE = "outside"
    PACKAGE = "package"
    PATH = "path"
    RECORD = "record"
    REQUEST = "request"
    SCRIPT = "script"
    SECRET = "secret"  # noqa: S105 - what a finding is about
    SET = "set"
    STARTS = "starts"
    STATEMENT = "statement"
    STDIN = "stdin"
    SUBCOMMAND = "subcommand"
    VALUE = "value"
    VERB = "verb"
    WORD = "word"
    WRITE = "write"
    OTHER = "other"


class Source(Enum):
    """Who says what a finding says.

    OURS: the knowledge of laconic's own commands. LIST, RULE, ALLOWANCE: the user, by a list of the
    configuration, a rule about commands, or an allowance. POLICY: what the machine's requires.
    """

    KNOWLEDGE = 0
    OURS = 1
    LIST = 2
    RULE = 3
    ALLOWANCE = 4
    POLICY = 5


# What the user allows runs as it was typed.
GRANTS = frozenset((Source.LIST, Source.RULE, Source.ALLOWANCE))


class Value:
    """Something with named parts that does not change: `but` makes another one."""

    def but(self, **changes: Any) -> Self:
        """Return the same with other values for some of its parts."""
        parts = self.__dict__ | changes
        if len(parts) > len(self.__dict__):
            raise AttributeError(f"it has no {', '.join(changes.keys() - self.__dict__.keys())}")
        made = self.__new__(type(self))
        object.__setattr__(made, "__dict__", parts)  # without a copy
        return made


class Decision(Value):
    """A verdict that explains itself.

    effects: what the command would do. rule is the id of what decided (`git/push`), start and end
    the bytes of the command it is about. risk tells an ASK that a rule calls for from one for lack
    of an opinion. firm: no allowance and no allow-list of the user's removes it. instead: what to
    do in its place. problems: what is wrong with the files that the whole decision was made from.
    in_box: the verdict holds if it runs in the box, and only then. stays: all that is installed
    stays in the project. kind: what a finding is about.
    source: who says it.
    """

    verdict: Verdict
    rule: str
    reason: str
    start: int
    end: int
    effects: Effect
    parts: tuple[Decision, ...]
    instead: str
    risk: bool
    firm: bool
    problems: tuple[Problem, ...]
    in_box: bool
    stays: bool
    kind: Kind
    source: Source

    def __init__(
        self,
        verdict: Verdict,
        rule: str,
        reason: str,
        start: int = 0,
        end: int = 0,
        *,
        effects: Effect = Effect.READS,
        parts: tuple[Decision, ...] = (),
        instead: str = "",
        risk: bool = True,
        firm: bool = False,
        problems: tuple[Problem, ...] = (),
        in_box: bool = False,
        stays: bool = False,
        kind: Kind = Kind.OTHER,
        source: Source = Source.KNOWLEDGE,
    ) -> None:
        own = vars(self)
        own["verdict"], own["rule"], own["reason"] = verdict, rule, reason
        own["start"], own["end"], own["parts"], own["effects"] = start, end, parts, effects
        own["instead"], own["risk"], own["firm"], own["problems"] = instead, risk, firm, problems
        own["in_box"], own["stays"], own["kind"], own["source"] = in_box, stays, kind, source

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a decision does not change: {name}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Decision) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self.verdict, self.rule, self.reason, self.span))

    def __repr__(self) -> str:
        what = f"{self.verdict}, {self.rule!r}, {self.reason!r}"
        return f"Decision({what}, {self.start}..{self.end})"

    def __str__(self) -> str:
        """One line for a person, without characters that control the terminal."""
        line = f"{self.said}: {self.reason} ({self.rule})"
        line += f"; instead: {self.instead}" if self.instead else ""
        return "".join(c if c.isprintable() else "\ufffd" for c in line)

    @property
    def said(self) -> str:
        """The verdict in words for a person."""
        return f"{self.verdict} in the box" if self.in_box else str(self.verdict)

    @property
    def span(self) -> tuple[int, int]:
        """The bytes of the command that it is about."""
        return self.start, self.end

    def with_problems(self, problems: tuple[Problem, ...]) -> Decision:
        """The same decision, which also says what is wrong with the files it was made from."""
        return self.but(problems=problems)

    def to_dict(self, command: str | None = None) -> dict[str, Any]:
        """Plain data, as `laconic check --json` prints it; of each part its text, too."""
        document: dict[str, Any] = {"verdict": str(self.verdict), "effects": [*self.effects.words]}
        if command is not None:
            source = command.encode("utf-8", "surrogateescape")
            document["text"] = source[self.start : self.end].decode("utf-8", "replace")
        document |= {
            "rule": self.rule,
            "reason": self.reason,
            "start": self.start,
            "end": self.end,
            "risk": self.risk,
            "firm": self.firm,
        }
        if self.in_box:
            document["box"] = True
        if self.instead:
            document["instead"] = self.instead
        if self.parts:
            document["parts"] = [part.to_dict(command) for part in self.parts]
        return document

    def about(self, start: int, end: int) -> Decision:
        """The same decision about other bytes; its parts, whose spans are of its own text, go."""
        return self.but(start=start, end=end, parts=())

    @property
    def is_soft(self) -> bool:
        """Tell whether it asks, and only because of soft effects: an agent may ask instead."""
        if self.verdict is not Verdict.ASK:
            return False
        grounds = [leaf for leaf in self.leaves() if leaf.verdict is not Verdict.ALLOW]
        return bool(grounds) and not any(
            leaf.verdict is Verdict.DENY
            or leaf.effects & HARD
            or not leaf.effects
            or leaf.source is Source.POLICY
            for leaf in grounds
        )

    def with_leaves(self, change: Callable[[Decision], Decision]) -> Decision:
        """The same decision with other leaves."""
        if not self.parts:
            return change(self)
        return self.but(parts=tuple(part.with_leaves(change) for part in self.parts))

    def leaves(self) -> Iterable[Decision]:
        """The decisions without parts that this one is based on."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.leaves()


def union(effects: Iterable[Effect]) -> Effect:
    """All the effects of several."""
    together = 0
    for effect in effects:
        together = int.__or__(together, effect)  # once, and not once for each
    return _COMBINED[together]


def strictest(parts: Iterable[Decision], start: int, end: int) -> Decision:
    """One decision over several: the strictest verdict, with the reason of what harms most."""
    findings = tuple(parts)
    if not findings:
        return Decision(Verdict.ALLOW, "nothing", "runs nothing", start, end, risk=False)
    if len(findings) == 1:
        return findings[0]
    verdict = max(part.verdict for part in findings)
    deciding = [part for part in findings if part.verdict is verdict]
    main = deciding[0]
    if len(deciding) > 1:
        main = max(deciding, key=lambda part: (bool(part.effects & HARD), part.risk))
    return Decision(
        verdict,
        main.rule,
        main.reason,
        start,
        end,
        effects=union(part.effects for part in findings),
        parts=findings,
        instead=main.instead,
        risk=any(part.risk for part in deciding),
        firm=any(part.firm for part in deciding),
    )
