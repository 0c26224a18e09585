"""The user's own rules from agents' settings: `Bash(git push:*)` and the like, on evaluated words.

Deny and ask err towards matching: by base name as well as by path, without options before a
subcommand, and a word that is not known may be what the rule speaks of, which asks. Allow errs the
other way. It is consent to what the command itself does, never to what other commands in its
arguments, substitutions, redirects or environment do.
"""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache
from itertools import takewhile

from laconic.knowledge.arguments import Argument
from laconic.patterns import compile_written, pattern
from laconic.policy.user_lists import listed_program
from laconic.types import HARD, Decision, Effect, Source, Verdict, strictest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from laconic.knowledge.knowledge import Match
    from laconic.policy.own_rules import OwnRule
    from laconic.policy.rules import Rules
    from laconic.reading.judge import Judge
    from laconic.reading.situation import Situation

_GLOB_SPECIALS = pattern(r"([?\[])")
_BLANKS = pattern(r"\s+")
# What a rule settles, and what else if it names the very command: `git push`, not `git` alone.
_SOFT = ~HARD
_NAMED = _SOFT | Effect.SENDS | Effect.SYSTEM | Effect.OUTSIDE_WRITE


class Permission:
    """A rule for commands whose text fits a pattern, in which `*` stands for anything.

    rest: more words may follow. written: the rule as the user wrote it; source: its file.
    unless: patterns, and whether words may follow, of rules that count more and say something
    looser.
    """

    __slots__ = (
        "_fits", "_fits_more", "pattern", "rest", "rule", "source", "unless", "verdict", "written",
    )  # fmt: skip

    def __init__(
        self,
        verdict: Verdict,
        pattern: str,
        *,
        rest: bool,
        written: str,
        source: str,
        agent: str,
        unless: tuple[tuple[str, bool], ...] = (),
    ) -> None:
        self.verdict, self.rest, self.written, self.source = verdict, rest, written, source
        self.unless = unless
        self.pattern = _plain(pattern)
        self.rule = f"permissions/{agent}/{verdict}"
        self._fits = _compiled(self.pattern)
        self._fits_more = _compiled(f"{self.pattern} *")

    def __repr__(self) -> str:
        return f"Permission({self.verdict}, {self.pattern!r}, rest={self.rest})"

    def fits(self, text: str) -> bool:
        if self._fits.match(text):
            return True
        return self.rest and self._fits_more.match(text) is not None

    def fits_spelling(self, arguments: list[Argument]) -> Verdict:
        """The wide reading, for deny and ask: what the rule says of the command, ALLOW if nothing.

        A word that is not known may be what the rule speaks of, and that asks.
        """
        known = arguments[: _known(arguments)]
        text = _plain(" ".join(argument.text or "" for argument in known))
        is_whole = len(known) == len(arguments)
        if (is_whole or self.rest or self.pattern.endswith("*")) and self.fits(text):
            return self.verdict
        if is_whole:
            return Verdict.ALLOW
        unknown = arguments[len(known)]
        if unknown.glob and self.fits(_plain(f"{text} {unknown.text}")):
            return self.verdict
        return Verdict.ASK if self._may_fit(f"{text} {unknown.leading}") else Verdict.ALLOW

    def _may_fit(self, beginning: str) -> bool:
        """Tell whether something that begins so may fit; a pattern of any program never does."""
        head, star, _ = self.pattern.partition("*")
        if not head:
            return False
        if len(beginning) <= len(head):
            return head.startswith(beginning)
        return beginning.startswith(head) and (bool(star) or self.rest)

    def fits_words(self, arguments: list[Argument]) -> bool:
        """The narrow reading, for allow: every word that the pattern names is known, and alike."""
        if self.pattern == "*":
            return True
        words = [argument.text or "" for argument in arguments[: _known(arguments)]]
        if self.rest and "*" not in self.pattern:
            named = self.pattern.split(" ")
            return words[: len(named)] == named
        has_blanks = any(_BLANKS.search(word) for word in words)
        return len(words) == len(arguments) and not has_blanks and self.fits(" ".join(words))

    def named(self, arguments: list[Argument]) -> int:
        """How many words at the beginning of a command it names; 0 if it does not allow it."""
        if self.pattern == "*" or not self.fits_words(arguments):
            return 0
        pairs = zip(self.pattern.split(" "), arguments, strict=False)
        alike = (word.removesuffix("*") == argument.text for word, argument in pairs)
        return len(list(takewhile(bool, alike)))

    def is_overridden(self, arguments: list[Argument]) -> bool:
        """Tell whether a rule that counts more speaks of just this command."""
        looser = (
            Permission(Verdict.ALLOW, pattern, rest=rest, written="", source="", agent="")
            for pattern, rest in self.unless
        )
        return any(rule.fits_words(arguments) or rule.begins(arguments) for rule in looser)

    def begins(self, arguments: list[Argument]) -> bool:
        """Tell whether a pattern that leaves only the end open fits, whatever comes there."""
        head, star, tail = self.pattern.partition("*")
        known = arguments[: _known(arguments)]
        text = " ".join(argument.text or "" for argument in known)
        return bool(head and star) and not tail and text.startswith(head)

    def says(self, verdict: Verdict, decision: Decision) -> Decision:
        verb = {Verdict.ALLOW: "allows", Verdict.ASK: "asks about", Verdict.DENY: "denies"}
        what = verb[verdict] if verdict is self.verdict else "may speak of"
        reason = f"your rule {self.written} {what} this ({self.source})"
        effects = decision.effects if verdict is Verdict.ALLOW else Effect.READS
        firm = verdict is Verdict.DENY
        return Decision(
            verdict,
            self.rule,
            reason,
            *decision.span,
            effects=effects,
            firm=firm,
            source=Source.RULE,
        )


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    return compile_written(translate(_GLOB_SPECIALS.sub(r"[\1]", pattern)))


