"""One program call under judgement: what is said to happen in it becomes acts and findings."""

from __future__ import annotations

import posixpath
import re
import sys

from laconic.knowledge.arguments import Argument
from laconic.knowledge.options import Parsed
from laconic.knowledge.streams import substituted_file
from laconic.patterns import pattern
from laconic.reading.acts import Act, How, Verb
from laconic.reading.assignments import environment_finding
from laconic.reading.boxed import OURS, judge_for
from laconic.reading.environment import is_known_server, is_unheard
from laconic.reading.fetched import is_brought
from laconic.reading.globs import is_left_out
from laconic.reading.installs import installs_here
from laconic.reading.other_shells import SYSTEM
from laconic.reading.places import (
    is_storage,
    is_stream,
    is_within,
    joined,
    leads_to_guarded,
    meant,
    place,
)
from laconic.reading.secret_files import led_matches, matching, may_be_secret, secrets_below
from laconic.reading.sending import address_harm, is_literal
from laconic.reading.user_places import fits
from laconic.types import HARD, Decision, Effect, Kind, Source, Verdict, union

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, KeysView, Sequence

    from laconic.knowledge.knowledge import Entry, Match
    from laconic.reading.judge import Judge
    from laconic.reading.situation import Situation

_MEMORY = pattern(r"/proc/[^/]+/(?:environ|mem)$")
# An address elsewhere, of what runs as code.
_REMOTE = pattern(r"(?!file:|https?://(?:localhost|127\.))[a-z][a-z0-9+]+://")
_SHOWN = 80  # letters of an address
_REPOSITORY = pattern(r"(?:^|/)\.git/*$", re.IGNORECASE)
_DESTROYED = frozenset(("root", "home"))
# What a place is.
_FIRM_PLACES = {
    "root": "a directory of the system",
    "device": "a device",
    "home": "the home directory itself",
    "sensitive": "which decides what programs run or holds keys",
    "network": "a network connection",
}
# What it is to write to each of the places.
_WRITTEN = {
    "root": Effect.OUTSIDE_WRITE,
    "device": Effect.SYSTEM,
    "home": Effect.OUTSIDE_WRITE,
    "sensitive": Effect.GUARDED_WRITE,
    "network": Effect.SENDS,
    "system": Effect.OUTSIDE_WRITE,
    "else": Effect.OUTSIDE_WRITE,
    "project-root": Effect.PROJECT_WRITE,
    "temporary": Effect.PROJECT_WRITE,
    "project": Effect.PROJECT_WRITE,
}
# What is asked about, whatever else an option may make of it. Any other effect is one of the words
# that a table lists, and says nothing of those that it does not.
COVERS_ANYTHING = HARD | Effect.PROJECT_CODE | Effect.INSTALLS | Effect.UNCLEAR
_NONE = Effect.READS
_SOME_NAME = "_"
_BY_NAME = "name the files or directories in it that are to go"
_LONGEST_NAME = 255  # of what may be a path; longer words are texts
_OWN_PLACES = frozenset(("project", "temporary"))
_GUARDED = "{} {}, below which files decide what programs run or hold keys"


