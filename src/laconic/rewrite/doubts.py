"""Finds what a text does to its own shell that an inserted `laconic run` could change.

A program cannot change the shell that starts it; only builtins, functions and assignments can. So
those that are known to be harmless here are listed, and any other leaves the text as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from laconic.patterns import pattern
from laconic.settings.environ import SWITCHES
from laconic.shell import ParseError, parse
from laconic.shell.ast import (
    Arithmetic,
    Assignment,
    Command,
    Coproc,
    Function,
    Literal,
    Loop,
    Parameter,
    Quoted,
    Script,
    Test,
    Word,
)
from laconic.shell.walk import TAKING_NAMES, Occurrence, commands, evaluations
from laconic.shell.words import flat, literal

# Of all builtins of bash 5.2 (`compgen -b`) and zsh 5.9 (`print -l ${(k)builtins}`), these only
# print, test, count, wait, leave or change the directory, which a program inherits anyway.
_NEUTRAL = frozenset(
    ": [ bg break caller cd chdir continue dirs disown echo exit false fg help jobs kill let popd"
    " print printf pushd pwd return shift test times true wait whence where which".split()
)
_BINDING = TAKING_NAMES - _NEUTRAL
_BUILTINS = (
    frozenset(
        "- . alias autoload bind bindkey builtin bye command compadd comparguments compcall compctl"
        " compdescribe compfiles compgen compgroups complete compopt compquote compset comptags"
        " comptry compvalues disable echotc echoti emulate enable eval exec fc float functions"
        " getln hash history integer limit log logout nocorrect noglob private pushln r rehash"
        " sched set setopt shopt source suspend trap ttyctl type ulimit umask unalias unfunction"
        " unhash unlimit unsetopt vared zcompile zformat zle zmodload zparseopts zregexparse"
        " zstyle repeat foreach".split()
    )
    | _BINDING
)
BUILTINS = _NEUTRAL | _BUILTINS
# Functions that a user's shell often has: they change the PATH, and little else.
_PATH_FUNCTIONS = frozenset(
    "activate asdf conda deactivate mamba micromamba module nodenv nvm pyenv rbenv rvm sdk spack"
    " workon fish_add_path".split()
)
_PATH_FILES = ("/bin/activate", "/.cargo/env", "/nvm.sh")
_SET_OPTIONS = frozenset("aCeEfTu")
_SET_NAMES = frozenset("allexport errexit errtrace functrace noclobber noglob nounset".split())
_SHOPT_NAMES = frozenset(
    "dotglob extglob failglob globstar inherit_errexit nocaseglob nullglob".split()
)
_TRAPPED = pattern(r"(?:SIG)?(?:EXIT|ERR|INT|TERM|HUP|QUIT|USR[12])|0")

# Variables that matter to more than the command: they tell the shell, `laconic run` and every other
# program where programs are found, which libraries are loaded, or where records are kept.
_OWN_VARIABLES = pattern(
    r"HOME|TMPDIR|XDG_\w+|LD_\w+|DYLD_\w+|MALLOC_\w+|GLIBC_\w+|EXECIGNORE"
    r"|BASH_ALIASES|BASH_CMDS|BASH_LOADABLES_PATH|SHELLOPTS|BASHOPTS|POSIXLY_CORRECT"
    r"|path|fpath|commands|functions|options|[gs]?aliases|dis_\w+"
)
_FAULT_HANDLERS = pattern(r"laconic|command_not_found_handler?|TRAP[A-Z0-9]+")
# Variables that hold the text of a command.
_OWN_TEXT = pattern(r"BASH_COMMAND|(?:BASH|ZSH)_EXECUTION_STRING|ZSH_DEBUG_CMD")
# Variables that a pipeline sets in its shell.
_OF_PIPES = pattern(r"(?i:pipestatus|lastpipe)|\$_(?!\w)|\$\{[#!]?_\W")
_PIPEFAIL = pattern(r"(?i:pipe_?fail)")
_ABSOLUTE = pattern(r"[/~$]")
_NAMES = pattern(r"[A-Za-z_]\w*")


class Doubts:
    """What is not certain about a text.

    everything: why nothing in it may be touched. path: why the PATH may be another one when
    `laconic` is looked for. tools: why `head` may be another one, too; what makes an environment
    active only puts its own programs in front. pipes: why its pipes must stay. nounset: an unset
    variable may end the shell. pipefail: from which offset on it holds, None for nowhere.
    functions: the names that stand for functions.
    """

    __slots__ = ("everything", "functions", "nounset", "path", "pipefail", "pipes", "tools")

    def __init__(self) -> None:
        self.everything = self.path = self.pipes = self.tools = ""
        self.nounset = False
        self.pipefail: int | None = None
        self.functions: frozenset[str] = frozenset()


def find_doubts(script: Script) -> Doubts:
    doubts = Doubts()
    source = script.source.decode("latin-1")
    kinds = {type(node) for node in script.nodes()}
    if Function in kinds:
        doubts.functions = frozenset(n.name for n in script.nodes() if isinstance(n, Function))
    if _OWN_TEXT.search(source):
        doubts.everything = "it looks at its own text"
    elif Coproc in kinds:
        doubts.everything = "a coprocess has descriptors of its own"
    elif handler := next(filter(_FAULT_HANDLERS.fullmatch, doubts.functions), ""):
        doubts.everything = f"{handler} is a function here"
    if _OF_PIPES.search(source):
        doubts.pipes = "it looks at its pipes"
    _look_at_commands(script, doubts)
    _look_at_assignments(script, doubts)
    if kinds & {Arithmetic, Loop, Parameter, Test} or any(map(_binds, commands(script))):
        _look_at_names(script, doubts)
    if "pipe" in source.lower():
        _look_at_pipefail(script, source, doubts)
    return doubts


def special_in_front(command: Command) -> list[Assignment]:
    """Return a variable before a command that changes more than the command: `HOME=/x git log`."""
    return [assignment for assignment in command.assignments if _is_special(assignment.name)]


def is_plain_path(assignment: Assignment, source: bytes) -> bool:
    """Tell whether all directories of a new PATH are absolute: `PATH=/opt/bin:"$PATH"`."""
    value = assignment.value
    if assignment.index is not None or not isinstance(value, Word):
        return False
    parts = flat(value.parts)
    # bash expands a tilde in PATH even if it was quoted; programs do not
    is_odd = any(quoted and "~" in (getattr(part, "value", "") or "") for part, quoted in parts)
    if is_odd or not all(isinstance(part, Literal | Quoted | Parameter) for part, _ in parts):
        return False
    text = source[value.start : value.end].decode("latin-1").replace('"', "").replace("'", "")
    entries = text.split(":")
    if assignment.append and entries[0] == "":
        entries = entries[1:]
    return all(_ABSOLUTE.match(entry) for entry in entries)


# -- commands --------------------------------------------------------------------------------------


def _look_at_commands(script: Script, doubts: Doubts) -> None:
    for occurrence in commands(script):
        if doubts.everything:
            return
        if not occurrence.context.substitution and occurrence.command.words:
            _look_at(occurrence.command, doubts)


def _look_at(command: Command, doubts: Doubts) -> None:
    if _finds_elsewhere(command):
        doubts.everything = "command -p may leave another path for a name"
        return
    words = _behind_modifiers(command)
    if not words:
        return
    name = literal(words[0])
    if name is None:
        if not _is_path(words[0]):
            doubts.everything = "a command has a name that is not known"
        return
    arguments = [literal(word) for word in words[1:]]
    if name in _PATH_FUNCTIONS:
        doubts.path = doubts.tools = f"{name} may change the PATH"
    elif name not in _BUILTINS or name in doubts.functions:
        return
    elif name in (".", "source"):
        _look_at_source(words[1:], doubts)
    elif name == "set":
        _look_at_set(arguments, doubts)
    elif name == "trap":
        _look_at_trap(arguments, doubts)
    elif name in _BINDING:
        _look_at_binding(name, arguments, doubts)
    elif not _is_harmless(name, arguments):
        doubts.everything = f"{name} changes how commands run"


def _behind_modifiers(command: Command) -> tuple[Word | Assignment, ...]:
    """Return the words after `command` and `builtin`; none for `command -v`, which only asks."""
    words = command.words
    while words and literal(words[0]) in ("command", "builtin"):
        words = words[1:]
        while words and (option := literal(words[0])) in ("-p", "--", "-v", "-V"):
            words = () if option in ("-v", "-V") else words[1:]
    return words


def _finds_elsewhere(command: Command) -> bool:
    """Tell whether it is `command -p`, after which bash 5.2 goes on to use the path it found."""
    texts = [literal(word) or "" for word in command.words]
    while texts[:1] == ["builtin"]:
        texts = texts[1:]
    if texts[:1] != ["command"]:
        return False
    options = takewhile(lambda text: text.startswith("-"), texts[1:])
    return any("p" in option and not {"v", "V"} & set(option) for option in options)


def _is_path(word: Word | Assignment) -> bool:
    """Tell whether the word certainly has a slash, so that it names no builtin and no function."""
    return isinstance(word, Word) and any(
        isinstance(part, Literal | Quoted) and "/" in (part.value or "")
        for part, _ in flat(word.parts)
    )


def _is_harmless(name: str, arguments: list[str | None]) -> bool:
    if name == "shopt":
        return all(a in _SHOPT_NAMES or a in ("-s", "-u") for a in arguments)
    return name == "hash" and arguments == ["-r"]


def _look_at_binding(name: str, arguments: list[str | None], doubts: Doubts) -> None:
    options = [text for text in arguments if text and text[0] in "-+"]
    if name in ("declare", "typeset") and len(options) == len(arguments):
        doubts.everything = f"{name} prints what the shell knows"
    elif name == "readonly" or (name != "read" and any("r" in option for option in options)):
        doubts.pipes = doubts.pipes or "a variable is read-only"


def _look_at_source(words: tuple[Word | Assignment, ...], doubts: Doubts) -> None:
    parts = flat(words[0].parts) if words and isinstance(words[0], Word) else []
    tail = parts[-1][0] if parts else None
    text = (tail.value or "") if isinstance(tail, Literal | Quoted) else ""
    if f"/{text}".endswith(_PATH_FILES):
        doubts.path = "a file that changes the PATH is read"
    else:
        doubts.everything = "a file is read that may change anything"


def _look_at_set(arguments: list[str | None], doubts: Doubts) -> None:
    todo = list(arguments)
    if not todo:
        doubts.everything = "set prints what the shell knows"
    while todo:
        word = todo.pop(0)
        if word in ("--", "-"):
            return
        if word is None:
            doubts.everything = "set changes options that are not known"
            return
        if word[:1] not in ("-", "+"):
            doubts.everything = "set may be that of another shell"
            return
        names = [todo.pop(0)] if word.endswith("o") and todo else []
        letters = frozenset(word[1:].removesuffix("o") if names else word[1:])
        if not letters <= _SET_OPTIONS or any(n not in (*_SET_NAMES, "pipefail") for n in names):
            doubts.everything = "set changes how commands run"
            return
        doubts.nounset = doubts.nounset or "u" in letters or "nounset" in names


def _look_at_trap(arguments: list[str | None], doubts: Doubts) -> None:
    """What a trap does must be certain, too; that the shell ignores a signal, programs inherit."""
    doubts.pipes = doubts.pipes or "a trap looks at every command"
    body, *signals = arguments or ["-"]
    if body in ("-", "-p", "-l"):
        return
    if not body or not all(s and _TRAPPED.fullmatch(s) for s in signals):
        doubts.everything = "a trap changes how commands run"
        return
    try:
        inner = find_doubts(parse(body))
    except ParseError:
        doubts.everything = "a trap cannot be parsed"
        return
    if inner.everything or inner.path:
        doubts.everything = f"in a trap, {inner.everything or inner.path}"


# -- variables -------------------------------------------------------------------------------------


def _look_at_assignments(script: Script, doubts: Doubts) -> None:
    for occurrence in commands(script):
        for assignment in _lasting(occurrence.command, doubts.functions):
            is_plain = assignment.name == "PATH" and is_plain_path(assignment, script.source)
            _note_name(assignment.name, doubts, is_plain=is_plain)


def _binds(occurrence: Occurrence) -> bool:
    words = _behind_modifiers(occurrence.command)
    return bool(words) and literal(words[0]) in TAKING_NAMES


def _look_at_names(script: Script, doubts: Doubts) -> None:
    """The variables that loops, expansions, arithmetic and builtins set."""
    plain = {
        assignment.start
        for occurrence in commands(script)
        for assignment in _lasting(occurrence.command, doubts.functions)
        if assignment.name == "PATH" and is_plain_path(assignment, script.source)
    }
    for node in script.nodes():
        if isinstance(node, Loop):
            _note_name(node.name, doubts)
        elif isinstance(node, Parameter) and node.operator in ("=", ":="):
            _note_name("" if node.prefix == "!" else node.name, doubts)
        elif isinstance(node, Parameter) and node.prefix == "!":
            doubts.pipes = doubts.pipes or "a variable is named by another one"
    for site in evaluations(script):
        if site.kind == "arithmetic":
            for name in filter(_is_special, _NAMES.findall(site.text or "")):
                _note_name(name, doubts)
        elif site.kind == "variable" and site.start not in plain:
            _note_name(site.text or "", doubts)
        elif site.kind == "indirect" and site.text is None:
            _note_name("", doubts)


def _lasting(command: Command, functions: frozenset[str]) -> Iterator[Assignment]:
    """The assignments that hold beyond the command: alone, or for a part of the shell."""
    name = literal(command.words[0]) if command.words else ""
    if name != "export" and not command.assignments:
        return
    if not name or name in functions or name in _BUILTINS or name in _NEUTRAL:
        yield from command.assignments
    options = [text for word in command.words if (text := literal(word)) and text[0] == "-"]
    if name == "export" and not options:
        yield from (word for word in command.words if isinstance(word, Assignment))


def _is_special(name: str) -> bool:
    return name == "PATH" or name in SWITCHES or _OWN_VARIABLES.fullmatch(name) is not None


def _note_name(name: str, doubts: Doubts, *, is_plain: bool = False) -> None:
    """A variable is set. is_plain: it is a PATH of absolute directories. An empty name: any one."""
    if doubts.everything:
        return
    if not name:
        doubts.everything = "a variable is set whose name is not known"
    elif name in SWITCHES:
        doubts.everything = "switched off on this line"
    elif is_plain:
        doubts.path = doubts.tools = "the PATH changes"
    elif _is_special(name):
        doubts.everything = f"{name} changes"


# -- pipefail --------------------------------------------------------------------------------------


def _look_at_pipefail(script: Script, source: str, doubts: Doubts) -> None:
    """It is certain where it is set once, on its own, in a place that is always passed."""
    mentions = len(_PIPEFAIL.findall(source))
    for item, separator in zip(script.body.items, script.body.separators, strict=True):
        first = item.pipelines[0]
        only = first.commands[0]
        is_plain = len(first.commands) == 1 and not first.negations
        in_background = separator is not None and separator.text == "&"
        if in_background or not is_plain or not isinstance(only, Command):
            continue
        texts = [literal(word) for word in only.words]
        if texts[:1] != ["set"] or texts[-1:] != ["pipefail"] or mentions != 1:
            continue
        if "--" in texts or "set" in doubts.functions:
            continue
        if texts[-2] and texts[-2][0] == "-" and texts[-2][-1] == "o":
            doubts.pipefail = first.end
            return
    if mentions:
        doubts.pipes = doubts.pipes or "whether pipefail holds is not known"
