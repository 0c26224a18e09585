"""Judges one command, and whatever it runs.

Whatever is not known asks; a fault in a rule asks, with the rule's id. Nothing here allows by
default but what a table or the user's configuration names.
"""

from __future__ import annotations

from collections.abc import Callable

from laconic.files import folded
from laconic.knowledge.arguments import Argument, expand
from laconic.knowledge.knowledge import Library, Match
from laconic.patterns import pattern
from laconic.reading.assignments import RUNS_CODE, assignment_findings, is_for_code_only
from laconic.reading.call import Call
from laconic.reading.commands import handler
from laconic.reading.fetched import is_fetched, is_within_fetched, note_fetched, note_unknown
from laconic.reading.other_shells import SYSTEM
from laconic.reading.places import Facts, is_within, joined, place
from laconic.reading.project_runners import (
    REPOSITORIES,
    ask_for_project_code,
    repository_findings,
)
from laconic.reading.registries import registry_findings
from laconic.reading.say import Say
from laconic.reading.secret_files import names_unmistakable
from laconic.reading.sending import publishing_word
from laconic.reading.situation import LineLog, ProgramCall, Situation
from laconic.reading.table import check_leading_options, conclude, follow_table, shows_itself
from laconic.reading.word_places import told_outputs
from laconic.shell.ast import Command
from laconic.types import GRANTS, HARD, Decision, Effect, Kind, Verdict, strictest, union

MAX_NESTING = 16
_NO_RULE = "unknown-command"
_WITH_ONE = 2  # a program and one argument
_MOST_STARTS = 4  # words of an unknown program that may be the first of a command
_BY_ANY_PATH = HARD | Effect.INSTALLS | Effect.DISCARDS
_MAY_FETCH = (
    Effect.PROJECT_WRITE | Effect.SENDS | Effect.DOWNLOADS | Effect.HISTORY | Effect.DISCARDS
)
# Directly in one of the system's directories, by its plain name: `..` may lead anywhere.
_MAY_BE_CODE = pattern(r"\s")
_SYSTEM_PROGRAM = pattern(
    r"/(?:(?:usr/(?:local/)?)?s?bin|opt/homebrew/bin|opt/local/bin|usr/libexec|usr/games)"
    r"/(?!\.\.?$)[^/]+"
)
# Where the links in those directories lead to, besides places of the system itself.
_PACKAGES = ("/nix/store/", "/gnu/store/", "/snap/", "/Applications/")
_VERSIONED = pattern(r"([a-z][a-z+_-]*3?)(?:\.|-)[0-9]+(?:\.[0-9]+)*")
# What it is to write to these places, of which a program that nobody knows is told one.
_OUTPUTS = {
    **dict.fromkeys(("else", "home", "root", "system"), Effect.OUTSIDE_WRITE),
    "sensitive": Effect.GUARDED_WRITE,
}
_ODD = pattern(r"[^\x21-\x7e]")