def _plain(text: str) -> str:
    return _BLANKS.sub(" ", text).strip()


def _known(arguments: list[Argument]) -> int:
    """How many arguments there are before the first one that is not known."""
    return next((n for n, a in enumerate(arguments) if not a.is_static), len(arguments))


class Consent:
    """What the user's rules allow one command to do, whatever the profile says.

    path: the words that say which command it is (`git push`).
    """

    __slots__ = ("_path", "_rules")

    def __init__(self, path: Sequence[str]) -> None:
        self._path = path
        self._rules: list[tuple[Permission | OwnRule, Effect]] = []

    def add(self, rule: Permission | OwnRule, named: Sequence[str]) -> None:
        """Add a rule that fits. named: the words of this command that it names."""
        # An option alone names no command: `python3 -c` stands for any code.
        says_more = any(not word.startswith("-") for word in named[1:])
        is_named = says_more and set(self._path[1:]) <= set(named)
        self._rules.append((rule, _NAMED if is_named else _SOFT))

    def __bool__(self) -> bool:
        return bool(self._rules)

    def settle(self, finding: Decision) -> Decision:
        """The finding, or the rule that allows what it speaks of; what it would do stays."""
        effects = finding.effects
        if finding.verdict is Verdict.DENY or finding.firm or not effects:
            return finding
        rule = next((rule for rule, settled in self._rules if not effects & ~settled), None)
        return finding if rule is None else rule.says(Verdict.ALLOW, finding)


def judged_by_rules(
    say: Rules, judge: Judge, arguments: list[Argument], span: tuple[int, int], situation: Situation
) -> Decision:
    """A program with its arguments, with the user's rules about commands."""
    base = (arguments[0].text or "").rsplit("/", 1)[-1]
    rules, match = say.permissions, judge.find(base, arguments[1:])
    path = match.path if match is not None else [base]
    around = [outer for outer in situation.calls[:-1] if _ends_with(outer, arguments)]
    consent = find_consent(rules, path, arguments, around)
    agreed = situation.but(consent=consent.settle if consent else None)
    decision = listed_program(say, judge, arguments, span, agreed)
    return apply(rules, decision, _spellings(base, arguments, match))


