"""Random command lines for the programs that are known: their own options and nasty ones."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from laconic.knowledge.options import ATTACHED, FLAG, VALUE, Spec
from laconic.shell import ParseError, parse
from laconic.shell.walk import commands
from laconic.shell.words import literal

from .knowledge import Knowledge, built_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from laconic.knowledge.knowledge import Branch

PIECES = Path(__file__).parents[1] / "cases" / "effects" / "pieces.txt"

_FILES = """
    a b link notes.txt data.json data.yaml data.csv data.xml data.db app.py main.c main.o main.bin
    c.gz c.bz2 c.xz c.zst t.tar t.tgz z.zip app.jar page.html lib.a fix.patch cert.crt src docs . ..
    ./a src/app.py ../outside/kept.txt HEAD main side v1 origin
""".split()
_OPERANDS = [
    words.split()
    for words in "out,./p.sh,evil,a out,a ./p.sh,./p.sh a,out a,a b out,1 ./p.sh".split(",")
]
_VALUES = "out out.txt ../outside/new ./p.sh evil a b 1 0 2 x - , 10 json".split()
_NASTY = """
    -o -O -w -f -i -e -c -x -p -r -d -D -t -T -C -F -E -I -S -P -s -u -k -l -n -v -q -a -z -N -W -X
    -oout -i.bak -wout --output --output=out --out=out --outp out --output-file=out --log-file=out
    --exec=./p.sh --command=evil --filter=./p.sh --in-place --write --force --delete --edit
    -exec ./p.sh ; + {} - -- +x @a =x out ./p.sh evil made -o- --file=a --config=a --pager=evil !
    touch sh