class Judge:
    """What does not change while a line is read: the tables, who has a say, and the place.

    decide: judges a text of shell code, in a situation. is_in_box: what is judged runs in the box.
    """

    __slots__ = (
        "_has_lists", "_path", "decide", "facts", "is_in_box", "library", "say",
    )  # fmt: skip

    def __init__(
        self,
        library: Library,
        say: Say,
        facts: Facts,
        decide: Callable[[str, Judge, Situation], Decision],
    ) -> None:
        self.library, self.say, self.facts, self.decide = library, say, facts, decide
        self.is_in_box = False
        self._path = facts.own_path
        lists = say.allow or say.ask or say.deny or say.undenied or say.subcommands or say.wrappers
        self._has_lists = bool(lists or say.gates or say.permissions)

    def saying(self, say: Say, *, is_in_box: bool) -> Judge:
        """The same judge with other answers to effects."""
        made = Judge(self.library, say, self.facts, self.decide)
        made.is_in_box = is_in_box
        return made

    # -- commands

    def simple(self, command: Command, situation: Situation) -> Decision:
        """A simple command of the tree, with its assignments."""
        span = command.start, command.end
        findings = assignment_findings(command, self, situation) if command.assignments else []
        situation.program.doubts += findings
        if command.words:
            arguments = expand(command.words, situation.values)
            if not arguments:
                return self._dynamic("the name of the program is not known", span, situation)
            ran = self.command(arguments, span, situation)
            if findings and ran.effects & RUNS_CODE:
                where = self.facts, situation
                findings = [f for f in findings if not is_for_code_only(f, command, *where)]
            findings.append(ran)
        return strictest(findings, *span)

    def command(
        self, arguments: list[Argument], span: tuple[int, int], situation: Situation
    ) -> Decision:
        """Arguments whose first is a program; also what wrappers run."""
        if not arguments:
            return Decision(Verdict.ALLOW, "nothing", "runs nothing", *span)
        if len(situation.calls) > MAX_NESTING:
            reason = "commands nested too deeply"
            finding = self.finding(Effect.UNJUDGED, "nesting", reason, span, firm=True)
            return noted(finding, situation)
        program = ProgramCall(arguments, span, situation)
        situation.seen.programs.append(program)
        name = arguments[0].text
        if name is None or arguments[0].glob or _ODD.search(name) or not name:
            return self._unknown_program(arguments, span, situation.but(program=program))
        inner = situation.but(calls=(*situation.calls, arguments), program=program)
        try:
            if self._has_lists:
                decision = self.say.program(self, arguments, span, inner)
            else:
                decision = self.program(arguments, span, inner)
        except Exception as fault:  # noqa: BLE001 - whatever happened, the answer is ask
            reason = f"the rule failed ({type(fault).__name__}: {fault})"
            base = _names(arguments)[1]
            rule = f"{base if self.library.knows(base) else _NO_RULE}/fault"
            decision = self.finding(Effect.UNJUDGED, rule, reason, span, firm=True)
            noted(decision, inner)
        if arguments[0].expanded:
            # checks that look for builtins by their names in the text have not seen this one
            why = "the name of the program comes from an expansion"
            dynamic = self.finding(Effect.UNCLEAR, "dynamic-command", why, span, firm=True)
            return strictest((decision, noted(dynamic, inner)), *span)
        return decision

    def _dynamic(self, reason: str, span: tuple[int, int], situation: Situation) -> Decision:
        finding = self.finding(Effect.UNCLEAR, "dynamic-command", reason, span, firm=True)
        return noted(finding.but(kind=Kind.DYNAMIC), situation)

    def _unknown_program(
        self, arguments: list[Argument], span: tuple[int, int], situation: Situation
    ) -> Decision:
        """Ask, or deny if one of the names that it may have is denied."""
        first, rest = arguments[0], arguments[1:]
        unknown = self._dynamic("the name of the program is not known", span, situation)
        named = self._named_secrets("dynamic-command", rest, span, situation)
        named += self._by_other_letters(arguments, span, situation)
        if situation.guessing or first.text is not None:
            return strictest((unknown, *named), *span) if named else unknown
        guessing = situation.but(guessing=True)  # what it runs may be unknown, too: once is enough
        decisions = [unknown, *named]
        # What is not known of the name may be nothing: `r${x}m`.
        bare = (shape.replace("*", "") for shape in first.shapes)
        for name in dict.fromkeys(filter(None, (*first.possible, *bare))):
            program = Argument(name, first.start, first.end, expanded=True)
            decisions.append(self.command([program, *rest], span, guessing))
        worst = max(decisions, key=lambda one: (one.verdict, not one.is_soft, one.risk))
        return worst.but(effects=union(decision.effects for decision in decisions))

    def program(
        self, arguments: list[Argument], span: tuple[int, int], situation: Situation
    ) -> Decision:
        """A program with its arguments, whatever anybody says of it as a whole."""
        name, base = _names(arguments)
        if "/" in name and not self._is_of_system(name):
            return self._by_path(arguments, span, situation)
        is_function = situation.calls_function(name, span[0])
        if is_function and (not self.library.knows(base) or self.is_always_denied(base)):
            return Decision(
                Verdict.ALLOW, "function", f"{base} is a function, judged where defined", *span
            )
        if self._path and (found := self._found_in_project(name, situation)):
            return self._own_program(*found, arguments, span, situation)
        return self._known_program(base, arguments, span, situation)

    def _found_in_project(self, name: str, situation: Situation) -> tuple[str, bool] | None:
        from laconic.reading.own_programs import own_program  # noqa: PLC0415 - few PATHs lead there

        return own_program(name, self._path, self.facts, situation)

    def _own_program(
        self,
        path: str,
        hides: bool,
        arguments: list[Argument],
        span: tuple[int, int],
        situation: Situation,
    ) -> Decision:
        """A bare name that PATH finds in the project: the file is run, whatever it is called."""
        named = Argument(path, arguments[0].start, arguments[0].end)
        ran = self._by_path([named, *arguments[1:]], span, situation)
        if not hides:
            return ran
        base = arguments[0].text
        why = f"runs {path} in place of the {base} that the system has"
        finding = self.finding(Effect.UNKNOWN, "program-in-path", why, span, firm=True)
        return strictest((noted(finding, situation), ran), *span)

    def _is_of_system(self, name: str) -> bool:
        """Tell whether a path names a program of the system, also when its links are followed.

        So is what an installer of tools has put below the home, if its name is a known one.
        """
        if not _SYSTEM_PROGRAM.fullmatch(name):
            if name[0] != "/" or not self.library.knows(name.rpartition("/")[2]):
                return False
            from laconic.reading.tool_places import is_tool  # noqa: PLC0415 - seldom

            return is_tool(name, self.facts)
        real = self.facts.real_path(name)
        return place(real, "/", self.facts) == "system" or real.startswith(_PACKAGES)

    def _by_path(
        self, arguments: list[Argument], span: tuple[int, int], situation: Situation
    ) -> Decision:
        """A file that is run; with the name of a known program it may well be that one."""
        name, base = _names(arguments)
        effects = self.code_at(name, situation)
        if said := self.say.file(name, effects, span):
            return said
        ran = self.finding(effects, "program-by-path", f"runs the file {name}", span)
        if effects & Effect.RUNS_FETCHED:
            ran = ran.but(kind=Kind.FETCHED, reason=f"runs {name}, which the line fetches")
        findings = [
            situation.settle(noted(ran, situation)),
            *self._written_script(name, span, situation),
        ]
        if self.library.knows(base) or self.library.knows(base := folded(base)):
            known = self._known_program(base, arguments, span, situation)
            findings += [
                leaf
                for leaf in known.leaves()
                if leaf.effects & _BY_ANY_PATH or leaf.kind is Kind.OUTSIDE
            ]
        return strictest(findings, *span)

    def _written_script(
        self, name: str, span: tuple[int, int], situation: Situation
    ) -> list[Decision]:
        """What a script visibly does that the same line has written."""
        texts = situation.seen.texts
        paths = self._real_paths(name, situation)
        decisions = [
            self.nested(Argument(texts[path], *span), situation.shells | {SYSTEM}, situation)
            for path in paths
            if path in texts
        ]
        return [leaf for one in decisions for leaf in one.leaves() if leaf.effects & HARD]

    def code_at(self, path: str, situation: Situation) -> Effect:
        """The effect of running a file: the project's own code, or code that is not known."""
        real = self._real_paths(path, situation)
        situation.seen.ran.update(real)
        # of a file that is fetched itself, the line as a whole says so
        fetched = situation.seen.fetched
        brought = fetched and [f for f in real if f not in fetched and is_fetched(f, situation)]
        if brought:
            is_inside = any(is_within_fetched(file, situation) for file in brought)
            return Effect.UNKNOWN | (Effect.RUNS_FETCHED if is_inside else Effect.READS)
        is_own = all(self._is_own_code(file, situation) for file in real)
        return Effect.PROJECT_CODE if is_own else Effect.UNKNOWN

    def _is_own_code(self, path: str, situation: Situation) -> bool:
        """Tell whether a file is of the project, or a temporary one that the line itself makes."""
        if is_within(path, self.facts.project):
            return True
        seen = situation.seen
        is_made = path in seen.built or (path in seen.texts and path not in seen.unread)
        return is_made and place(path, "/", self.facts) == "temporary"

    def _real_paths(self, path: str, situation: Situation) -> list[str]:
        where = situation.directories
        return [end for cwd in where for end in self.facts.ends(joined(cwd, path))]

    def answered(self, findings: list[Decision]) -> list[Decision]:
        """The same findings, with the answers that the profile gives to their effects."""
        return [finding.but(verdict=self.say.answers[finding.effects]) for finding in findings]

    def finding(
        self, effects: Effect, rule: str, reason: str, span: tuple[int, int], *, firm: bool = False
    ) -> Decision:
        """Something that would happen, with the answer that the profile gives."""
        verdict = self.say.answers[effects]
        return Decision(verdict, rule, reason, *span, effects=effects, firm=firm)

    def _known_program(
        self, base: str, arguments: list[Argument], span: tuple[int, int], situation: Situation
    ) -> Decision:
        match = self.find(base, arguments[1:])
        if match is None or match.entry is None:
            return self._unknown(base, arguments, span, situation)
        call = situation.program.call = Call(match, match.entry, self, situation, span)
        self._judge(call)
        if call.effects & _MAY_FETCH:
            note_fetched(call)
            _note_unread(call)
        situation.seen.built |= call.built
        has_say = self._has_lists or base in self.say.denied
        parts = self.say.known(call, base) if has_say else call.findings
        if base in REPOSITORIES:
            parts = [*repository_findings(call, base), *parts]
        if call.entry.network:
            parts += registry_findings(call, base)
        if situation.consent:
            parts = _agreed(call, parts)
        if any(part.verdict is not Verdict.ALLOW for part in parts):
            return strictest(parts, *span)
        if any(part.source in GRANTS for part in parts):
            return strictest(parts, *span)
        path = " ".join(call.path)
        reason = f"{path}: {call.why}" if call.why else f"{path} is harmless"
        reason += "; what it runs is judged, too" if parts else ""
        own = Decision(Verdict.ALLOW, call.id, reason, *span)
        return strictest((*parts, own), *span)

    def is_always_denied(self, base: str) -> bool:
        """Tell whether it is denied by its name alone, which a function of that name is not."""
        match = self.find(base, [])
        return match is not None and match.entry is not None and match.entry.verdict == "deny"

    def find(self, base: str, arguments: list[Argument]) -> Match | None:
        """The table for a program with these arguments."""
        match = self.library.find(base, arguments)
        if match is None and (versioned := _VERSIONED.fullmatch(base)):
            match = self.library.find(versioned[1], arguments)
        if match is None and "." in base:
            # `mkfs.ext4`: a dotted name is as bad as its stem, never as good
            match = self.library.find(base.split(".", 1)[0], arguments)
            if match is not None and (match.entry is None or match.entry.verdict != "deny"):
                return None
        return match

    def _unknown(
        self, base: str, arguments: list[Argument], span: tuple[int, int], situation: Situation
    ) -> Decision:
        if self._has_lists and (said := self.say.unknown(self, arguments, span, situation)):
            return said
        if len(arguments) == _WITH_ONE and arguments[1].text == "--version":
            return Decision(Verdict.ALLOW, "version", f"{base} only tells its version", *span)
        note_unknown(arguments[1:], situation, self.facts)
        reason = f"{base} is not a command that laconic knows"
        unknown = self.finding(Effect.UNKNOWN, _NO_RULE, reason, span).but(risk=False)
        found = [situation.settle(noted(unknown, situation))]
        for pos, word in enumerate(arguments[1:], 1):
            found += self.hard_of(word, situation)
            if pos <= _MOST_STARTS and not situation.guessing:
                found += self._destroyed_by(arguments[pos:], span, situation)
        found += self._named_secrets(_NO_RULE, arguments[1:], span, situation)
        found += self._told_outputs(arguments[1:], span, situation)
        publishing = None if situation.guessing else publishing_word(arguments[1:])
        if publishing is not None:
            why = f"{base} may publish something: {publishing.text}"
            sends = self.finding(Effect.SENDS, f"{_NO_RULE}/sends", why, span)
            found.append(noted(sends, situation))
        found += self._by_other_letters(arguments, span, situation)
        return strictest(found, *span)

    def _by_other_letters(
        self, arguments: list[Argument], span: tuple[int, int], situation: Situation
    ) -> list[Decision]:
        """What speaks against a program that the name starts where case is ignored: `RM` is rm."""
        first = arguments[0]
        base = (first.text or "").rsplit("/", 1)[-1]
        known = folded(base)
        if known == base or not (self._has_lists or self.find(known, [])):
            return []
        words = [Argument(known, first.start, first.end), *arguments[1:]]
        leaves = self.command(words, span, situation).leaves()
        return [leaf for leaf in leaves if leaf.verdict > Verdict.ALLOW and leaf.rule != _NO_RULE]

    def _told_outputs(
        self, words: list[Argument], span: tuple[int, int], situation: Situation
    ) -> list[Decision]:
        """Where what nobody knows is told to write, by options that say so: `frob -o ~/x`."""
        found = []
        for output in told_outputs(words) if not situation.guessing else ():
            places = {place(output.text or "", d, self.facts) for d in situation.directories}
            if effects := union(_OUTPUTS[where] for where in places & _OUTPUTS.keys()):
                why = f"may write to {output.text}"
                written = self.finding(effects, f"{_NO_RULE}/{Kind.WRITE}", why, span)
                found.append(noted(written.but(kind=Kind.WRITE), situation))
        return found

    def _named_secrets(
        self, rule: str, words: list[Argument], span: tuple[int, int], situation: Situation
    ) -> list[Decision]:
        """What nobody knows may read each file that it is given."""
        texts = () if situation.guessing else (text for word in words for text in word.texts)
        if not any(map(names_unmistakable, texts)):
            return []
        why = "may read keys, passwords or tokens"
        secret = self.finding(Effect.SECRETS, f"{rule}/{Kind.SECRET}", why, span)
        return [noted(secret.but(kind=Kind.SECRET, risk=False), situation)]

    def _judge(self, call: Call) -> None:
        """Let the table and the handler speak; a fault in them is a question, not an answer."""
        try:
            check_leading_options(call)
            if shows_itself(call):
                call.harmless("prints its help or version, and does nothing else")
                ask_for_project_code(call, shows_itself=True)
                return
            if call.match.missing is not None and call.entry.operands is None:
                words = *call.path, call.match.missing.text or "and what follows"
                why = f"{' '.join(words)} is not a command that laconic knows"
                call.unlisted(Kind.SUBCOMMAND, why, call.match.missing)
                if publishing_word([call.match.missing]) is not None:
                    call.does(Effect.SENDS, "sends", "may publish something", call.match.missing)
            call.situation.seen.calls.append((call, tuple(call.situation.directories)))
            follow_table(call)
            if call.entry.code:
                handler(call.entry.code)(call)
            conclude(call)
            ask_for_project_code(call, shows_itself=False)
        except Exception as fault:  # noqa: BLE001 - whatever happened, the answer is ask
            reason = f"the rule failed ({type(fault).__name__}: {fault})"
            call.does(Effect.UNJUDGED, "fault", reason, firm=True)

    # -- code in arguments

    def hard_of(self, argument: Argument, situation: Situation) -> list[Decision]:
        """What is hard of a text that may be shell code; a name in it is no path of a secret."""
        text = argument.text or ""
        if not _MAY_BE_CODE.search(text) or situation.guessing:
            return []
        # Nobody knows that this runs: what it would do counts for no other command.
        apart = situation.but(guessing=True, seen=LineLog(), program=ProgramCall([], (0, 0)))
        ran = self.nested(argument, situation.shells, apart)
        counted = HARD & ~Effect.UNJUDGED
        leaves = [leaf for leaf in ran.leaves() if leaf.effects & counted]
        return [leaf.but(effects=leaf.effects & counted) for leaf in leaves]

    def _destroyed_by(
        self, words: list[Argument], span: tuple[int, int], situation: Situation
    ) -> list[Decision]:
        """What words would destroy if an unknown program before them starts them: `wrap rm -rf ~`.

        Other things that they may mean are left out, and programs that are denied by their names
        alone: `foo shutdown` has a subcommand.
        """
        base = (words[0].text or "").rsplit("/", 1)[-1]
        if not self.library.knows(base) or self.is_always_denied(base):
            return []
        apart = situation.but(guessing=True, seen=LineLog(), program=ProgramCall([], (0, 0)))
        found = []
        for leaf in self.command(words, span, apart).leaves():
            counted = HARD & ~Effect.UNJUDGED if leaf.kind is Kind.DELETE else Effect.DESTROYS
            if leaf.effects & counted:
                found.append(leaf.but(effects=leaf.effects & counted))
        return found

    def nested(self, argument: Argument, shells: frozenset[str], situation: Situation) -> Decision:
        """Shell code in an argument: judged like a command line of its own, in the same place."""
        inner = self.decide(argument.text or "", self, situation.but(shells=shells))
        return inner.about(argument.start, argument.end)


def noted(finding: Decision, situation: Situation) -> Decision:
    """The finding, which the program that is read takes down as a doubt about what it does."""
    situation.program.doubts.append(finding)
    return finding


def _names(arguments: list[Argument]) -> tuple[str, str]:
    """The name of a program as it is written, and without directories."""
    name = arguments[0].text or ""
    return name, name.rsplit("/", 1)[-1]


def _agreed(call: Call, parts: list[Decision]) -> list[Decision]:
    """The same with what the user's rules settle of the call itself first: it is the reason."""
    settle = call.situation.settle
    settled_parts = [part if call.is_others(part) else settle(part) for part in parts]
    return sorted(settled_parts, key=lambda part: part in parts)


def _note_unread(call: Call) -> None:
    """Remember the files that get what nobody has read; `decide` notes what tee and redirects put.

    A patch is not changed by being applied, though its table names it as the place of the change.
    """
    is_tee = call.path[0] == "tee" and call.situation.input_text is not None
    if not is_tee and call.entry.code != "patches":
        for path in call.written:
            call.situation.seen.note_text(path, None, " ".join(call.path[:2]))