def _spellings(base: str, arguments: list[Argument], match: Match | None) -> list[list[Argument]]:
    """The command as written, by base name, and without options before a subcommand."""
    program = Argument(base, arguments[0].start, arguments[0].end)
    spellings = [arguments, [program, *arguments[1:]]]
    if match is not None and len(match.path) > 1:
        path = [Argument(word, program.start, program.end) for word in match.path]
        spellings.append([*path, *match.arguments])
    return spellings


def _ends_with(outer: list[Argument], arguments: list[Argument]) -> bool:
    """Tell whether these very arguments are the last ones of a command that runs them."""
    tail = outer[-len(arguments) :]
    return len(tail) == len(arguments) and all(a is b for a, b in zip(tail, arguments, strict=True))


def find_consent(
    permissions: Iterable[Permission | OwnRule],
    path: Sequence[str],
    arguments: list[Argument],
    around: Iterable[list[Argument]],
) -> Consent:
    """Find the rules that allow a command.

    around: the arguments of the commands that run it, if they end with its own: a rule may name
    both (`timeout 60 npm test`).
    """
    consent = Consent(path)
    for rule in permissions:
        if rule.verdict is not Verdict.ALLOW:
            continue
        for outer in (arguments, *around):
            before = len(outer) - len(arguments)
            named = rule.named(outer)
            if named > before:
                consent.add(rule, [word.text or "" for word in outer[before:named]])
    return consent


def apply(
    permissions: Iterable[Permission | OwnRule], decision: Decision, spellings: list[list[Argument]]
) -> Decision:
    """The decision on one simple command, with the user's rules that ask or deny over it.

    spellings: its arguments as written first, then other ways to write the same.
    """
    said = [decision]
    for permission in permissions:
        if permission.verdict is not Verdict.ALLOW:
            verdict = max(permission.fits_spelling(spelling) for spelling in spellings)
            if verdict is not Verdict.ALLOW and not permission.is_overridden(spellings[0]):
                said.append(permission.says(verdict, decision))
    return strictest(said, decision.start, decision.end)


def apply_to_text(
    permissions: Iterable[Permission | OwnRule], decision: Decision, command: str
) -> Decision:
    """The decision on a whole command line: rules that speak of pipes or redirects fit its text."""
    text = _plain(command)
    said = [
        permission.says(permission.verdict, decision)
        for permission in permissions
        if permission.verdict > decision.verdict and not permission.unless and permission.fits(text)
    ]
    return strictest((decision, *said), decision.start, decision.end)


# -- how the agents write rules --------------------------------------------------------------------

_CALL = pattern(r"(\w+)\s*(?:\((.*)\))?\s*", re.DOTALL)


def pattern_in(rule: str, tools: frozenset[str]) -> str | None:
    """The pattern in `Bash(pattern)`, `*` for `Bash` alone; None if it speaks of another tool."""
    match = _CALL.fullmatch(rule.strip())
    if match is None or match[1] not in tools:
        return None
    return (match[2] or "").strip() or "*"


def bash_pattern(pattern: str, verdict: Verdict) -> tuple[str, bool]:
    """Claude Code's patterns: `npm run:*` and `npm run *` are prefixes, else all of it must fit.

    For deny and ask, words may always follow: the stricter reading.
    """
    for ending in (":*", " *"):
        stem = pattern.removesuffix(ending)
        if stem != pattern and stem.strip() and "*" not in stem:
            return stem, True
    return pattern, verdict is not Verdict.ALLOW or pattern == "*"


def shell_pattern(pattern: str) -> tuple[str, bool]:
    """Cursor's patterns: `git` is the program with any arguments, `git:push*` names them."""
    program, colon, arguments = pattern.partition(":")
    return (f"{program} {arguments}", False) if colon and arguments != "*" else (program, True)
