"""Finds the filter for a command: by program, subcommands and options of the evaluated words."""

from __future__ import annotations

from laconic.compact.bound import attempt
from laconic.compact.filter import LOGS
from laconic.compact.readable import INTERPRETERS, PACKAGE_RUNNERS, runs_file, runs_script
from laconic.knowledge.options import VALUE
from laconic.patterns import compile_written, pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from laconic.compact.filter import Filter
    from laconic.knowledge.arguments import Argument
    from laconic.knowledge.knowledge import Branch, Library

_OF_SCRIPTS = "npm/run"  # the filter for any script of a package
_VERSIONED = pattern(r"(.*?[A-Za-z])-?[0-9]+(?:\.[0-9]+)*(?:\.exe)?")


class Entry:
    """One command path of one filter: `git log --oneline` is a path of two words and an option."""

    __slots__ = ("identifier", "options", "rank", "words")

    def __init__(self, command: str, identifier: str, layer: int) -> None:
        words = command.split()
        last = max(pos for pos, word in enumerate(words) if pos == 0 or not word.startswith("-"))
        self.words, self.options = tuple(words[: last + 1]), tuple(words[last + 1 :])
        self.identifier = identifier
        self.rank = (len(self.words), len(self.options), layer)


class Runner:
    """A command that runs the command after it, as a line of runners.txt has it.

    valued: its options with a value. spare: how many words of its own it has (`timeout 60`).
    is_env: assignments may come before the command (`env X=1`).
    """

    __slots__ = ("is_env", "spare", "valued", "words")

    def __init__(self, line: str) -> None:
        words = line.split()
        self.words = tuple(word for word in words if word[0] not in "-+=")
        self.valued = frozenset(word for word in words if word[0] == "-")
        self.spare, self.is_env = words.count("+1"), "=" in words

    def command(self, arguments: list[Argument], pos: int) -> int:
        """Where the command begins, after the options and words of the runner from pos on."""
        spare = self.spare
        while pos < len(arguments):
            text = arguments[pos].text or ""
            if text == "--":
                return pos + 1 + spare
            if _is_option(arguments[pos]):
                pos += 2 if text in self.valued else 1
            elif self.is_env and "=" in arguments[pos].leading:
                pos += 1
            elif spare and arguments[pos].is_static:
                pos, spare = pos + 1, spare - 1
            else:
                break
        return pos


