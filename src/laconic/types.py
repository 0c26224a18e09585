"""The values that all layers speak of: verdicts and decisions."""

from __future__ import annotations

from enum import IntEnum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from laconic.errors import Problem


class Verdict(IntEnum):
    """May it run? The strictest of several wins."""

    ALLOW = 0
    ASK = 1
    DENY = 2

    @property
    def word(self) -> str:
        return self.name.lower()


class Decision:
    """A verdict that explains itself.

    rule is the id of what decided (`git/push`), start and end the bytes of the command it is about.
    risk tells an ASK that a rule calls for from one for lack of an opinion. firm: no exception and
    no allow-list of the user's removes it. instead: what to do in its place. problems: what is
    wrong with the files that the whole decision was made from.
    """

    __slots__ = (
        "end", "firm", "instead", "parts", "problems", "reason", "risk", "rule", "start", "verdict",
    )  # fmt: skip

    def __init__(
        self,
        verdict: Verdict,
        rule: str,
        reason: str,
        start: int = 0,
        end: int = 0,
        *,
        parts: tuple[Decision, ...] = (),
        instead: str = "",
        risk: bool = True,
        firm: bool = False,
        problems: tuple[Problem, ...] = (),
    ) -> None:
        self.verdict, self.rule, self.reason = verdict, rule, reason
        self.start, self.end, self.parts = start, end, parts
        self.instead, self.risk, self.firm, self.problems = instead, risk, firm, problems

    def __repr__(self) -> str:
        what = f"{self.verdict.word}, {self.rule!r}, {self.reason!r}"
        return f"Decision({what}, {self.start}..{self.end})"

    def __str__(self) -> str:
        """One line for a person; names and words in it cannot command the terminal."""
        line = f"{self.verdict.word}: {self.reason} ({self.rule})"
        line += f"; instead: {self.instead}" if self.instead else ""
        return "".join(c if c.isprintable() else "\ufffd" for c in line)

    @property
    def span(self) -> tuple[int, int]:
        """The bytes of the command that it is about."""
        return self.start, self.end

    def with_problems(self, problems: tuple[Problem, ...]) -> Decision:
        """The same decision, which also says what is wrong with the files behind it."""
        return Decision(
            self.verdict,
            self.rule,
            self.reason,
            self.start,
            self.end,
            parts=self.parts,
            instead=self.instead,
            risk=self.risk,
            firm=self.firm,
            problems=problems,
        )

    def leaves(self) -> Iterable[Decision]:
        """The decisions that have no parts: the grounds of this one."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.leaves()


def strictest(parts: Iterable[Decision], start: int, end: int) -> Decision:
    """One decision over several: the strictest verdict, with the reason of what decided it."""
    found = tuple(parts)
    if not found:
        return Decision(Verdict.ALLOW, "nothing", "runs nothing", start, end, risk=False)
    if len(found) == 1:
        return found[0]
    verdict = max(part.verdict for part in found)
    deciding = [part for part in found if part.verdict is verdict]
    main = next((part for part in deciding if part.risk), deciding[0])
    return Decision(
        verdict,
        main.rule,
        main.reason,
        start,
        end,
        parts=found,
        instead=main.instead,
        risk=any(part.risk for part in deciding),
        firm=any(part.firm for part in deciding),
    )
