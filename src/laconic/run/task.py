"""The task that `laconic run` and similar commands carry out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from laconic.shell.words import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.settings.load import Settings

_PLAIN = frozenset("-_./:=@%+,")


class Task:
    """A command, and how its output is to be shown.

    mode: `run`, `err`, `test` or `summary`. pipe: the command after the `|` that was taken off.
    is_wrapped: argv is a shell, and the command inside decides. wants_undo: what it changes is to
    be kept. settings: those to show it by, None to read what is in force here. is_boxed: it is to
    run in the box, of project if one is named; box: the words that start it there. is_outside: it
    is to run without one, if the gate lets it. notice: what is to be said once it has ended, from
    its status and its output.
    launcher: what the caller can type to start us, where that is known.
    is_elsewhere: what it says of files cannot be looked up here.
    is_awaited: somebody has work to do when it has ended, so that we must not become it.
    """

    def __init__(self, argv: Sequence[str], mode: str = "run") -> None:
        self.argv, self.mode = list(argv), mode
        self.filter_id = self.launcher = self.pipe = self.project = ""
        self.pipe_stderr = self.pipefail = self.prefer_less = False
        self.is_raw = self.is_wrapped = self.is_boxed = self.is_outside = self.wants_undo = False
        self.is_awaited = self.is_elsewhere = False
        self.box: Sequence[str] = ()
        self.notice: Callable[[int, str, str], str] | None = None
        self.settings: Settings | None = None

    @property
    def started(self) -> list[str]:
        """Return the words that are really started; they run argv."""
        return [*self.box, *self.argv]

    @property
    def name(self) -> str:
        return self.argv[0].rsplit("/", 1)[-1]

    @property
    def command(self) -> str:
        """Return the command line as a person could have typed it."""
        return " ".join(map(as_word, self.argv))


def as_word(text: str) -> str:
    """Return a text as one word of a command line, quoted if necessary."""
    is_plain = bool(text) and all(char.isalnum() or char in _PLAIN for char in text)
    return text if is_plain and text.isascii() else quoted(text)