class Filters:
    """All filters, by program; of those that fit the most specific wins, then the last added.

    load: returns a filter by its id, when it is needed. exact: commands whose output is left alone.
    readable: others that may be wrapped. runners: commands that run the command after them (`npx`,
    `uv run`). reads_logs: whether a program that prints a file has a filter where that is a log.
    """

    __slots__ = (
        "_entries", "_exact", "_library", "_load", "_readable", "_reads_logs", "_runners",
    )  # fmt: skip

    def __init__(
        self,
        load: Callable[[str], Filter | None],
        library: Library | None = None,
        *,
        reads_logs: bool = False,
        exact: Iterable[str] = (),
        readable: Iterable[str] = (),
        runners: Iterable[str] = (),
    ) -> None:
        self._load, self._library, self._reads_logs = load, library, reads_logs
        self._entries: dict[str, list[Entry]] = {}
        self._exact, self._readable = _by_program(exact), _by_program(readable)
        self._runners: dict[str, list[Runner]] = {}
        for runner in map(Runner, runners):
            self._runners.setdefault(runner.words[0], []).append(runner)

    def add(self, command: str, identifier: str, layer: int = 0) -> None:
        entry = Entry(command, identifier, layer)
        known = self._entries.setdefault(entry.words[0], [])
        known.append(entry)
        known.sort(key=lambda entry: entry.rank, reverse=True)

    def find(
        self,
        arguments: list[Argument],
        *,
        with_passthrough: bool = False,
        with_scripts: bool = True,
    ) -> Filter | None:
        """Return the filter for a command, or None: nothing fits, or exact output is asked for.

        with_passthrough: also a filter that an option of the command switches off. with_scripts:
        also the one for all scripts of packages, whatever their names are.
        """
        layers = self.layers(arguments)
        for inner in layers:
            if exact_option(inner):
                return None
            texts = {argument.text for argument in inner}
            for entry in self._entries.get(self._program(inner[0], self._entries), ()):
                if not texts.issuperset(entry.words[1:]) or not self._fits(entry, inner):
                    continue
                found = self._load(entry.identifier)
                if found is not None:
                    return found if with_passthrough else _unless_passed(found, inner)
        if self._reads_logs and layers and reads_log(layers[-1]):
            return self._load(LOGS)
        script = next(filter(self.runs_script, layers), None) if with_scripts else None
        found = self._load(_OF_SCRIPTS) if script else None
        if not found or not script or with_passthrough:
            return found
        return _unless_passed(found, script)

    def runs_script(self, arguments: list[Argument]) -> bool:
        """Tell whether a script of a package is run, which says itself what it runs."""
        return runs_script(self._program(arguments[0], PACKAGE_RUNNERS), arguments)

    def is_exact(self, arguments: list[Argument]) -> bool:
        """Tell whether a command reads something out, so that each of its lines is wanted."""
        layers = self.layers(arguments)
        return not layers or bool(exact_option(layers[-1])) or any(map(self._is_listed, layers))

    def is_readable(self, arguments: list[Argument]) -> bool:
        """Tell whether a command without a filter may be wrapped; is_exact() is asked first."""
        if not arguments or is_endless(arguments):
            return False
        layers = self.layers(arguments)
        if any(map(self._is_named, layers)) or any(map(self._says_more, layers)):
            return True
        # a path is neither a function nor an alias; what is known by its name was judged above
        path = (layers[-1][0].text or "") if layers[-1][0].is_static else ""
        return "/" in path and not self._readable.get(self._program(layers[-1][0], self._readable))

    def _is_named(self, arguments: list[Argument]) -> bool:
        entries = self._readable.get(self._program(arguments[0], self._readable), ())
        if any(self._fits(entry, arguments) for entry in entries):
            return True
        name = self._program(arguments[0], INTERPRETERS)
        return runs_file(name, arguments) or runs_script(name, arguments)

    def _says_more(self, arguments: list[Argument]) -> bool:
        """Tell whether it has a filter, and nothing but talkative options switch that off."""
        wanted = self.find(arguments, with_passthrough=True, with_scripts=False)
        if wanted is None:
            return False
        others = [entry for entry in wanted.passthrough if entry not in _TALKATIVE]
        return not is_passed_through(wanted, arguments, others)

    def _is_listed(self, arguments: list[Argument]) -> bool:
        entries = self._exact.get(self._program(arguments[0], self._exact), ())
        return any(self._fits(entry, arguments) for entry in entries)

    def innermost(self, arguments: list[Argument]) -> list[Argument]:
        """What the runners around it run in the end: `pytest -q` of `uv run pytest -q`."""
        return self.layers(arguments)[-1] if arguments else []

    def layers(self, arguments: list[Argument]) -> list[list[Argument]]:
        """The command, and what each runner in it runs: pytest, in `uv run pytest`."""
        layers = [arguments] if arguments else []
        while arguments:
            known = self._runners.get(self._program(arguments[0], self._runners), ())
            pairs = ((runner, self._behind(runner.words, arguments)) for runner in known)
            begin = next((r.command(arguments, behind) for r, behind in pairs if behind), 0)
            if not 0 < begin < len(arguments):
                break
            arguments = arguments[begin:]
            layers.append(arguments)
        return layers

    def _program(self, argument: Argument, known: Mapping[str, object]) -> str:
        name = (argument.text or "").rsplit("/", 1)[-1] if argument.is_static else ""
        if name in known:
            return name
        versioned = _VERSIONED.fullmatch(name)
        return versioned[1] if versioned else name.removesuffix(".exe")

    def _fits(self, entry: Entry, arguments: list[Argument]) -> bool:
        behind = self._behind(entry.words, arguments)
        return bool(behind) and all(
            any(has_option(argument, option) for argument in arguments[behind:])
            for option in entry.options
        )

    def _behind(self, words: tuple[str, ...], arguments: list[Argument]) -> int:
        """Return the position after the words of a path, 0 if they are not there.

        Options may be between them, with their values where the tool's table knows which have one.
        """
        branch = self._library.root.words.get(words[0]) if self._library else None
        pos = 1
        for word in words[1:]:
            while pos < len(arguments) and _is_option(arguments[pos]):
                if arguments[pos].text == word:
                    break
                pos += 2 if _takes_value(branch, arguments[pos].text or "") else 1
            if pos >= len(arguments) or arguments[pos].text != word:
                return 0
            branch = branch.child(word) if branch else None
            pos += 1
        return pos