""".split()


class Tool(NamedTuple):
    """A command path that may be allowed, and the words that its arguments are made of."""

    path: tuple[str, ...]
    spec: Spec
    needs: tuple[str, ...]
    refused: tuple[str, ...]
    words: tuple[str, ...]
    examples: tuple[list[str], ...]


def tools(knowledge: Knowledge | None = None) -> dict[str, list[Tool]]:
    """All paths with a table that allows, by program, as far as the program is installed."""
    known_here = knowledge or built_in()
    found = {
        program: list(_tools_below(branch, (program,), Spec(), known_here.written))
        for program, branch in sorted(known_here.library.root.words.items())
        if shutil.which(program)
    }
    return {program: known for program, known in found.items() if known}


def judged_programs() -> set[str]:
    """The programs with a table that allows, installed or not."""
    known = built_in()
    return {
        program
        for program, branch in known.library.root.words.items()
        if any(_tools_below(branch, (program,), Spec(), known.written))
    }


def _tools_below(
    branch: Branch, path: tuple[str, ...], everywhere: Spec, written: dict[str, Any]
) -> Iterator[Tool]:
    entry = branch.entry
    if entry is not None:
        everywhere = entry.everywhere.joined(everywhere)
        if entry.verdict == "allow":
            table = written[entry.path]
            yes, no = (
                [words for example in table.get(key, ()) for words in _commands(example)]
                for key in ("yes", "no")
            )
            said = [word for words in yes + no for word in words[1:]]
            spec = (entry.options or Spec()).joined(everywhere)
            like_this = tuple(words for words in yes if words[: len(path)] == list(path))
            refused = tuple(entry.refuse)
            yield Tool(path, spec, entry.needs, refused, (*said, *refused), like_this)
    for word, child in branch.words.items():
        yield from _tools_below(child, (*path, word), everywhere, written)


def _commands(example: str) -> list[list[str]]:
    """The words of the commands in an example, as far as they are known."""
    try:
        found = commands(parse(example))
    except ParseError:
        return []
    texts = [[literal(word) for word in one.command.words] for one in found]
    return [[text for text in words if text] for words in texts]


def random_command(source: Random, tool: Tool) -> str:
    """Half of them begin as an example, which does what its program is for."""
    if tool.examples and source.random() < 0.6:
        words, most = list(source.choice(tool.examples)), 2
        if len(words) > len(tool.path) and source.random() < 0.4:
            # some programs read no options after operands
            words.append(words.pop(source.randrange(len(tool.path), len(words))))
    else:
        words, most = list(tool.path), 4
        if tool.needs and source.random() < 0.8:
            words.append(source.choice(tool.needs))
    for _ in range(source.randint(1, most)):
        place = source.randint(len(tool.path), len(words))
        words[place:place] = _random_words(source, tool)
    return " ".join(map(quoted, words)) + source.choice(["", "", " < b"])


def each_option(tool: Tool) -> Iterator[list[str]]:
    """Every option that is accepted or known to do harm, each in all its ways, telling ones first.

    In the examples and alone, with values that would show, before operands and after them.
    """
    for name, (arity, _) in tool.spec.known.items():
        if arity == FLAG:
            yield _placed(tool, [[name]])
        else:
            apart = [[name, "out"]] if arity == VALUE else []
            values = ("out", "./p.sh", "a", "1", "../outside/new")
            yield _placed(tool, [[_attached(name, value)] for value in values] + apart)
    for name in tool.refused:
        yield _placed(tool, _disguised(tool, name))


def each_operand(tool: Tool) -> Iterator[list[str]]:
    """Operands that would show if they were written to, run or deleted; examples cut short."""
    bases = [list(tool.path), *tool.examples[:2]]
    for more in _OPERANDS:
        yield [" ".join(map(quoted, [*base, *more])) for base in bases]
    for example in tool.examples:
        cut = [[*example[:at], *example[at + 1 :]] for at in range(len(tool.path), len(example))]
        yield [" ".join(map(quoted, words)) for words in cut]


def _placed(tool: Tool, options: list[list[str]]) -> list[str]:
    found = []
    for example in (*tool.examples[:2], list(tool.path)):
        program, rest = example[: len(tool.path)], example[len(tool.path) :]
        for words in options:
            found += [[*program, *words, *rest], [*program, *rest, *words]]
    return [" ".join(map(quoted, words)) for words in found]


def _disguised(tool: Tool, name: str) -> list[list[str]]:
    """An option that the table refuses: shortened, with a value or none, after other letters."""
    found = [[name], [name, "out"], [_attached(name, "out")], [_attached(name, "./p.sh")]]
    if name.startswith("--"):
        found += [[name[:length], "out"] for length in range(3, len(name))]
        return found + [[f"{name[:length]}=out"] for length in range(3, len(name))]
    letters = [other[1] for other, (arity, _) in tool.spec.known.items() if arity == FLAG]
    bundles = [f"-{letter}{name[1:]}" for letter in letters if letter != "-"]
    return found + [[bundle, "out"] for bundle in bundles] + [[f"{b}out"] for b in bundles]


def _random_words(source: Random, tool: Tool) -> list[str]:
    kind = source.random()
    if kind < 0.4 and tool.spec.known:
        name = source.choice(list(tool.spec.known))
        return _option(source, name, tool.spec.known[name][0])
    if kind < 0.5 and tool.spec.known:
        return [_twisted(source, tool)]
    if kind < 0.7:
        return [source.choice(_FILES)]
    return [source.choice(tool.words if tool.words and kind < 0.9 else _NASTY)]


def _option(source: Random, name: str, arity: int) -> list[str]:
    value = source.choice(source.choice([_VALUES, _FILES]))
    if arity == FLAG:
        return [name]
    if arity == ATTACHED:
        return [source.choice([name, _attached(name, value)])]
    return source.choice([[name, value], [_attached(name, value)]])


def _attached(name: str, value: str) -> str:
    return f"{name}={value}" if len(name) > 2 else name + value


def _twisted(source: Random, tool: Tool) -> str:
    """A bundle, an abbreviation, or an option with a value that it may not take."""
    known = list(tool.spec.known)
    name = source.choice(known)
    if len(name) == 2:
        letters = [option[1] for option in (*known, *_NASTY) if len(option) == 2]
        return name + "".join(source.choices(letters, k=source.randint(1, 3)))
    if source.random() < 0.5:
        return name[: source.randint(3, len(name))] + source.choice(["", "=out", "=./p.sh"])
    return name + source.choice(["=out", "=1", "="])


class Script(NamedTuple):
    """A command with {} for a small program, and the pieces that it is made of."""

    command: str
    pieces: tuple[str, ...]


def scripts() -> list[Script]:
    lines = PIECES.read_text("utf-8").splitlines()
    found = [line.partition(" | ")[::2] for line in lines if not line.startswith("#")]
    return [
        Script(command, tuple(map(_unescaped, pieces.split())))
        for command, pieces in found
        if shutil.which(command.partition(" ")[0])
    ]


def _unescaped(piece: str) -> str:
    return re.sub(r"\\(.)", lambda found: {"s": " ", "n": "\n"}.get(found[1], found[1]), piece)


def random_script(source: Random, script: Script) -> str:
    text = "".join(source.choices(script.pieces, k=source.randint(1, 9)))
    return script.command.replace("{}", quoted(text))


def quoted(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"
