"""What may be proposed for commands that asked: cells, rules of one's own, and places to write.

The lists here say what may be proposed; everything else never is. A rule with `*` is made only for
the commands in data/open.txt, with effects that the profile `work` allows anyway; for all others a
rule allows the very command and nothing else.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from laconic.knowledge.catalog import library
from laconic.patterns import pattern
from laconic.reading.decide import forget, read_line
from laconic.reading.places import Facts
from laconic.reading.say import Say
from laconic.secrets.redact import redact
from laconic.settings import schema
from laconic.settings.keys import file_schema
from laconic.types import EFFECTS, MEANINGS, Decision, Effect, Verdict, union

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from laconic.knowledge.arguments import Argument
    from laconic.reading.situation import ProgramCall
    from laconic.replay.tune import PastStep
    from laconic.settings.config import Config

OPEN = Effect.DOWNLOADS | Effect.PROJECT_CODE | Effect.PROJECT_WRITE | Effect.HISTORY
_EXACT = OPEN | Effect.INSTALLS | Effect.DISCARDS | Effect.UNKNOWN
_PLAIN = pattern(r"[\w@%+=:,./-]{1,80}")
_MOST_WORDS = 8
_DEEPEST = 2  # words of a beginning


class Candidate(NamedTuple):
    """A change of the configuration.

    program: the one that a rule is about, empty for others. effects: those that it may allow.
    """

    table: str
    key: str
    value: str
    program: str = ""
    effects: Effect = Effect.READS

    @property
    def is_narrow(self) -> bool:
        return bool(self.program)

    @property
    def is_list(self) -> bool:
        return self.table in ("commands", "paths")

    @property
    def meaning(self) -> str:
        if self.table == "settings":
            return "the project's tests, builds, edits and commits"
        if self.table == "effects":
            return f"every command that {_verb(self.key)}"
        if self.table == "paths":
            return f"every command that writes there, in any project: {self.value}"
        if self.value.endswith(" *"):
            return f"`{self.value[:-2]}` with any arguments"
        return "this command, with these arguments only"

    def applied(self, config: Config) -> Config:
        section = getattr(config, self.table)
        value: object = self.value
        if self.is_list:
            value = (*getattr(section, self.key), self.value)
        return config.but(**{self.table: section.but(**{self.key: value})})

    def may_settle(self, command: str, effects: Effect) -> bool:
        """Tell whether a finding with these effects in a command may be what it speaks of."""
        if self.table == "paths":
            return effects is Effect.PROJECT_WRITE and self.value.partition("/")[0] in command
        return bool(self.program) and self.program in command


def may_settle(changes: Iterable[Candidate], command: str, decision: Decision) -> bool:
    """Tell whether changes are worth a try: there is one for each finding that asks."""
    changes = tuple(changes)
    cells = union(each.effects for each in changes if not each.is_list)
    return all(
        not leaf.effects & ~cells or any(c.may_settle(command, leaf.effects) for c in changes)
        for leaf in decision.leaves()
        if leaf.verdict is Verdict.ASK
    )


def looser_profile(profile: str) -> Candidate | None:
    """Return the profile that allows what most people let pass, for those that ask more."""
    if profile not in ("strict", "default"):
        return None
    return Candidate("settings", "profile", "work", effects=OPEN | Effect.UNKNOWN)


def _verb(effect: str) -> str:
    verbs = {"history": "changes the local repository in a way that can be taken back"}
    return verbs.get(effect, MEANINGS[effect].partition(";")[0])


def candidates(
    decided: Mapping[PastStep, Decision], prompts: Counter[PastStep], config: Config
) -> list[Candidate]:
    """Return what may help, that which speaks of most prompts first."""
    counted: Counter[Candidate] = Counter()
    for seen, decision in decided.items():
        grounds = [leaf for leaf in decision.leaves() if leaf.verdict is Verdict.ASK]
        if all(leaf.effects and not leaf.effects & ~_EXACT for leaf in grounds):
            for candidate in dict.fromkeys(c for g in grounds for c in _for_leaf(seen.command, g)):
                counted[candidate] += prompts[seen]
    return [each for each, _ in counted.most_common() if _is_valid(each, config)]


def _for_leaf(command: str, leaf: Decision) -> Iterator[Candidate]:
    if not leaf.effects & ~OPEN:
        for word in leaf.effects.words:
            yield Candidate("effects", word, "allow", effects=EFFECTS[word])
    source = command.encode("utf-8", "replace")
    if leaf.effects is Effect.PROJECT_WRITE:
        path = source[leaf.start : leaf.end].decode("utf-8", "replace")
        folder, slash, _ = path.removeprefix("./").partition("/")
        if slash and _PLAIN.fullmatch(folder) and folder.strip("."):
            yield Candidate("paths", "write", f"{folder}/**", effects=Effect.PROJECT_WRITE)
    words = _words(command, leaf)
    if words:
        yield from _rules(words, leaf.effects)


def _rules(words: list[str | None], effects: Effect) -> Iterator[Candidate]:
    program = words[0] or ""
    texts = [word for word in words if word is not None and _PLAIN.fullmatch(word)]
    if 1 < len(texts) == len(words) <= _MOST_WORDS:  # a name alone stands for every use of it
        yield Candidate("commands", "allow", " ".join(texts), program, effects)
    if not effects & ~OPEN:
        for length in range(1, _DEEPEST + 1):
            prefix = " ".join(word or "$" for word in words[:length])
            if prefix in open_commands():
                yield Candidate("commands", "allow", f"{prefix} *", program, effects)


@cache
def open_commands() -> frozenset[str]:
    """Return the beginnings of commands after which a rule may allow anything."""
    lines = (Path(__file__).parent / "data/open.txt").read_text("utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def _words(command: str, leaf: Decision) -> list[str | None]:
    """Return the words of the program that a finding is about; None for those that are not known.

    A wrapper such as `timeout` is another program, and so is what shell code in a word runs.
    """
    programs = read_line(command, library(), Say(), Facts())
    within = [program for program in programs if program.arguments and _is_within(leaf, program)]
    about = [program for program in within if _is_about(leaf, program)] or within
    words = [_word(argument, about[-1]) for argument in about[-1].arguments] if about else []
    forget(programs)
    return words if words and words[0] and _PLAIN.fullmatch(words[0]) else []


def _is_within(leaf: Decision, program: ProgramCall) -> bool:
    """Tell whether the finding is about the command of the line that runs the program."""
    outermost = [each for each in (program, *program.around()) if each.arguments][-1]
    return outermost.span[0] <= leaf.start and leaf.end <= outermost.span[1]


def _is_about(leaf: Decision, program: ProgramCall) -> bool:
    spans = [(act.argument.start, act.argument.end) for act in program.acts]
    return leaf.span in spans or any(doubt.rule == leaf.rule for doubt in program.doubts)


def _word(argument: Argument, program: ProgramCall) -> str | None:
    """What a word says, if it says so as it stands."""
    script = program.situation.script if program.situation is not None else None
    written = script.source[argument.start : argument.end] if script is not None else b""
    text = written.decode("utf-8", "replace").strip("'\"")
    return text if argument.is_static and text == argument.text else None


def _is_valid(candidate: Candidate, config: Config) -> bool:
    """Tell whether a configuration may have it, and the user has not said otherwise there."""
    section = getattr(config, candidate.table)
    current = getattr(section, candidate.key)
    if candidate.table == "effects":
        return bool(current == "profile")
    document = {candidate.table: {candidate.key: [candidate.value]}}
    is_shown = redact(candidate.value) == candidate.value  # a secret stays out of configurations
    is_new = candidate.value not in current
    return is_shown and is_new and not any(schema.check(document, file_schema()))
