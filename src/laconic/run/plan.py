"""Plans how the output of a task is shown, from settings and filters."""

from __future__ import annotations

from laconic.compact.hits import hits_of
from laconic.compact.load import FilterSet, load_filters
from laconic.compact.passed_names import asks_for_names
from laconic.compact.readable import PACKAGE_RUNNERS
from laconic.compact.scripts import without_name
from laconic.compact.view import GENERIC, RUN, View
from laconic.errors import UsageError
from laconic.knowledge.catalog import library
from laconic.patterns import problem
from laconic.record.step_back import StepBack
from laconic.rewrite.pipes import is_line_tool_name
from laconic.run.package_script import script_command
from laconic.run.shells import Inner, arguments_of, last_commands, sole_command, unwrap
from laconic.settings.environ import has_session, reader_of
from laconic.settings.load import Settings, current_directory, read_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from laconic.knowledge.arguments import Argument
    from laconic.knowledge.knowledge import Library
    from laconic.run.task import Task


class RunPlan:
    """How the output of a task is shown: its view, and what was recognised.

    inner: the command inside a shell, if there is one. program: the name under which the records
    group it, `git status`; the name alone, if nothing better is known. stepped: why the output is
    shown as it is although something could be hidden. has_session: it is known who reads it.
    """

    def __init__(
        self,
        settings: Settings,
        inner: Inner,
        view: View,
        name: str,
        reader: Sequence[str] = (),
    ) -> None:
        """reader: what tells who reads the output."""
        self.settings, self.inner, self.view = settings, inner, view
        self.program = _program(inner.arguments, view) or name
        directory = settings.project.root if settings.project else current_directory()
        self.project = str(directory or "")
        self.step_back = StepBack(settings.directories.state, reader)
        self.stepped = ""
        self.has_session = False

    def can_step_back(self, task: Task) -> bool:
        """Tell whether a command is known by its words alone, without a pipe before or after it.

        For a program that uses the library nothing is remembered.
        """
        is_named = self.view.is_exact or task.pipe or task.filter_id or task.mode != RUN
        return not (self.settings.is_isolated or is_named)

    def consider_stepping_back(self, task: Task) -> None:
        """Show all of the output if what was hidden of it before was missed."""
        if self.can_step_back(task):
            self.stepped = self.step_back.reason(self.project, task.command)
            if self.stepped:
                self.view = View(RUN, is_exact=True)
                self.view.problem = self.stepped


def plan_run(task: Task, environ: Mapping[str, str]) -> RunPlan:
    """Make the plan for a task; raises UsageError if it asks for a filter that does not exist."""
    settings = task.settings or read_settings(environ)
    inner, view = view_of(task, settings)
    plan = RunPlan(settings, inner, view, task.name, reader_of(environ))
    plan.has_session = has_session(environ)
    plan.consider_stepping_back(task)
    return plan


def view_of(task: Task, settings: Settings) -> tuple[Inner, View]:
    """The command that decides how the output is shown, and how, whatever was shown before."""
    inner = unwrap(task.argv)
    known = load_filters(settings, _library(inner.arguments))
    if not task.is_wrapped and not (inner.arguments and known.filters.find(inner.arguments)):
        inner = Inner(None, arguments_of(task.argv))  # the shell itself is what was asked for
    return inner, _view(task, inner, known, settings)


def _view(task: Task, inner: Inner, known: FilterSet, settings: Settings) -> View:
    if task.is_raw or not settings.config.compact.enabled or problem():
        return View(RUN, is_exact=True)
    if task.filter_id:
        asked = None if task.filter_id == GENERIC else known.load(task.filter_id)
        if asked is None and task.filter_id != GENERIC:
            raise UsageError(f"there is no filter {task.filter_id!r}", "laconic filters list")
        view = View(RUN, asked)
        view.is_picked = is_line_tool_name(task.name)
        return view
    if task.mode != RUN:
        return View(task.mode)
    if not inner.arguments:  # several commands: no filter of one fits the whole
        parts = last_commands(inner.command or "")
        return View(RUN, is_exact=any(known.filters.is_exact(part) for part in parts))
    found = known.filters.find(inner.arguments)
    view = View(RUN, found, is_exact=found is None and known.filters.is_exact(inner.arguments))
    layers = known.filters.layers(inner.arguments)
    is_script = known.filters.runs_script if found else _is_of_package
    script = None if view.is_exact else next(filter(is_script, layers), None)
    if script:
        view.of_script = lambda line: known.filters.find(sole_command(line))
        command = None
        if not task.is_elsewhere:
            command = script_command(script, str(current_directory() or ""))
        of_command = known.filters.find(command) if command else None
        view.filter = without_name(of_command) if of_command else found
    words = [argument.text for argument in inner.arguments]
    view.wants_names = asks_for_names(words, _shapes(view))
    view.hits = hits_of(argument.text for argument in inner.arguments) if found else None
    return view


def _shapes(view: View) -> set[str]:
    """The shapes that are tried; a row of the table has all of them, also that of tests."""
    if view.filter is None:
        return set()
    return {"passed"} if view.filter.is_row else view.filter.shapes


def _is_of_package(arguments: list[Argument]) -> bool:
    """Tell whether a package manager runs, which may run a script of any name."""
    return (arguments[0].text or "").rsplit("/", 1)[-1] in PACKAGE_RUNNERS


def _library(arguments: list[Argument]) -> Library | None:
    """Load the tables of tools, which is slow, only if options come before a subcommand."""
    return library() if len(arguments) > 1 and arguments[1].leading.startswith("-") else None


def _program(arguments: list[Argument], view: View) -> str:
    words = [argument.text or "" for argument in arguments]
    name = words[0].rsplit("/", 1)[-1] if words else ""
    paths = (command.split() for command in (view.filter.commands if view.filter else ()))
    fitting = [path for path in paths if path[0] == name and set(path[1:]) <= set(words)]
    fitting.sort(key=len)
    return " ".join(fitting[-1]) if fitting else name
