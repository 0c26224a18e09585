"""What commands may print, as far as it can be found out now: files that are here, decoded texts.

It is never certain: a file may have changed when a command reads it. A command that only leaves
lines out may print all of them.
"""

from __future__ import annotations

import base64
import binascii
import posixpath
from collections import Counter
from collections.abc import Callable
from collections.abc import Sequence as Several

from laconic.knowledge.arguments import Values
from laconic.knowledge.printed import output
from laconic.patterns import pattern
from laconic.shell import ParseError, parse
from laconic.shell.ast import (
    Assignment,
    Command,
    Node,
    Redirect,
    Sequence,
    Substitution,
    Word,
    nodes,
)
from laconic.shell.escapes import ansi_c
from laconic.shell.words import text

Texts = tuple[str, ...]

MAX_TEXTS = 16
_MAX_DEPTH = 3
# Programs that print what they read, or some lines of it; with how many operands come before files.
_KEEP = {
    **dict.fromkeys("cat tac head tail sort uniq shuf tee less more pv sponge nl".split(), 0),
    **dict.fromkeys("grep egrep fgrep ggrep rg".split(), 1),
}
_DECODES = pattern(r"-\w*[dD]\w*|--decode")
_PRINTF_VALUE = pattern(r"%[sb]")
_RANGES = {"A-Z": "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "a-z": "abcdefghijklmnopqrstuvwxyz"}
_RANGES |= {"[:upper:]": _RANGES["A-Z"], "[:lower:]": _RANGES["a-z"]}


def sequence_output(body: Sequence, values: Values, depth: int = 0) -> Texts:
    """What a list of commands may print: each of them alone, fed by what comes before it."""
    found: list[str] = []
    for item in body.items:
        for pipeline in item.pipelines:
            given: Texts = ()
            for command in pipeline.commands:
                given = node_output(command, given, values, depth)
            found += given
    return tuple(dict.fromkeys(found))[:MAX_TEXTS]


def node_output(node: Node, given: Texts, values: Values, depth: int = 0) -> Texts:
    """The same for one command; what is inside of another one prints for itself."""
    if isinstance(node, Command):
        return command_output(node, given, values, depth)
    inside = [one for one in nodes(node) if isinstance(one, Command)]
    texts = [t for one in inside[:MAX_TEXTS] for t in command_output(one, given, values, depth)]
    return tuple(dict.fromkeys(texts))[:MAX_TEXTS]


def command_output(command: Command, given: Texts, values: Values, depth: int = 0) -> Texts:
    from laconic.knowledge.arguments import expand  # noqa: PLC0415 - it asks this module, too

    if depth > _MAX_DEPTH:
        return ()
    own = input_texts(command.redirects, values, depth)
    given = given if own is None else own
    if not command.words:
        return given if own is not None else ()  # `$(< file)`
    arguments = expand(command.words, values, depth + 1)
    name = arguments[0].text if arguments else None
    if name in ("echo", "printf"):
        return _printed(name, [argument.texts for argument in arguments[1:]], values)
    words = [argument.text or "" for argument in arguments[1:]]
    if name in _KEEP:
        operands = [a for a in arguments[1:] if not a.leading.startswith("-")][_KEEP[name] :]
        files = tuple(
            t for a in operands for path in a.texts for t in values.line.files(path, values)
        )
        made = (t for word in command.words[1:] for t in _file_texts(word, values, depth))
        return (*files, *made) or (given if not operands or name == "tee" else ())
    if name == "dirname":
        return tuple(posixpath.dirname(t) or "." for a in arguments[1:] for t in a.texts)
    if name in _CHANGED:
        return _decoded(name, words, given, values)
    return ()


def _printed(name: str, arguments: Several[Texts], values: Values) -> Texts:
    """echo and printf: what bash's builtin makes of it, with and without escapes."""
    if not all(arguments):
        return tuple(t for texts in arguments for t in texts)[:MAX_TEXTS]
    words = [texts[0] for texts in arguments]
    exact = output(name, words, values.certain)
    if exact is not None and all(len(texts) == 1 for texts in arguments):
        return (exact,)
    if name == "echo":
        while words and words[0] in ("-e", "-n", "-E", "-ne", "-en"):
            words.pop(0)
        joined = " ".join(words)
    else:
        joined = _formatted(words)
    several = [t for texts in arguments for t in texts[1:]]
    escaped = ansi_c(joined.encode("utf-8", "surrogateescape").decode("latin-1"))
    return tuple(dict.fromkeys([joined, *([] if escaped is None else [text(escaped)]), *several]))


def _formatted(words: list[str]) -> str:
    """printf: its format, again and again until no argument is left."""
    if words[:1] == ["--"]:
        words = words[1:]
    if not words:
        return ""
    pieces, rest = _PRINTF_VALUE.split(words[0]), words[1:]
    places, made = len(pieces) - 1, ""
    for first in range(0, max(len(rest), 1), max(places, 1)):
        given = [*rest[first : first + places], *[""] * places][:places]
        made += "".join(p + value for p, value in zip(pieces, [*given, ""], strict=True))
        if not places:
            break
    return made


def input_texts(redirects: Several[Redirect], values: Values, depth: int = 0) -> Texts | None:
    """The texts that redirects make standard input; None if there are none that do."""
    from laconic.knowledge.arguments import expand  # noqa: PLC0415 - as above

    given = [r for r in redirects if r.operator[:1] == "<" and r.fd in ("", "0")]
    if not given:
        return None
    last = given[-1]
    if last.operator == "<<<":
        return tuple(t for a in expand((last.target,), values, depth + 1) for t in a.texts)
    if last.heredoc is not None:
        told = [getattr(part, "value", None) for part in last.heredoc.parts]
        return (text("".join(part or "" for part in told)),)
    if last.operator != "<":
        return ()
    if any(getattr(part, "style", "") == "<(" for part in last.target.parts):
        return _file_texts(last.target, values, depth)
    paths = [t for a in expand((last.target,), values, depth + 1) for t in a.texts]
    return tuple(found for path in paths for found in values.line.files(path, values))[:MAX_TEXTS]


def substituted_file(written: bytes, values: Values) -> Texts:
    """What may stand in the file that `<(echo a)` is."""
    try:
        words = parse(b": " + written).nodes_of(Command)[0].words[1:]
    except ParseError:
        return ()
    return tuple(t for word in words if isinstance(word, Word) for t in _file_texts(word, values))


def _file_texts(word: Word | Assignment, values: Values, depth: int = 0) -> Texts:
    parts = word.parts if isinstance(word, Word) else ()
    given = (part for part in parts if isinstance(part, Substitution))
    bodies = [part.body for part in given if part.style == "<("]
    return sequence_output(bodies[0], values, depth + 1) if bodies else ()


def rare_first(names: list[str], limit: int) -> list[str]:
    """As many of the names, first those that are unlike the others: hidden, or of another kind."""
    if len(names) <= limit:
        return names
    endings = [name.rpartition("/")[2].rpartition(".") for name in names]
    frequent = Counter(dot + ending for _, dot, ending in endings if dot)
    keys = [frequent[dot + ending] if stem and dot else 0 for stem, dot, ending in endings]
    ranked = sorted(range(len(names)), key=lambda pos: (keys[pos], pos))
    return [names[pos] for pos in ranked[:limit]]


# -- decoders --------------------------------------------------------------------------------------


def _decoded(name: str, words: list[str], given: Texts, values: Values) -> Texts:
    paths = [word for word in words if word and not word.startswith("-")]
    known = given or tuple(t for path in paths for t in values.line.files(path, values))
    made = []
    for one in known:
        try:
            made.append(_CHANGED[name](words, one))
        except (ValueError, binascii.Error):
            continue
    return tuple(value for value in made if value is not None)


def _of_base(decode: Callable[[bytes], bytes]) -> Callable[[list[str], str], str | None]:
    def decoded(words: list[str], given: str) -> str | None:
        if not any(map(_DECODES.fullmatch, words)):
            return None
        return decode(given.strip().encode()).decode("utf-8", "replace")

    return decoded


def _from_hex(words: list[str], given: str) -> str | None:
    letters = "".join(word[1:] for word in words if word[:1] == "-")
    if "r" not in letters:
        return None
    return bytes.fromhex("".join(given.split())).decode("utf-8", "replace")


def _reversed(_: list[str], given: str) -> str:
    return "\n".join(line[::-1] for line in given.split("\n"))


def _translated(words: list[str], given: str) -> str | None:
    if len(words) != len(("from", "to")):
        deleted = words[1:] if words[:1] == ["-d"] else []
        gone = "".join(_set(word) for word in deleted)
        return given.translate({ord(char): None for char in gone}) if deleted else None
    old, new = map(_set, words)
    new = new.ljust(len(old), new[-1:] or " ")
    return given.translate(dict(zip(map(ord, old), new, strict=False)))


def _set(written: str) -> str:
    for name, letters in _RANGES.items():
        written = written.replace(name, letters)
    return written.replace("\\n", "\n").replace("\\t", "\t").replace("\\0", "\0")


_CHANGED: dict[str, Callable[[list[str], str], str | None]] = {
    "base64": _of_base(base64.b64decode),
    "gbase64": _of_base(base64.b64decode),
    "base32": _of_base(base64.b32decode),
    "openssl": _of_base(base64.b64decode),
    "xxd": _from_hex,
    "rev": _reversed,
    "tr": _translated,
}
