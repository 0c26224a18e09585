"""Rules of the user's own about commands: entries of `[commands]` that have more than one word.

In `allow` a rule opens exactly the words that it says: `*` stands for one word, at the end for all
that follows. In `ask` and `deny` more words may follow, options may stand between them, and a word
that is not known may be the one that is meant, which asks.
"""

from __future__ import annotations

from collections.abc import Mapping

from laconic.knowledge.arguments import Argument
from laconic.settings.managed import Managed
from laconic.shell import ParseError, parse
from laconic.shell.walk import commands
from laconic.shell.words import literal
from laconic.types import Decision, Effect, Source, Verdict

ANY = "*"
_VERBS = {Verdict.ALLOW: "allowed", Verdict.ASK: "asks", Verdict.DENY: "denied"}


class OwnRule:
    """A rule; see Permission, whose place it takes. words: None for any one word.

    managed: the policy of this machine, if that has it.
    """

    __slots__ = (
        "_managed", "_message", "instead", "rest", "rule", "unless", "verdict", "words", "written",
    )  # fmt: skip

    def __init__(
        self,
        verdict: Verdict,
        written: str,
        words: tuple[str | None, ...],
        message: str = "",
        instead: str = "",
        managed: Managed | None = None,
    ) -> None:
        self.verdict, self.written, self._managed = verdict, written, managed
        self.rest = words[-1:] == (None,)
        self.words = words[:-1] if self.rest else words
        self._message, self.instead = message, instead
        self.rule = f"{'policy' if managed else 'config'}/{verdict}"
        self.unless = ()

    def fits(self, text: str) -> bool:  # noqa: ARG002 - as a Permission has it
        """It speaks of one command, never of a line with pipes."""
        return False

    def named(self, arguments: list[Argument]) -> int:
        """How many words at the beginning of a command it names; 0 if it does not allow it."""
        given = arguments[: len(self.words)]
        is_whole = self.rest or len(arguments) == len(self.words)
        if len(given) < len(self.words) or not is_whole:
            return 0
        for word, argument in zip(self.words, given, strict=True):
            if not argument.is_static or (word is not None and word != argument.text):
                return 0
        return next((n for n, word in enumerate(self.words) if word is None), len(self.words))

    def fits_spelling(self, arguments: list[Argument]) -> Verdict:
        """What it says of a command, for ask and deny: ALLOW if nothing."""
        is_option = [argument.leading.startswith("-") for argument in arguments]
        plain = [a for a, is_one in zip(arguments, is_option, strict=True) if not is_one]
        options = [w for w in self.words if w is not None and w.startswith("-")]
        given = {a.leading.partition("=")[0] for a in arguments if a.is_static}
        given |= {a.text or "" for a in arguments if a.is_static}
        if not given.issuperset(options):
            is_known = all(argument.is_static for argument in arguments)
            return Verdict.ALLOW if is_known else min(self._begins(plain), Verdict.ASK)
        return self._begins(plain)

    def _begins(self, arguments: list[Argument]) -> Verdict:
        words = [word for word in self.words if word is None or not word.startswith("-")]
        for word, argument in zip(words, arguments, strict=False):
            if not argument.is_static:
                may_be = word is None or word.startswith(argument.leading)
                return Verdict.ASK if may_be else Verdict.ALLOW
            if word is not None and word != argument.text:
                return Verdict.ALLOW
        return self.verdict if len(arguments) >= len(words) else Verdict.ALLOW

    def is_overridden(self, arguments: list[Argument]) -> bool:  # noqa: ARG002 - as a Permission
        return False

    def says(self, verdict: Verdict, decision: Decision) -> Decision:
        what = (
            f"`{self.written}` {'' if self.verdict is Verdict.ASK else 'is '}{_VERBS[self.verdict]}"
        )
        managed = self._managed
        reason = f"{what} by {managed.said if managed else 'your configuration'}"
        if self._message:
            reason = f"{reason}: {self._message}" if managed else self._message
        if verdict is not self.verdict:
            reason = f"it may be what {reason[:1].lower()}{reason[1:]}"
        effects = decision.effects if verdict is Verdict.ALLOW else Effect.READS
        return Decision(
            verdict,
            self.rule,
            reason,
            *decision.span,
            effects=effects,
            instead=self.instead,
            firm=bool(managed) or verdict is Verdict.DENY,
            source=Source.POLICY if managed else Source.RULE,
        )


def own_rules(
    lists: Mapping[Verdict, frozenset[str]],
    messages: Mapping[str, str],
    substitutes: Mapping[str, str],
    managed: Managed | None = None,
) -> tuple[OwnRule, ...]:
    """The rules in lists of the configuration, by verdict; managed: see OwnRule."""
    found = []
    for verdict, entries in lists.items():
        for text in sorted(filter(is_rule, entries)):
            words = words_of(text)
            if words is None and verdict is not Verdict.ALLOW:
                words = tuple(text.split())
            if words:
                message, instead = messages.get(text, ""), substitutes.get(text, "")
                by = managed if managed and managed.has(f"commands.{verdict}", text) else None
                found.append(OwnRule(verdict, text, words, message, instead, by))
    return tuple(found)


def is_rule(entry: str) -> bool:
    """Tell a rule, which has several words, from the name of a program."""
    return " " in entry.strip()


def words_of(text: str) -> tuple[str | None, ...] | None:
    """The words of a rule, None for each `*`; None if it is not one plain command.

    A rule of Claude Code's, `npm run:*`, is understood.
    """
    stem = text.removesuffix(":*")
    text = text if stem == text else f"{stem} {ANY}"
    source = text.encode("utf-8", "surrogateescape")
    try:
        script = parse(source)
    except ParseError:
        return None
    found = commands(script)
    if script.marks or len(found) != 1:
        return None
    command = found[0].command
    if command.assignments or command.redirects:
        return None
    is_any = [source[word.start : word.end] == ANY.encode() for word in command.words]
    words = [None if star else literal(w) for star, w in zip(is_any, command.words, strict=True)]
    is_plain = all(star or word for star, word in zip(is_any, words, strict=True))
    return tuple(words) if is_plain and words and words[0] else None
