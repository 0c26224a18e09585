"""Code of the shipped rules, for what a list of words cannot say: `code` in a catalogue."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from posixpath import join, normpath
from typing import Any

from laconic.knowledge.arguments import Argument
from laconic.library.line import Invocation
from laconic.patterns import pattern

Predicate = Callable[[Invocation, Mapping[str, str], Mapping[str, Any]], bool]

_OF_SYSTEM = frozenset(
    "/bin /boot /dev /etc /home /lib /lib32 /lib64 /opt /proc /root /run /sbin /srv /sys /usr /var"
    " /System /Library /Applications /Users /private /Volumes".split()
)
_BRACKETS = pattern(r"\[[^\]]*\]")
_SOMEBODYS_HOME = pattern(r"~[\w.+-]*/?(?:\*)?")
_CHANGED_HOME = pattern(r'"?\$\{(?:HOME|PWD|OLDPWD)[^\w}][^}]*\}"?[/*.]*')  # ${HOME:?}, ${HOME%/}
_UNBOUNDED = pattern(r"(?is)\s*select\s+\*\s+from\s+\S")
_BOUNDED = pattern(r"(?i)\b(?:where|limit|count\s*\(|fetch\s+first)")
_EXTENSION = pattern(r"\*\.(\w+)")
# Programs that may read a list of files: they print or count, and change nothing.
_HARMLESS_READERS = frozenset("head tail wc sort uniq cat less more grep rg nl column tee".split())
_HARMLESS_BEHIND_XARGS = frozenset("wc cat head tail grep rg ls stat file".split())
_PROTECTED = frozenset(("main", "master"))


def _is_on(environ: Mapping[str, str], values: Mapping[str, Any]) -> bool:
    name = values.get("unless_environment", "")
    return environ.get(name, "") in ("1", "true")


# -- rm --------------------------------------------------------------------------------------------


def removes_root_adjacent(
    invocation: Invocation, _environ: Mapping[str, str], _values: Mapping[str, Any]
) -> bool:
    """`rm -r` of the root, a home, the working directory or one above it, or all in them."""
    is_recursive = False
    operands: list[Argument] = []
    is_ended = False
    for argument in invocation.arguments:
        word = argument.leading
        if is_ended or not word.startswith("-") or word == "-":
            operands.append(argument)
        elif word == "--":
            is_ended = True
        elif word.startswith("--"):
            is_recursive |= "--recursive".startswith(word)  # abbreviations, too
        else:
            is_recursive |= "r" in word or "R" in word
    return is_recursive and any(_is_root_adjacent(operand, invocation) for operand in operands)


def _is_root_adjacent(operand: Argument, invocation: Invocation) -> bool:
    source = invocation.written.source[operand.start : operand.end].decode("latin-1")
    is_home = _SOMEBODYS_HOME.fullmatch(source) or _CHANGED_HOME.fullmatch(source)
    if operand.text is None and is_home:
        return True
    # a `*` in a shape stands for what is not known, unless the word is a pattern itself
    known = (*operand.shapes, *operand.possible)
    paths = [path for path in known if path and (operand.glob or "*" not in path)]
    return any(_names_kept(path, operand.glob, invocation) for path in paths)


def _names_kept(path: str, is_pattern: bool, invocation: Invocation) -> bool:
    if is_pattern:
        last = path.rstrip("/").rpartition("/")[2]
        if set(_BRACKETS.sub("", last)) - set("*?."):
            return False
        path = path.rstrip("/")[: -len(last)] or "."
    place = invocation.written
    if path.startswith("/"):  # where it went for a while may be removed by its name
        return _is_kept(path, place.kept)
    return any(
        _is_kept(join(directory, path), (directory, *place.kept))
        for directory in invocation.directories
    )


def _is_kept(path: str, places: tuple[str, ...]) -> bool:
    """The root, a directory of the system, one of these places, or one above them."""
    full = f"/{normpath(path).lstrip('/')}"
    if full in _OF_SYSTEM:
        return True
    return any(kept == full or kept.startswith(f"{full.rstrip('/')}/") for kept in places)


# -- git -------------------------------------------------------------------------------------------


def forces_push_to_main(
    invocation: Invocation, environ: Mapping[str, str], values: Mapping[str, Any]
) -> bool:
    """A push that overwrites or deletes main or master, or a branch that the line does not name.

    https://git-scm.com/docs/git-push: `+` before a refspec and an empty source do so, too, and a
    plain --force is not softened by a --force-with-lease beside it.
    """
    if _is_on(environ, values):
        return False
    push = _Push(invocation)
    if push.mirrors:
        return True
    if not push.refspecs:
        return push.is_forced and not push.deletes
    return any(
        (push.is_forced or push.deletes or is_forced) and is_main
        for is_forced, is_main in push.targets()
    )


class _Push:
    """What the arguments of `git push` say."""

    def __init__(self, invocation: Invocation) -> None:
        self.is_forced = self.mirrors = self.deletes = False
        self.refspecs: list[str] = []
        operands: list[str] = []
        is_ended = takes_value = False
        for word in invocation.words[invocation.subcommand() + 1 :]:
            if takes_value:
                takes_value = False
            elif is_ended or word[:1] != "-":
                operands.append(word)
            elif word == "--":
                is_ended = True
            else:
                takes_value = self._read_option(word)
        self.refspecs = operands[1:]

    def _read_option(self, word: str) -> bool:
        """Note what it means; tell whether its value is the next word."""
        name, _, value = word.partition("=")
        if name == "--force-with-lease":
            self.is_forced |= value in ("false", "0")
        elif name.startswith("--"):
            self.is_forced |= name in ("--force", "--forc", "--for")
            self.mirrors |= name.startswith("--mi")
            self.deletes |= name.startswith("--de")
        else:
            self.is_forced |= "f" in word.partition("o")[0]
            self.deletes |= "d" in word.partition("o")[0]
            return word.endswith("o")
        return word in ("--push-option", "--receive-pack", "--exec", "--repo")

    def targets(self) -> Iterator[tuple[bool, bool]]:
        """For each refspec: is it forced by itself, and is its target main or not known?"""
        for refspec in self.refspecs:
            plain = refspec.removeprefix("+")
            source, colon, target = plain.partition(":")
            target = (target if colon else source).removeprefix("refs/heads/")
            is_main = target in _PROTECTED or target in ("HEAD", "@", "") or "*" in target
            yield refspec != plain or (bool(colon) and not source), is_main


# -- find ------------------------------------------------------------------------------------------


def lists_by_extension(
    invocation: Invocation, _environ: Mapping[str, str], values: Mapping[str, Any]
) -> bool:
    """`find . -name '*.py'` and nothing else, where the list is read and not acted on."""
    return found_extension(invocation) in values["extensions"] and _is_only_read(invocation.reader)


def found_extension(invocation: Invocation) -> str:
    """The extension that `find . [-type f] -name '*.x'` looks for, empty if it does more."""
    words = list(invocation.words)
    if not words or words[0] not in (".", "./"):
        return ""
    del words[0]
    for wanted in (("-type", "f"), ("-print",)):
        for pos in range(len(words)):
            if tuple(words[pos : pos + len(wanted)]) == wanted:
                del words[pos : pos + len(wanted)]
                break
    if words[:1] != ["-name"] or len(words[1:]) != 1:
        return ""
    match = _EXTENSION.fullmatch(words[1])
    return match[1] if match else ""


def _is_only_read(reader: tuple[str, ...]) -> bool:
    if not reader:
        return True
    if reader[0] == "xargs":
        inner = next((word for word in reader[1:] if word[:1] != "-"), "")
        return inner in _HARMLESS_BEHIND_XARGS
    return reader[0] in _HARMLESS_READERS and "--files" not in reader


# -- SQL -------------------------------------------------------------------------------------------


def selects_without_bound(
    invocation: Invocation, _environ: Mapping[str, str], _values: Mapping[str, Any]
) -> bool:
    """A client of a database is given `SELECT *` without a bound."""
    return any(is_unbounded_select(word) for word in invocation.words)


def is_unbounded_select(text: str) -> bool:
    return _UNBOUNDED.match(text) is not None and _BOUNDED.search(text) is None


# -- cargo -----------------------------------------------------------------------------------------


def runs_binary(
    invocation: Invocation, _environ: Mapping[str, str], values: Mapping[str, Any]
) -> bool:
    """`cargo run --bin NAME`."""
    words = [argument.leading for argument in invocation.before_end()]
    given = [words[pos + 1] for pos, word in enumerate(words[:-1]) if word == "--bin"]
    return values["binary"] in given or f"--bin={values['binary']}" in words


CODE: dict[str, Predicate] = {
    "runs_binary": runs_binary,
    "removes_root_adjacent": removes_root_adjacent,
    "forces_push_to_main": forces_push_to_main,
    "lists_by_extension": lists_by_extension,
    "selects_without_bound": selects_without_bound,
}
