"""Decides for each segment of a command line what to insert, and says why.

Only insertions, and the removal of a trailing `| head`, `| tail` or `| grep` that laconic then
honours: take them out and the command is as it was typed. Text that cannot be parsed, and a result
that would not parse to the same commands, is left alone.
"""

from __future__ import annotations

from functools import cached_property

from laconic.compact.filter import LOGS
from laconic.compact.match import exact_option, is_endless
from laconic.compact.readable import PACKAGE_RUNNERS
from laconic.knowledge.arguments import Argument, evaluate
from laconic.patterns import problem
from laconic.rewrite.doubts import find_doubts, is_plain_path, special_in_front
from laconic.rewrite.edits import Edit, Note, Rewriting, apply
from laconic.rewrite.pipes import (
    is_line_tool,
    is_movable,
    is_strippable,
    keeps_lines,
    prints_one_line,
    stops_early,
)
from laconic.rewrite.segments import hides_heredoc, segments
from laconic.rewrite.skips import is_excluded
from laconic.rewrite.wrappers import (
    GENERIC,
    SILENT,
    base_name,
    inner_start,
    line_shells,
    sequence,
    shell_line,
    wrappers,
)
from laconic.settings.environ import SWITCHES
from laconic.shell import ParseError, parse
from laconic.shell.ast import Command
from laconic.shell.walk import commands
from laconic.shell.words import literal, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.knowledge.knowledge import Library
    from laconic.rewrite.doubts import Doubts
    from laconic.rewrite.from_config import Options
    from laconic.rewrite.package_scripts import Scripts
    from laconic.rewrite.segments import Segment
    from laconic.shell.ast import Pipeline, Script

EXACT = "an exact read"  # the reason begins with it
OURS = frozenset(("laconic", "laconic-py"))
# Programs that run command lines, which may be known: scripts of a package, and operands.
_RUN_LINES = frozenset((*PACKAGE_RUNNERS, "concurrently", "conc", "npm-run-all", "run-p", "run-s"))


def rewrite(command: str, options: Options, library: Library) -> Rewriting:
    """Rewrite a command line; never raises, in doubt gives it back as it is."""
    if problem():
        return _untouched(command, problem())
    try:
        source = command.encode("utf-8", "surrogateescape")
        script = parse(source)
    except ParseError as error:
        result = _untouched(command, f"cannot be parsed: {error}")
        result.is_parsed = False
        return result
    if hides_heredoc(script):
        return _untouched(command, "a here-document stands inside a substitution")
    doubts = find_doubts(script)
    if doubts.everything:
        return _untouched(command, doubts.everything)
    plan = _Plan(script, doubts, options, library)
    for segment in segments(script):
        plan.consider(segment)
    if options.flags:
        plan.add_flags()
    if not plan.edits:
        return Rewriting(command, (), tuple(plan.notes))
    text = apply(source, plan.edits).decode("utf-8", "surrogateescape")
    if not _is_readable(text):
        return _untouched(command, "the result would not parse")
    result = Rewriting(text, tuple(plan.edits), tuple(plan.notes))
    result.flagged = frozenset(plan.flagged)
    return result


def _untouched(command: str, reason: str) -> Rewriting:
    return Rewriting(
        command, (), (Note(0, len(command.encode("utf-8", "replace")), "skip", reason),)
    )


def _is_readable(text: str) -> bool:
    try:
        parse(text)
    except ParseError:
        return False
    return True