class Call:
    """A program with its arguments; findings are the decisions that speak against it.

    program: takes down what it does, for those who do not judge.
    id: the path as a rule id (`git/push`). why: what it does and why that is harmless, in case
    nothing speaks against it. parsed: its options and operands, once its table has read them
    (is_parsed). is_changing: it writes the files that it is told; change: what an
    option makes it do to them. placed: where the arguments start whose places were judged. written:
    the files that it was found to write.
    """

    __slots__ = (
        "_others", "arguments", "built", "change", "code_start", "entry", "findings", "id",
        "is_changing", "is_parsed", "judge", "match", "parsed", "path", "placed", "program",
        "situation", "span", "why", "written",
    )  # fmt: skip

    def __init__(
        self, match: Match, entry: Entry, judge: Judge, situation: Situation, span: tuple[int, int]
    ) -> None:
        self.match, self.entry, self.span = match, entry, span
        self.judge, self.situation, self.program = judge, situation, situation.program
        self.path, self.arguments = tuple(match.path), match.arguments
        self.id = match.id
        self.parsed, self.is_parsed = Parsed(), False
        self.is_changing, self.change = False, ""
        self.findings: list[Decision] = []
        self._others: list[Decision] = []
        self.placed: set[int] = set()
        self.written: set[str] = set()
        self.built: set[str] = set()
        self.code_start = sys.maxsize
        self.why = entry.about
        if entry.anything and entry.about and not entry.code:
            self.why += ", whatever its arguments are"

    @property
    def effects(self) -> Effect:
        """All that was found so far."""
        return union([finding.effects for finding in self.findings]) if self.findings else _NONE

    # -- what handlers say

    def harmless(self, why: str) -> None:
        """Why this very call does no harm; it decides nothing."""
        self.why = why

    def does(
        self,
        effects: Effect,
        rule: str,
        why: str,
        argument: Argument | None = None,
        instead: str = "",
        *,
        firm: bool = False,
    ) -> None:
        """This call has these effects; the profile says what follows from them."""
        self._find(effects, rule, why, argument, instead, firm=firm)
        self.program.doubts.append(self.findings[-1])

    def names(self, why: str, named: str) -> None:
        """Have what was found say by name what it is about."""
        self.findings = [f.but(reason=named) if f.reason == why else f for f in self.findings]

    def _act(self, verb: Verb, argument: Argument, how: How = How.IN_PLACE) -> None:
        self.program.acts.append(Act(verb, argument, tuple(self.situation.directories), how))

    def _find(
        self,
        effects: Effect,
        rule: str,
        why: str,
        argument: Argument | None = None,
        instead: str = "",
        *,
        firm: bool = False,
    ) -> None:
        """Add what follows from an act, or says nothing of files."""
        verdict = self.judge.say.answers[effects]
        start, end = (argument.start, argument.end) if argument is not None else self.span
        rule_id = self.id + "/" + rule if rule else self.id  # an enum is slow to format
        finding = Decision(
            verdict,
            rule_id,
            why,
            start,
            end,
            effects=effects,
            instead=instead or self.entry.instead,
            firm=firm or verdict is Verdict.DENY,
            stays=bool(effects & Effect.INSTALLS) and installs_here(self),
            kind=(rule if type(rule) is Kind else Kind.OTHER) if rule else Kind.WHOLE,
            source=Source.OURS if self.path[0] in OURS else Source.KNOWLEDGE,
        )
        self.findings.append(finding)

    def unlisted(self, rule: str, why: str, argument: Argument | None = None) -> None:
        """A word that the table does not list: the program may do more than it is known for."""
        effects = self.match.effect
        if not effects & COVERS_ANYTHING:
            self.does(effects | Effect.UNKNOWN, rule, why, argument)
        else:
            self.does(effects, rule, why, argument)

    def ask(self, rule: str, why: str, *, firm: bool = False) -> None:
        """Ask whatever the profile says, because the user wants to be asked."""
        rule_id = f"{self.id}/{rule}"
        self.findings.append(Decision(Verdict.ASK, rule_id, why, *self.span, firm=firm))
        self.program.doubts.append(self.findings[-1])

    def reads(self, argument: Argument) -> None:
        self._act(Verb.READ, argument)
        self.placed.add(argument.start)
        if "network" in self._places(argument):
            self._find(Effect.SENDS, "read", "reads a network connection", argument, firm=True)
        elif any(is_storage(t) or _MEMORY.match(t) for t in argument.texts):
            why = "reads a raw device or the memory of a process"
            self._find(Effect.SECRETS, "read", why, argument, firm=True)
        if argument.text is None and not argument.is_stream:
            self.situation.seen.reads.append(self.span)
        if self.names_secret(argument):
            why = f"reads {shown(argument)}, which may hold keys, passwords or tokens"
            self._find(Effect.SECRETS, Kind.SECRET, why, argument)

    def reads_trees(
        self, arguments: Iterable[Argument], is_taken: Callable[[str], bool] = lambda _: True
    ) -> None:
        """All files below directories, or here; is_taken: whether one of that name is read."""
        for directory in list(arguments) or [Argument(".", *self.span)]:
            self._act(Verb.READ, directory, How.TREE)
            if self.holds_secrets(directory, is_taken):
                why = f"reads keys, passwords or tokens below {shown(directory)}"
                self._find(Effect.SECRETS, Kind.SECRET, why, directory)

    def reads_whole(self, argument: Argument) -> None:
        """A file, or a directory with all that is in it but for what an option leaves out."""
        options = self.parsed.options
        left_out = [o.value.text or "" for o in options if o.value and o.role == "EXCEPT"]
        self.reads(argument)
        self.reads_trees([argument], lambda name: not is_left_out(name, left_out))

    def holds_secrets(self, directory: Argument, is_taken: Callable[[str], bool]) -> bool:
        """Tell whether there are secrets below a directory; in a home there always are."""
        if self._places(directory) & _DESTROYED:
            return True
        if not directory.is_static:
            return False
        names = secrets_below(directory.text or ".", self.situation.directories, self.judge.facts)
        return any(map(is_taken, names))

    def writes(
        self,
        argument: Argument,
        *,
        is_empty: bool = False,
        whatever: bool = True,
        how: How = How.IN_PLACE,
        verb: str = "",
    ) -> None:
        """A file or directory is created or changed.

        is_empty: it is new, and nothing is in it. whatever: any file in a directory may be meant.
        """
        self._act(Verb.MAKE if is_empty else Verb.WRITE, argument, how)
        self.placed.add(argument.start)
        verb = verb or ("creates" if is_empty else "writes to")
        if argument.text is None:
            self._find(Effect.UNCLEAR, Kind.WRITE, f"{verb} a place that is not known", argument)
        if self._is_user_place("never_write", argument):
            why = f"{verb} {shown(argument)}, which your configuration guards"
            self._find(Effect.GUARDED_WRITE, Kind.WRITE, why, argument, firm=True)
        self.written.update(self._real_paths(argument))
        self.situation.seen.written |= self.written
        for where in self._places(argument):
            if where == "sink":
                continue
            effect = _WRITTEN[where]
            if where == "sensitive" and is_empty:
                effect = self._around(argument)
                self._find(effect, Kind.WRITE, f"{verb} {shown(argument)}", argument)
            elif where == "device" and not is_empty and self._overwrites_storage(argument, how):
                why = f"overwrites {_described(where, argument)}"
                self._find(Effect.DESTROYS, Kind.WRITE, why, argument)
            elif where in _FIRM_PLACES:
                why = f"{verb} {_described(where, argument)}"
                self._find(effect, Kind.WRITE, why, argument, firm=True)
            elif not is_empty and self._leads_to_guarded(argument, whatever=whatever):
                why = _GUARDED.format(verb, shown(argument))
                effect = effect & Effect.OUTSIDE_WRITE | Effect.GUARDED_WRITE
                self._find(effect, Kind.WRITE, why, argument, firm=True)
            elif self._is_user_place("write", argument, every=True):
                why = f"{verb} {shown(argument)}, which your configuration lets it"
                self._allow(effect, "write", why, argument)
            else:
                self._find(effect, Kind.WRITE, f"{verb} {shown(argument)}", argument)

    def _overwrites_storage(self, argument: Argument, how: How) -> bool:
        """Tell whether what is on a disk, or in the memory of the machine, is lost."""
        return how is not How.METADATA and any(map(is_storage, self._paths(argument)))

    def opens(self, argument: Argument) -> None:
        """A file is read, and created if there is none."""
        self.reads(argument)
        facts = self.judge.facts
        for cwd in self.situation.directories:
            for text in argument.texts:
                path = joined(cwd, text)
                if facts.exists(posixpath.dirname(path)) and not facts.exists(path):
                    self.writes(argument)

    def makes(self, argument: Argument) -> None:
        """An empty directory or file is created: only its own place counts."""
        self.writes(argument, is_empty=True)

    def changes_metadata(self, argument: Argument) -> None:
        """Its mode, its owner or its times change, and what is in it stays."""
        self.writes(argument, how=How.METADATA)

    def builds(self, argument: Argument) -> None:
        """A program is made of the files that the call names: what it may do, their code says."""
        self.writes(argument)
        sources = [a for a in self.arguments if a is not argument and a.leading[:1] != "-"]
        named = {path for source in sources for path in self._real_paths(source)}
        is_here = all(source.text is not None for source in sources)
        if is_here and not is_brought(named, self.situation):
            self.built.update(self._real_paths(argument))

    def puts_out(self, argument: Argument) -> None:
        """As writes, for a program that takes `-` for its standard output."""
        if argument.text != "-":
            self.writes(argument)

    def deletes(self, argument: Argument, *, recursive: bool = True, verb: str = "deletes") -> None:
        self._act(Verb.DELETE, argument, How.TREE if recursive else How.IN_PLACE)
        self.placed.add(argument.start)
        if argument.text is None:
            why = f"{verb} files whose names are not known before it runs"
            self._find(Effect.UNCLEAR, Kind.DELETE, why, argument)
        if self._is_user_place("never_write", argument):
            why = f"{verb} {shown(argument)}, which your configuration guards"
            self._find(Effect.GUARDED_WRITE, Kind.DELETE, why, argument, firm=True)
        for where in self._places(argument):
            effect = _WRITTEN.get(where, Effect.PROJECT_WRITE)
            is_repository = where == "sensitive" and any(map(_REPOSITORY.search, argument.texts))
            if is_repository:
                effect |= Effect.DISCARDS
            if where in _DESTROYED and recursive:
                why = f"{verb} {_described(where, argument)}"
                self._find(Effect.DESTROYS, Kind.DELETE, why, argument, _BY_NAME)
            elif where in _FIRM_PLACES:
                why = f"{verb} {_described(where, argument)}"
                if is_repository:
                    why = f"{verb} {shown(argument)}, the repository with its history"
                self._find(effect, Kind.DELETE, why, argument, firm=True)
            elif recursive and self._leads_to_guarded(argument, removed=True):
                why = _GUARDED.format(verb, shown(argument))
                effect = effect & Effect.OUTSIDE_WRITE | Effect.GUARDED_WRITE
                self._find(effect, Kind.DELETE, why, argument, firm=True)
            elif where == "temporary" and recursive and self._is_all_temporary(argument):
                why = f"{verb} the temporary files of all programs"
                self._find(Effect.OUTSIDE_WRITE, Kind.DELETE, why, argument)
            elif where == "project-root" and recursive:
                effect |= Effect.DISCARDS | Effect.GUARDED_WRITE
                self._find(effect, Kind.DELETE, f"{verb} the project as a whole", argument)
            else:
                self._find(effect, Kind.DELETE, f"{verb} {shown(argument)}", argument)

    def _is_all_temporary(self, argument: Argument) -> bool:
        tops = self.judge.facts.temporary
        return any(path.rstrip("/*") in tops for path in self._paths(argument))

    def enters(self, argument: Argument) -> None:
        """The program works in another directory, with the configuration it finds there."""
        self._act(Verb.ENTER, argument)
        if argument.text is None:
            self.does(
                Effect.UNCLEAR, "directory", "works in a directory that is not known", argument
            )
        elif any(w not in ("project", "project-root") for w in self._places(argument)):
            why = "works in a directory outside the project"
            self.does(Effect.UNKNOWN, "directory", why, argument)

    def network(self, argument: Argument | None = None) -> None:
        """The network is used; argument: the address, if the command line names one."""
        if argument is not None:
            self._act(Verb.CONNECT, argument)
        self._find(Effect.DOWNLOADS, Kind.NETWORK, "uses the network", argument)
        if argument is not None and not is_literal(argument):
            why = "sends text that is not literal to the network"
            self._find(Effect.SENDS, "sends", why, argument)
        elif argument is not None and (harm := address_harm(argument.text or "")):
            self._find(Effect.SYSTEM, "address", harm, argument)
        if argument is not None and self.situation.substituted:
            why = "what it fetches becomes part of another command"
            self.does(Effect.UNCLEAR, "substituted", why, argument)

    def connects(self, argument: Argument) -> None:
        """The server that the program talks to, with the user's credentials."""
        self._act(Verb.CONNECT, argument)
        self._find(Effect.DOWNLOADS, Kind.NETWORK, "uses the network", argument)
        if not argument.is_static or not is_known_server(argument.text or ""):
            why = "may send credentials to a server that it is told here"
            self._find(Effect.SENDS, "server", why, argument)

    def sets(self, argument: Argument, command: Sequence[Argument] = ()) -> None:
        """`NAME=value` for the environment of what runs: a command, if it is known."""
        self._act(Verb.SET, argument)
        name, _, value = argument.leading.partition("=")
        if not command and "COMMAND" in (self.entry.operands or ()):
            command = self.parsed.operands[(self.entry.operands or ()).index("COMMAND") :]
        words = tuple(word.text for word in command[:2])
        if words and is_unheard(name, words[0]):
            return
        known = None if argument.text is None else value
        span = argument.start, argument.end
        finding = environment_finding(name, known, span, self.judge, self.situation, words)
        if finding is not None:
            self.add_others(finding)
            self.program.doubts.append(finding)

    def runs(self, arguments: list[Argument], situation: Situation | None = None) -> None:
        """The arguments are a command of their own. situation: its own, if it differs from ours."""
        if arguments:
            self._act(Verb.COMMAND, arguments[0])
        judge = judge_for(self) if self.path[0] in OURS else self.judge
        decision = judge.command(arguments, self.span, situation or self.situation)
        self.add_others(decision.with_leaves(_in_box) if judge.is_in_box else decision)
        self.judge.facts = judge.facts  # with the links that it made

    def shell(
        self,
        argument: Argument,
        shells: frozenset[str] | None = None,
        situation: Situation | None = None,
    ) -> None:
        """The argument is shell code. shells: what may read it; else the user's shell or sh."""
        self._act(Verb.SHELL, argument)
        if argument.text is None or argument.glob:
            self.does(
                Effect.UNCLEAR, Kind.CODE, "runs shell code that is not known", argument, firm=True
            )
        else:
            known = self.situation.shells | {SYSTEM} if shells is None else shells
            reads = self.situation.seen.reads
            before = len(reads)
            self.add_others(self.judge.nested(argument, known, situation or self.situation))
            reads[before:] = [self.span] if reads[before:] else []  # not where in that text

    def may_run(self, argument: Argument) -> None:
        """A text that may be shell code for what is not read here: what is hard of it counts."""
        for leaf in self.judge.hard_of(argument, self.situation):
            self.add_others(leaf)

    def add_others(self, finding: Decision) -> None:
        """Add what something else does that runs with this program."""
        self.findings.append(finding)
        self._others.append(finding)

    def is_others(self, finding: Decision) -> bool:
        """Tell what the program's environment and the commands in its arguments do."""
        return any(finding is other for other in self._others)

    def _allow(self, effects: Effect, rule: str, why: str, argument: Argument) -> None:
        """The user has answered this one beforehand."""
        span = argument.start, argument.end
        allowed = Decision(Verdict.ALLOW, f"{self.id}/{rule}", why, *span, effects=effects)
        self.findings.append(allowed)

    def _is_user_place(self, kind: str, argument: Argument, *, every: bool = False) -> bool:
        """Tell whether `[paths]` of the configuration speaks of it, as written or as resolved."""
        patterns = getattr(self.judge.say.places, kind)
        if not patterns:
            return False
        if every and argument.text is None:
            return False
        return fits(patterns, self._paths(argument), self.judge.facts, every=every)

    def _paths(self, argument: Argument) -> list[str]:
        facts, where = self.judge.facts, self.situation.directories
        found = (meant(text, cwd, facts) for cwd in where for text in self._texts(argument))
        return [path for paths in found for path in paths]

    def _texts(self, argument: Argument) -> tuple[str, ...]:
        """The paths that it may be, and of a pattern those that it meets behind links."""
        if not argument.glob:
            return argument.texts
        facts, where = self.judge.facts, self.situation.directories
        paths = [joined(cwd, text) for cwd in where for text in argument.texts]
        led = [one for path in paths if path for one in led_matches(path, facts)]
        return (*argument.texts, *led)

    def _beginning(self, argument: Argument) -> tuple[str, ...]:
        """Of a path that is not known, any name in the directory outside with which it begins."""
        directory, slash, _ = argument.leading.rpartition("/")
        is_known = argument.text is None and slash and self.is_outside(f"{directory}/")
        return (f"{directory}/{_SOME_NAME}",) if is_known else ()

    def _real_paths(self, argument: Argument) -> list[str]:
        facts, where = self.judge.facts, self.situation.directories
        texts = self._texts(argument)
        return [end for cwd in where for text in texts for end in facts.ends(joined(cwd, text))]

    def content(self, path: str) -> str | None:
        """What a small file says now, wherever the program may run; None if that is not known."""
        where = self.situation.directories
        texts = (self.judge.facts.text(joined(cwd, path)) for cwd in where)
        return next((text for text in texts if text is not None), None)

    def runs_file(self, argument: Argument) -> None:
        """A file of code is run: the project's own, or one that nobody knows."""
        self._act(Verb.RUN, argument)
        if _REMOTE.match(argument.leading):
            what = shown(argument) if argument.texts else argument.leading
            effects = Effect.INSTALLS | Effect.RUNS_FETCHED
            self.does(effects, Kind.FILE, f"fetches code from {what[:_SHOWN]}", argument)
        elif argument.text is None or argument.text == "-" or is_stream(argument.text):
            kind = Kind.INPUT if argument.text == "-" else Kind.FILE
            self.does(Effect.UNCLEAR, kind, "runs code in a file that is not known", argument)
            for text in self._given_code(argument):
                self._follow_written(text, argument)
        else:
            effects = self.judge.code_at(argument.text, self.situation)
            if argument.glob:
                where = (joined(cwd, argument.text) for cwd in self.situation.directories)
                names = self.judge.facts.names
                self.situation.seen.ran.update(
                    one for path in where for one in matching(path, names)
                )
            self.code_start = argument.start
            kind = Kind.FETCHED if effects & Effect.RUNS_FETCHED else Kind.FILE
            self.does(effects, kind, f"runs the code in {argument.text}", argument)
            if self.names_secret(argument):
                why = f"runs {shown(argument)}, a file of secrets, and so may show it"
                self.does(Effect.SECRETS, Kind.SECRET, why, argument)
            for path in self._real_paths(argument):
                if path in self.situation.seen.texts:
                    self._follow_written(self.situation.seen.texts[path], argument)

    def _given_code(self, argument: Argument) -> tuple[str, ...]:
        """The code in `<(echo ..)`, or that of the input for `/dev/stdin`."""
        script, text = self.situation.script, self.situation.input_text
        if argument.text is not None:
            return () if text is None else (text,)
        written = b"" if script is None else script.source[argument.start : argument.end]
        return substituted_file(written, self.situation.values) if written[:2] == b"<(" else ()

    def _follow_written(self, code: str, where: Argument) -> None:
        from laconic.reading.commands.written_code import follow_written  # noqa: PLC0415 - seldom

        follow_written(self, code, where)

    def names_secret(self, argument: Argument) -> bool:
        """Tell whether an argument may be a file of keys, passwords or tokens."""
        if self._is_user_place("secret", argument):
            return True
        return may_be_secret(argument, self.situation.directories, self.judge.facts)

    def _leads_to_guarded(
        self, argument: Argument, *, removed: bool = False, whatever: bool = True
    ) -> bool:
        facts = self.judge.facts
        paths = dict.fromkeys(self._paths(argument))
        return any(
            leads_to_guarded(path, facts, removed=removed, whatever=whatever) for path in paths
        )

    def leads_to_guarded(self, argument: Argument, *, whatever: bool = True) -> bool:
        """Tell whether it is a file that decides what programs run, or a directory with such."""
        if "sensitive" in self._places(argument):
            return True
        return self._leads_to_guarded(argument, whatever=whatever)

    def is_own(self, argument: Argument) -> bool:
        """Tell whether it is an ordinary file of the project or a temporary one."""
        return bool(argument.texts) and self._places(argument) <= _OWN_PLACES

    def is_outside(self, path: str) -> bool:
        """Tell whether a path may lead out of the project and the temporary directories."""
        facts = self.judge.facts
        for cwd in self.situation.directories:
            where = place(path, cwd, facts)
            is_own = where == "sensitive" and self._is_within_project(path, cwd)
            if not is_own and where not in (*_OWN_PLACES, "project-root", "sink"):
                return True
        return False

    def is_led(self, word: str) -> bool:
        """Tell whether a word is a path that leads through a link."""
        if not word or len(word) > _LONGEST_NAME or " " in word:
            return False
        facts, where = self.judge.facts, self.situation.directories
        return any(len(meant(word, cwd, facts)) > 1 for cwd in where)

    def _around(self, argument: Argument) -> Effect:
        """Where an empty directory is made, whatever it may hold later."""
        where, texts = self.situation.directories, argument.texts
        is_own = all(self._is_within_project(text, cwd) for cwd in where for text in texts)
        return Effect.PROJECT_WRITE if is_own else Effect.OUTSIDE_WRITE

    def _is_within_project(self, path: str, cwd: str) -> bool:
        facts = self.judge.facts
        return all(is_within(end, facts.project) for end in facts.ends(joined(cwd, path)))

    def _places(self, argument: Argument) -> KeysView[str]:
        """Where the file may be, each kind of place once and in a certain order."""
        facts, directories = self.judge.facts, self.situation.directories
        texts = self._texts(argument) or self._beginning(argument)
        places = (place(text, cwd, facts) for text in texts for cwd in directories)
        return dict.fromkeys(places).keys()


def _in_box(leaf: Decision) -> Decision:
    return leaf.but(in_box=leaf.in_box or leaf.verdict is Verdict.ALLOW)


def _described(where: str, argument: Argument) -> str:
    text = shown(argument)
    if where == "root" and not text.strip("/*"):
        return "the root of the file system"
    if argument.glob and where in _DESTROYED:  # it may be one of many names
        return f"what {text} names: {_FIRM_PLACES[where].removesuffix(' itself')} or what is in it"
    return f"{text}, {_FIRM_PLACES[where]}"


def shown(argument: Argument) -> str:
    text = argument.texts[0] if argument.texts else "something"
    return "the current directory" if text in (".", "./") else text