# Programs that print files, with the options that leave the lines as they are.
_PRINTERS = {"cat": "", "tail": "n q", "head": "n q", "less": "", "more": "", "bat": "p"}
_LOG_FILE = pattern(
    r"(?:.*/)?(?:(?:[^/]*\.)?log(?:\.\d+)?|(?:logs?|_logs)/[^/]+\.(?:txt|out|err|jsonl))"
)
_COUNT = pattern(r"-?\d+")


def reads_log(arguments: list[Argument]) -> bool:
    """Tell whether a program prints nothing but files that are logs by their names."""
    name = (arguments[0].text or "").rsplit("/", 1)[-1]
    if name not in _PRINTERS:
        return False
    known = _PRINTERS[name].split()
    files = 0
    for argument in arguments[1:]:
        text = argument.text
        if text is None:
            return False
        if text[:1] == "-" and not (_COUNT.fullmatch(text) or text[1:2] in known):
            return False
        is_value = text[:1] == "-" or _COUNT.fullmatch(text)
        if not is_value and not _LOG_FILE.fullmatch(text):
            return False
        files += not is_value
    return files > 0


_EXACT_OPTION = pattern(
    r"--(?:json|porcelain|null|print0|format|jq|template|message-format|out(?:put)?-format|help"
    r"|version)(?:=.*)?|-z|-0|-print0|-printf|--pretty=t?format:.*|--junit-?xml(?:=.*)?"
    r"|--(?:word-diff(?:-regex)?|color-words|color-moved)(?:=.*)?"  # git's, which mark words
    r"|--?json|(?:--reporters?|--formatter|-[fR]|-format)=(?:json.*|junit|sarif|checkstyle|xml)"
    r"|(?:-o=?|--output=)"
    r"(?:json|yaml|name|wide|text|tsv|jsonl|csv|xml|jsonpath.*|go-template.*|custom-.*)"
)
# What such an option is followed by: eslint -f json, mocha --reporter json, terraform -o json.
_OF_FORMATS = frozenset("-o --output -f --formatter --reporter --reporters -format".split())
_EXACT_FORMATS = frozenset(
    "json yaml name wide tsv jsonl ndjson csv xml json-stream sarif junit xunit checkstyle".split()
)
# The forms that people read, of programs that also have others: the option, and its values.
_FORMS_TO_READ = {
    # https://rspec.info/features/3-13/rspec-core/command-line/format-option/
    "rspec": ("--format", "documentation doc d progress p".split()),
    # https://docs.astral.sh/ruff/settings/#output-format
    "ruff": ("--output-format", "full concise grouped".split()),
    # The formats of man git-log, "PRETTY FORMATS", without those of the caller.
    "git": ("--format", "medium short full fuller oneline".split()),
    # https://pylint.readthedocs.io/en/stable/user_guide/usage/output.html
    "pylint": ("--output-format", "text colorized".split()),
}
_ENDLESS = frozenset("--watch --watchAll --follow --serve".split())
# Options by which a command says more, or it in another form, but still to a reader, and ends.
_TALKATIVE = frozenset((
    "-v", "-vv", "--verbose", "--verbosity", "-bench", "--check", "--dry-run", "--dryrun",
    "--durations", "--graph", "--info", "--log-cli-level", "--loglevel", "--no-trunc", "--profile",
    "--scan", "--setup-show", "--show-signature", "--stacktrace", "--statistics", "--stats",
))  # fmt: skip
# The single letters by which a program goes on, and the word that they follow: elsewhere `-f` is a
# file of docker build, docker compose and kubectl.
_FOLLOWERS = {
    "dmesg": ("", "wW"), "journalctl": ("", "f"), "pm2": ("", "f"), "stern": ("", "f"),
    "docker": ("logs", "f"), "docker-compose": ("logs", "f"), "podman": ("logs", "f"),
    "kubectl": ("logs", "f"), "oc": ("logs", "f"),
}  # fmt: skip


