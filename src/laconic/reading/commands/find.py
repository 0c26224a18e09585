"""find: an expression of tests and actions.

Unsafe: -exec, -execdir, -ok, -okdir (run a command), -delete, -fprint, -fprint0, -fprintf, -fls
(write files), -files0-from (names from a file), and any word that may turn out to be one of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from laconic.knowledge.arguments import Argument
from laconic.knowledge.options import MAY_BE_SEVERAL
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.listed_secrets import named_by_find
from laconic.types import Effect, Kind

_IN_FRONT = frozenset("-H -L -P -E -X -d -s -x -O -O0 -O1 -O2 -O3".split())
_FLAGS = frozenset(
    "! ( ) , -a -and -o -or -not -daystart -depth -d -follow -help -ignore_readdir_race"
    " -noignore_readdir_race -mount -xdev -noleaf -nowarn -warn -empty -executable -readable"
    " -writable -acl -sparse -xattr -false -true -nogroup -nouser -ls -print -print0 -prune -quit"
    " -x -version --version --help".split()
)
_VALUES = frozenset(
    "-maxdepth -mindepth -regextype -amin -anewer -atime -cmin -cnewer -ctime -fstype -gid -group"
    " -ilname -iname -inum -ipath -iregex -iwholename -links -lname -mmin -mtime -name -newer -path"
    " -perm -regex -samefile -size -type -uid -used -user -wholename -xtype -context -printf -flags"
    " -Bmin -Bnewer -Btime -mnewer -newerXY -xattrname".split()
)
_RUNS = frozenset("-exec -execdir -ok -okdir".split())
_RUNS_ELSEWHERE = frozenset(("-execdir", "-okdir"))  # in the directory of what it found
_WRITES = frozenset("-fprint -fprint0 -fls -fprintf".split())
_AGES = frozenset("aBcmt")
_NAMES = frozenset("-name -iname -path -ipath -wholename -iwholename -regex -iregex".split())
_CHOOSES = frozenset(
    "! -not -o -or , -empty -executable -readable -writable -nogroup -nouser -prune -acl -sparse"
    " -xattr -false -quit".split()
)
_CHOOSES_KIND = frozenset("-type -xtype -mindepth -regextype -printf".split())
_OPERATORS = frozenset(("!", "-not", "-o", "-or", ",", "(", ")"))
# What programs leave behind: git gives none of its files such a name, and no guarded file has one
# (https://git-scm.com/docs/gitrepository-layout).
_REMOVES = pattern(r"rm(?: -[rRfv]+)* \{\} [;+]")
_OF_A_KIND = pattern(
    r"\*\.(?:py[co]|o|a|d|obj|class|log|tmp|temp|bak|(?:rs\.)?bk|orig|rej|sw[op]|un~|gc(?:da|no|ov)"
    r"|profraw|hi|beam|elc|exe|dll|pdb|so|dylib|wasm|tsbuildinfo|snap|map)"
    r"|\*~|\.DS_Store|Thumbs\.db|\.coverage|__pycache__|\.(?:pytest|mypy|ruff)_cache"
)


def judge(call: Call) -> None:
    if any(argument.text in _RUNS for argument in call.arguments):
        for argument in named_by_find(
            call.arguments
        ):  # `find ~/.ssh -exec cat {} +` reads what it finds
            if argument.text is not None and not argument.leading.startswith("-"):
                call.reads(argument)
    todo = _skip_starting_points(call, list(reversed(call.arguments)))
    while todo:
        word = todo.pop()
        name = word.text if word.is_static else None
        if name is None:
            call.does(Effect.UNCLEAR, Kind.WORD, "a part of the expression is not known", word)
        elif name in _RUNS and _removes_of_a_kind(call, word, todo):
            _judge_deletion(call, word)
            del todo[_after_removal(todo) :]
        elif name in _RUNS:
            _judge_command(call, word, todo)
        elif name in _WRITES:
            _judge_write(call, name, word, todo)
        elif name in _VALUES or _compares_ages(name):
            _skip_value(call, word, todo)
        elif name == "-delete":
            _judge_deletion(call, word)
        elif name not in _FLAGS and not name.isdigit():
            call.unlisted(Kind.WORD, f"{name} is not a test that laconic knows", word)
    call.harmless("its expression only tests files and prints their names")


def _judge_deletion(call: Call, word: Argument) -> None:
    """What it finds by name is deleted; without a name, all that is there."""
    names = [argument.text or "" for argument in call.arguments]
    tests = [pos for pos, name in enumerate(names) if name in _NAMES]
    chosen = [pos for pos in tests if names[pos - 1] not in ("!", "-not")]
    starts = list(_starts(call.arguments)) or [Argument(".", *call.span)]
    for start in starts:
        is_all = not chosen and "-empty" not in names
        is_here = start.text is None or not call.is_outside(start.text)  # else asked about anyway
        is_any = not is_of_a_kind(names, word.text or "")
        if is_here and (is_all or call.leads_to_guarded(start, whatever=is_any)):
            call.deletes(start)
        elif not is_here and is_all and not any(map(_narrows, names)):
            call.deletes(start)  # which nobody means of the root or a home
    for pos in chosen:
        for value in call.arguments[pos + 1 : pos + 2]:
            plain = Argument((value.text or "").replace("*", ""), value.start, value.end)
            if call.leads_to_guarded(plain) and "-prune" not in names[pos : pos + 3]:
                call.deletes(plain)
    call.does(Effect.PROJECT_WRITE, "found", "deletes what it finds", word)


def _narrows(name: str) -> bool:
    """Tell whether a test leaves out some of the files that are below a directory."""
    is_test = name in _VALUES or _compares_ages(name)
    return name in _CHOOSES or (is_test and name not in _CHOOSES_KIND)


def _removes_of_a_kind(call: Call, word: Argument, todo: list[Argument]) -> bool:
    """Tell whether `-exec rm -rf {} +` removes what it finds by such a name, as `-delete` does."""
    names = [argument.text or "" for argument in call.arguments]
    command = [argument.text or "" for argument in reversed(todo[_after_removal(todo) :])]
    is_removal = _REMOVES.fullmatch(" ".join(command)) is not None
    if any(start.text is None or call.is_outside(start.text) for start in _starts(call.arguments)):
        return False
    return is_removal and names.count(word.text or "") == 1 and is_of_a_kind(names, word.text or "")


def _after_removal(todo: list[Argument]) -> int:
    """Where the expression goes on, in a list that has the last word first."""
    ends = [pos for pos, argument in enumerate(todo) if argument.text in (";", "+")]
    return ends[-1] if ends else len(todo)


def is_of_a_kind(names: list[str], action: str) -> bool:
    """Tell whether only files of one name are deleted, which neither git's nor guarded ones have.

    https://www.gnu.org/software/findutils/manual/html_node/find_html/Combining-Primaries-With-Operators.html
    """
    names = list(_without_exceptions(names))
    before = names[: names.index(action)]
    tests = [pos for pos, name in enumerate(before) if name in ("-name", "-iname")]
    return (
        len(tests) == 1
        and _OPERATORS.isdisjoint(names)
        and _OF_A_KIND.fullmatch(before[tests[0] + 1]) is not None
    )


def _without_exceptions(names: list[str]) -> Iterator[str]:
    """Leave out `-not -path x`: it takes away from what is found, and adds nothing."""
    rest = iter(names)
    for name in rest:
        if name not in ("!", "-not"):
            yield name
        elif (test := next(rest, "")) not in _VALUES:
            yield from (name, test)
        else:
            next(rest, "")


def _starts(arguments: list[Argument]) -> Iterator[Argument]:
    for argument in arguments:
        if argument.leading[:1] in ("-", "(", "!"):
            if argument.text in _IN_FRONT:
                continue
            return
        yield argument


def _skip_starting_points(call: Call, todo: list[Argument]) -> list[Argument]:
    """Options in front and directories; returns the expression, last word first."""
    while todo:
        word = todo[-1]
        name = word.text if word.is_static else None
        if name in ("-D", "-f"):
            todo.pop()
            _skip_value(call, word, todo)
        elif name in _IN_FRONT:
            todo.pop()
        elif name is not None and name.startswith(("-", "(", "!", ",")) and name != "-":
            break
        else:
            if not _is_surely_a_path(word):
                call.does(
                    Effect.UNCLEAR, Kind.PATH, "its value is not known and may be an action", word
                )
            todo.pop()
    return todo


def _is_surely_a_path(word: Argument) -> bool:
    if word.leading and word.leading[0] in "-(!,":
        return False
    if word.glob:
        return bool(word.leading) or _names_no_action(word)
    return word.text is not None or (bool(word.leading) and not word.splits)


def _names_no_action(word: Argument) -> bool:
    """No action has a dot or slash in it, so what the pattern matches is none."""
    return word.text is not None and ("." in word.text or "/" in word.text)


def _compares_ages(name: str) -> bool:
    return len(name) == 8 and name.startswith("-newer") and set(name[6:]) <= _AGES  # noqa: PLR2004


def _skip_value(call: Call, word: Argument, todo: list[Argument]) -> None:
    if not todo:
        call.does(Effect.UNCLEAR, Kind.VALUE, f"{word.text} lacks its value", word)
        return
    value = todo.pop()
    if (value.glob and not _names_no_action(value)) or (value.splits and not value.glob):
        call.does(Effect.UNCLEAR, Kind.VALUE, MAY_BE_SEVERAL, value)


def _judge_write(call: Call, name: str, word: Argument, todo: list[Argument]) -> None:
    if todo and todo[-1].text != "-":
        call.writes(todo.pop())
    else:
        call.does(Effect.UNCLEAR, Kind.VALUE, f"{name} needs a file other than -", word)
    if name == "-fprintf":
        _skip_value(call, word, todo)


def _judge_command(call: Call, word: Argument, todo: list[Argument]) -> None:
    """The command up to `;` or `{} +`; what stands for `{}` never begins with a dash."""
    inner: list[Argument] = []
    while todo:
        part = todo.pop()
        if part.is_static and part.text == ";":
            break
        if part.is_static and part.text == "+" and inner and inner[-1].text == "{}":
            inner.append(inner[-1])  # several names: a second operand may mean something else
            break
        inner.append(part)
    else:
        call.does(Effect.UNCLEAR, "command", "the end of the command is missing", word)
    if not inner:
        call.does(Effect.UNCLEAR, "command", "runs a command that is not known", word, firm=True)
    elif _uses_network(call, inner[0]):
        call.does(Effect.SENDS, Kind.NETWORK, "uses the network for everything it finds", inner[0])
    directories = [*call.situation.directories]
    if word.text in _RUNS_ELSEWHERE:
        directories.append("")
    starts = [start.text for start in _starts(call.arguments) if start.text]
    front = next((f"{start.rstrip('/')}/" for start in starts if call.is_outside(start)), "./")
    filled = [_filled(part, front) for part in inner]
    call.runs(filled, call.situation.but(directories=directories))


def _uses_network(call: Call, program: Argument) -> bool:
    match = call.judge.library.find(program.text or "", [])
    return match is not None and match.entry is not None and match.entry.network


def _filled(part: Argument, beginning: str) -> Argument:
    if part.text is None or "{}" not in part.text:
        return part
    front = part.text[: part.text.index("{}")]
    return Argument(None, part.start, part.end, leading=front or beginning)