class _Plan:
    """The edits so far."""

    def __init__(self, script: Script, doubts: Doubts, options: Options, library: Library) -> None:
        self.script, self.doubts, self.options, self.library = script, doubts, options, library
        self.edits: list[Edit] = []
        self.notes: list[Note] = []
        self.flagged: list[int] = []
        self._local_wrappers = [wrapper.command for wrapper in options.local_wrappers]

    def consider(self, segment: Segment) -> None:
        pipeline = segment.pipeline
        start, end = pipeline.commands[0].start, pipeline.end
        reason = segment.forbidden or self._unwanted(segment)
        if reason:
            self.notes.append(Note(start, end, "skip", reason))
            return
        self._user_rule(segment) or self._filter(segment)

    # -- flags for single commands

    def add_flags(self) -> None:
        """Give commands the flags that they need, whatever becomes of their output."""
        for occurrence in commands(self.script):
            command, context = occurrence.command, occurrence.context
            flags = self.options.flags.get(command.start)
            is_ours = not context.substitution and not context.function and bool(command.words)
            if flags and is_ours and not self._unwanted_one(command, command.end):
                self._add_flags(command, flags)

    def _add_flags(self, command: Command, flags: str) -> None:
        arguments = self._arguments(command)
        name = arguments[0].text if arguments and arguments[0].is_static else None
        if name is None:
            return
        offset, inner = self._innermost(name, arguments)
        if not inner or name.rsplit("/", 1)[-1] in OURS:
            return
        if name in self.doubts.functions:
            return
        launcher = self._launcher(command)
        is_replaced = any(
            edit.offset < command.end and command.start < edit.offset + edit.removed
            for edit in self.edits
            if edit.removed
        )
        if is_replaced or not launcher:
            return  # a rule of the user's puts something else in its place
        same = next((e for e in self.edits if e.offset == offset and not e.removed), None)
        if same is None:
            self.edits.append(Edit(offset, f"{launcher} run {flags}--raw "))
        else:
            begin = len(f"{launcher} run ")
            same.inserted = same.inserted[:begin] + flags + same.inserted[begin:]
        self.flagged.append(command.start)
        self.notes.append(Note(command.start, command.end, "run", f"with {flags.strip()}"))

    def _launcher(self, command: Command) -> str:
        is_lost = bool(self.doubts.path or (command.assignments and special_in_front(command)))
        return self.options.full_path if is_lost else self.options.launcher

    # -- reasons to leave it alone

    def _unwanted(self, segment: Segment) -> str:
        command = segment.pipeline.commands[0]
        if not isinstance(command, Command) or not command.words:
            return "runs no program"
        return self._unwanted_one(command, segment.pipeline.end)

    def _unwanted_one(self, command: Command, end: int) -> str:
        arguments = self._arguments(command)
        if any(a.name in SWITCHES for a in command.assignments) or any(
            a.leading.partition("=")[0] in SWITCHES for a in arguments
        ):
            return "switched off for this command"
        for pattern in self.options.skip:
            if pattern.search(self._text(command.start, end)):
                return f"[skip] pattern {pattern.pattern!r}"
        text = self._text(command.words[0].start, command.end)
        for entry in self.options.exclude:
            if is_excluded(entry, text, arguments, self.options.local_wrappers, self.library):
                return f"[skip] exclude {entry!r}"
        return self._in_front(command)

    def _in_front(self, command: Command) -> str:
        """Why the variables before a command keep `laconic run` away from it."""
        for assignment in special_in_front(command) if command.assignments else ():
            if assignment.name != "PATH" or not is_plain_path(assignment, self.script.source):
                return f"{assignment.name} is another one for it"
            if not self.options.full_path:
                return "the PATH is another one for it"
        return ""

    # -- the user's own rules

    def _user_rule(self, segment: Segment) -> bool:
        command = segment.pipeline.commands[0]
        assert isinstance(command, Command)
        if not self.options.rules:
            return False
        name = base_name(command.words[0])
        if name in self.options.transparent or name in OURS:
            return False
        if literal(command.words[0]) in self.doubts.functions:
            return False
        is_lost = bool(self.doubts.path or special_in_front(command))
        end = segment.pipeline.end
        for start in dict.fromkeys((command.start, command.words[0].start)):
            text = self._text(start, end)
            for rule in self.options.rules:
                replaced = rule.applied(text)
                if replaced is None or replaced == text or (is_lost and "laconic" in replaced):
                    continue
                if _is_readable(replaced):
                    self.edits.append(Edit(start, replaced, end - start))
                    self._note(segment, "rule", f"[[rewrite]] {rule.pattern.pattern!r}")
                    return True
        return False

    # -- filters

    def _filter(self, segment: Segment) -> bool:
        pipeline = segment.pipeline
        command = pipeline.commands[0]
        assert isinstance(command, Command)
        arguments = self._arguments(command)
        choice = self._choose_filter(arguments)
        if not choice.id:
            self._note(segment, "skip", choice.reason)
            return False
        flags = ""
        if len(pipeline.commands) > 1 and choice.id == LOGS:
            self._note(segment, "skip", f"{EXACT}: {arguments[0].text}")
            return False
        if len(pipeline.commands) > 1:
            is_summary = choice.id != GENERIC and self.options.is_summary(choice.id)
            flags, reason = self._pipe_flags(segment) if is_summary else ("", "")
            if not flags:
                # a summary of some lines of the output would not be true of all of it
                shown = Choice(id=GENERIC) if is_summary else choice
                if (not is_summary or _picks_twice(pipeline)) and self._at_end(segment, shown):
                    return True
                self._note(segment, "skip", reason or "its output goes into a pipe")
                return False
            # Lines keep their numbers, which the shell may name.
            removed = self.script.source[command.end : pipeline.end]
            self.edits.append(Edit(command.end, "\\\n" * removed.count(b"\n"), len(removed)))
        self.edits.append(Edit(choice.offset, f"{self._launcher(command)} run {flags}"))
        self._note(segment, "run", f"filter {choice.id}")
        return True

    def _choose_filter(self, arguments: list[Argument]) -> Choice:
        name = arguments[0].text if arguments and arguments[0].is_static else None
        if name is None:
            return Choice(reason="the program's name is not known")
        offset, inner = self._innermost(name, arguments)
        base = (inner[0].text or "").rsplit("/", 1)[-1] if inner else ""
        if base in OURS or name.rsplit("/", 1)[-1] in OURS:
            return Choice(reason="is laconic already")
        if name in self.doubts.functions:
            return Choice(reason=f"{name} is a function here")
        if self.doubts.path and not self.options.full_path:
            return Choice(reason=self.doubts.path)
        if base == "nohup":
            return Choice(reason="nohup asks whether its output is a terminal")
        if reason := _not_for_readers(inner):
            return Choice(reason=reason)
        line = shell_line(inner) if base in line_shells() else None
        if line is not None:
            return self._in_shell(line, offset)
        identifier = self.options.find_filter(inner) if inner else None
        if identifier is None:
            reason = self.options.why_not(inner) if inner else "no filter"
            if reason and base in _RUN_LINES:
                reason = self._scripts.reason_against(inner, reason)
            return Choice(reason=reason) if reason else Choice(id=GENERIC, offset=offset)
        return Choice(id=identifier, offset=offset)

    def _innermost(self, name: str, arguments: list[Argument]) -> tuple[int, list[Argument]]:
        """Where `laconic run` belongs, and the command whose output it will be."""
        base = name.rsplit("/", 1)[-1]
        if base not in wrappers() and base not in self._local_wrappers:
            return arguments[0].start, arguments
        return inner_start(arguments, self.options.local_wrappers, self.library)

    def _in_shell(self, line: str, offset: int) -> Choice:
        """What `bash -c 'line'` prints: a filter if it is one command, or the generic compactor.

        Each of its commands must be one that may be wrapped.
        """
        choices: list[Choice] = []
        every = sequence(line)
        for command in every:
            arguments = self._arguments(command) if command is not None else []
            if not arguments:
                return Choice(reason="its shell runs more than simple commands")
            if arguments[0].text in SILENT:
                continue
            inner = self._choose_filter(arguments)
            if not inner.id:
                return inner
            choices.append(inner)
        if not choices:
            return Choice(reason="its shell runs no program")
        return Choice(id=choices[0].id if len(every) == 1 else GENERIC, offset=offset)

    @cached_property
    def _scripts(self) -> Scripts:
        from laconic.rewrite.package_scripts import Scripts  # noqa: PLC0415 - few lines need it

        return Scripts(self.script, self.options.directory, self.library, self._choose_filter)

    def _at_end(self, segment: Segment, choice: Choice) -> bool:
        """Put `laconic run` before the last command of a pipe that only picks or sorts lines.

        The shell runs the pipe as it was typed; what comes out of it is shown by the filter of the
        command that wrote the lines, as long as they are lines of that.
        """
        _, *others = segment.pipeline.commands
        last = others[-1]
        if not self.options.strip or any(s.text != "|" for s in segment.pipeline.operators):
            return False
        if not all(isinstance(c, Command) and is_line_tool(c) for c in others):
            return False
        assert isinstance(last, Command)
        if literal(last.words[0]) in self.doubts.functions or prints_one_line(last):
            return False
        if self._doubts_tools() or (stops_early(last) and self._has_pipefail(last)):
            return False
        is_same = all(keeps_lines(c) for c in others if isinstance(c, Command))
        view = choice.id if is_same else GENERIC
        self.edits.append(Edit(last.words[0].start, f"{self._launcher(last)} run --filter {view} "))
        self._note(segment, "run", f"filter {view}, at the end of its pipe")
        return True

    def _pipe_flags(self, segment: Segment) -> tuple[str, str]:
        """The flags that hand the pipe over, or the reason not to."""
        pipeline = segment.pipeline
        first, *others = pipeline.commands
        last = others[0]
        assert isinstance(first, Command)
        if not self.options.strip:
            return "", "[pipe] strip is off"
        is_single = len(others) == 1 and pipeline.operators[0].text == "|"
        if not is_single or not isinstance(last, Command) or not is_strippable(last):
            return "", "its output goes into a pipe"
        if pipeline.timed:  # https://pubs.opengroup.org/onlinepubs/9699919799/utilities/time.html
            return "", "what time measures of a pipe depends on the shell"
        if reason := self._pipe_stays(first, last):
            return "", reason
        flags = f"--baseline-pipe {quoted(self._text(last.start, last.end))} "
        if any(r.operator == ">&" and r.fd == "2" for r in first.redirects):
            flags += "--pipe-stderr "
        if self._has_pipefail(first):
            flags += "--pipefail "
        if self.options.prefer_less:
            flags += "--prefer-less "
        return flags, ""

    def _pipe_stays(self, first: Command, last: Command) -> str:
        """Why a pipe that could be honoured must stay: without it, the shell would see another."""
        name = literal(last.words[0]) or ""
        if name in self.doubts.functions:
            return f"{name} is a function here"
        if reason := self.doubts.pipes or self._doubts_tools():
            return reason
        if first.assignments and special_in_front(first):
            return "the pipe has another PATH than the command"
        if name == "head" and self._has_pipefail(first):
            return "with pipefail, the status tells whether head was the first to stop"
        if not is_movable(first, nounset=self.doubts.nounset):
            return "an expansion or a redirect may do something else outside of a pipe"
        return ""

    def _doubts_tools(self) -> str:
        return self.doubts.tools if self.options.full_path else self.doubts.path

    def _has_pipefail(self, command: Command) -> bool:
        return self.doubts.pipefail is not None and command.start >= self.doubts.pipefail

    # -- small steps

    def _arguments(self, command: Command) -> list[Argument]:
        return evaluate(command.words, {})

    def _text(self, start: int, end: int) -> str:
        return self.script.source[start:end].decode("utf-8", "surrogateescape")

    def _note(self, segment: Segment, action: str, reason: str) -> None:
        pipeline = segment.pipeline
        self.notes.append(Note(pipeline.commands[0].start, pipeline.end, action, reason))


class Choice:
    """A filter and where to put `laconic run`, or the reason why there is none."""

    __slots__ = ("id", "offset", "reason")

    def __init__(self, id: str = "", offset: int = 0, reason: str = "") -> None:  # noqa: A002
        self.id, self.offset, self.reason = id, offset, reason


def _picks_twice(pipeline: Pipeline) -> bool:
    """Tell whether lines are picked in several steps, which laconic does not honour itself."""
    others = pipeline.commands[1:]
    return len(others) > 1 and all(
        isinstance(c, Command) and is_line_tool(c) and keeps_lines(c) for c in others
    )


def _not_for_readers(arguments: list[Argument]) -> str:
    """Why the output is not meant for a reader: a program reads it, or it never ends."""
    if option := exact_option(arguments):
        return f"{option} asks for output that a program reads"
    endless = is_endless(arguments)
    return f"{endless}: it runs until it is stopped" if endless else ""