def exact_option(arguments: list[Argument]) -> str:
    """Return the first option that asks for output which must not be changed, with its value.

    Another program reads such output, or a person who wants to see all of it. Empty without one.
    """
    for pos, argument in enumerate(arguments[1:], 1):
        text = argument.text
        if not text or text[0] != "-":
            continue
        if _EXACT_OPTION.fullmatch(text) and not _is_form_to_read(arguments, pos):
            return text
        if text in _OF_FORMATS and pos + 1 < len(arguments):
            following = arguments[pos + 1].text or ""
            if following.partition("=")[0] in _EXACT_FORMATS:
                return f"{text} {following}"
    return ""


def _is_form_to_read(arguments: list[Argument], pos: int) -> bool:
    """Tell whether the option asks for a form that people read: `rspec --format documentation`."""
    program = (arguments[0].text or "").rsplit("/", 1)[-1]
    name, _, value = (arguments[pos].text or "").partition("=")
    if not value and pos + 1 < len(arguments):
        value = arguments[pos + 1].text or ""
    option, forms = _FORMS_TO_READ.get(program, ("", []))
    return name == option and value in forms


def is_endless(arguments: list[Argument]) -> str:
    """Return the option by which a command runs until it is stopped, else an empty text."""
    name = (arguments[0].text or "").rsplit("/", 1)[-1] if arguments else ""
    if name == "git":
        return ""  # git log --follow names one file through its renames
    after, letters = _FOLLOWERS.get(name, ("", ""))
    is_after = not after
    for argument in arguments[1:]:
        text = argument.text or ""
        is_bundle = text[:1] == "-" and text[1:2] != "-"
        if text in _ENDLESS or (is_after and is_bundle and any(sign in text for sign in letters)):
            return text
        is_after = is_after or text == after
    return ""


def _unless_passed(wanted: Filter, arguments: list[Argument]) -> Filter | None:
    return None if is_passed_through(wanted, arguments) else wanted


def is_passed_through(
    wanted: Filter, arguments: list[Argument], entries: Sequence[str] | None = None
) -> bool:
    """Tell whether an argument asks for all of the output: an option, or one that matches.

    entries: those of the filter's `passthrough` that count, all of them if None.
    """
    entries = wanted.passthrough if entries is None else entries
    options = [entry for entry in entries if entry.startswith("-")]
    if any(has_option(argument, option) for option in options for argument in arguments[1:]):
        return True
    patterns = [entry for entry in entries if not entry.startswith("-")]
    if not patterns:
        return False
    size = sum(len(argument.leading) for argument in arguments)
    is_own = wanted.source != "built-in"
    found, fault = attempt(lambda: _has_match(patterns, arguments[1:]), size, is_own=is_own)
    return bool(found or fault)


def _has_match(patterns: list[str], arguments: list[Argument]) -> bool:
    """Tell whether a pattern matches an argument, or could: one that is not known as a whole."""
    return any(
        not argument.is_static or compile_written(source).search(argument.text or "")
        for argument in arguments
        for source in patterns
    )


def has_option(argument: Argument, option: str) -> bool:
    """Tell whether a word is an option: `--stat`, `--stat=80`, and `-p` also in `-cp`.

    Errs towards yes (`-cp` may be one option): the answer then is the raw output.
    """
    text = argument.leading
    if text == option or text.startswith(f"{option}="):
        return True
    is_letter = len(option) == 2 and option[0] == "-"  # noqa: PLR2004 - a dash and a letter
    return is_letter and text[:1] == "-" and text[:2] != "--" and option[1] in text[1:]


def _is_option(argument: Argument) -> bool:
    return argument.leading[:1] in ("-", "+")


def _takes_value(branch: Branch | None, text: str) -> bool:
    entry = branch.entry if branch else None
    if entry is None or "=" in text:
        return False
    specs = [entry.everywhere, *([entry.options] if entry.options else [])]
    return any(spec.known.get(text, (0, ""))[0] == VALUE for spec in specs)


def _by_program(commands: Iterable[str]) -> dict[str, list[Entry]]:
    found: dict[str, list[Entry]] = {}
    for command in commands:
        entry = Entry(command, "", 0)
        found.setdefault(entry.words[0], []).append(entry)
    return found
