"""What holds for every text: the parser answers, in time, and its spans give back the text."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from laconic.shell import ParseError, parse
from laconic.shell.ast import (
    Arithmetic,
    ArithmeticCommand,
    Assignment,
    DoubleQuoted,
    Heredoc,
    Literal,
    Loop,
    Node,
    Parameter,
    Pattern,
    Quoted,
    Redirect,
    Script,
    Substitution,
    Word,
    nodes,
)
from laconic.shell.walk import commands, evaluations, redirects

TIME_LIMIT_S = 2.5
GAP = re.compile(rb"(?:[ \t\n]|\\\n)*")
GAP_IN_BACKQUOTES = re.compile(rb"[ \t\n\\]*")

Span = tuple[int, int]

# -- texts ---------------------------------------------------------------------------------------

PIECES = """
 | || & && |& ; ;; ;& ;;& ( ) (( )) { } [[ ]] ! < > << <<- <<< >> >| <> >& <& &> &>> 2> {fd}> <( >(
 $ $( $(( $[ ${ ${x:- ${x/ ${#x} ${!x} ${a[ ` ' " $' $" \\ \\\\ # = += a= a[0]= a=( [ ] @( !(
 * ? ~ x 1 é -eq == =~ f() echo evil EOF if then elif else fi for while until do done case esac
 select in function coproc time
""".split()
pieces = st.sampled_from(
    [*PIECES, " ", " ", " ", "\n", "\n", "\t", "\\\n", "<<EOF\n", "\nEOF\n", "'a b'"]
)
shell_like = st.lists(pieces, max_size=25).map("".join)
anything = st.text(max_size=60) | st.binary(max_size=60) | shell_like


WORDS = [*"a -x 'b' $x ${x:-y} *.c {a,b} é $'\\n' $((1+2))".split(), "'b c'", '"d e"', "\\ f"]
IN_FRONT = ["", "", "a=1 ", "a= ", "> f ", "2>&1 ", "a[1]=2 ", "a=(1 2) ", "{fd}< f "]
BEHIND = ["", "", " > f", " 2>&1", " <<< x", " >> f 2> g", " <&-", " &> f"]
EXPANSIONS = ["$( %s)", '"$(%s\n)"', "${x:-$(\n%s)}", "<( %s )", '"a ${x/a/$( %s)} b"', "a$( %s )b"]
PREFIXES = ["", "", "", "! ", "! ! "]
PIPES = [" | ", " |& ", "|\n", " \\\n| "]
SEPARATORS = ["; ", ";", " && ", " || ", "\n", " & ", " &&\n", " ||# it's\n", "\n\n# a ( b\n"]
OPENINGS = ["", "", "", "# it's\n", "cat <<X\n$x\nX\n", "cat <<-'X' 2>&1\n$(no\n\tX\n"]
COMPOUNDS = [
    "{ %s; }", "( %s )", "{ time { %s; }; }", "if %s; then %s; fi", "if %s\nthen %s\nelse %s\nfi",
    "while %s; do %s; done", "until %s\ndo %s\ndone", "for i in a b; do %s; done",
    "for ((i=0;i<1;i++)); do %s; done", "case x in a|b) %s;; *) %s;& (c) %s; esac",
    "f() { %s; }", "function g { %s; }", "coproc { %s; }",
    "{ %s; } > f 2>&1", "[[ a == b && ( -n x || ! y =~ ^z ) ]]", "((a + (1 << 2)))",
    "select i in a; do %s; done",
]  # fmt: skip

Draw = Callable[[st.SearchStrategy], Any]


@st.composite
def grammatical(draw: Draw) -> str:
    """A list of commands as the grammar makes it; all that take words are called `echo`."""
    return made_list(draw, depth=2)


def chosen(draw: Draw, options: list[str]) -> str:
    return draw(st.sampled_from(options))


def made_list(draw: Draw, depth: int) -> str:
    source = chosen(draw, OPENINGS) + made_pipeline(draw, depth)
    for _ in range(draw(st.integers(0, 2))):
        source += chosen(draw, SEPARATORS) + made_pipeline(draw, depth)
    return source


def made_pipeline(draw: Draw, depth: int) -> str:
    source = chosen(draw, PREFIXES) + made_command(draw, depth)
    for _ in range(draw(st.integers(0, 1))):
        source += chosen(draw, PIPES) + made_command(draw, depth)
    return source


def made_command(draw: Draw, depth: int) -> str:
    if depth and draw(st.booleans()):
        return filled(draw, chosen(draw, COMPOUNDS), depth - 1)
    arguments = [made_word(draw, depth) for _ in range(draw(st.integers(0, 2)))]
    return chosen(draw, IN_FRONT) + " ".join(["echo", *arguments]) + chosen(draw, BEHIND)


def made_word(draw: Draw, depth: int) -> str:
    if depth and draw(st.booleans()):
        return filled(draw, chosen(draw, EXPANSIONS), depth - 1)
    return "".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=2)))


def filled(draw: Draw, shape: str, depth: int) -> str:
    return shape % tuple(made_list(draw, depth) for _ in range(shape.count("%s")))


# -- the tiles -----------------------------------------------------------------------------------


def without(span: Span, holes: list[Span]) -> Iterator[Span]:
    """What is left of a span when smaller spans inside it are taken out."""
    start, end = span
    for hole_start, hole_end in sorted(holes):
        yield start, hole_start
        start = hole_end
    yield start, end


def spans(found: tuple[Node, ...]) -> list[Span]:
    return [(node.start, node.end) for node in found]


def delimiters(node: Substitution, source: bytes) -> Iterator[Span]:
    """The opening and closing marks; in escaped backquotes a backslash may be around them."""
    opening, closing = node.style.encode(), b"`" if node.style == "`" else b")"
    start = source.index(opening, node.start, node.end)
    yield start, start + len(opening)
    close = source.rindex(closing, start + len(opening), node.end)
    yield close, close + 1


def own_tiles(node: Node, source: bytes) -> Iterator[Span]:
    """The bytes that belong to this node and to none of its children."""
    if isinstance(node, Literal | Quoted):
        yield node.start, node.end
    elif isinstance(node, DoubleQuoted | Parameter | Pattern | Arithmetic):
        yield from without((node.start, node.end), spans(node.parts))
    elif isinstance(node, Substitution):
        yield from delimiters(node, source)
    elif isinstance(node, Assignment):
        left_end = node.end if node.value is None else node.value.start
        index = [(node.index.start, node.index.end)] if node.index else []
        yield from without((node.start, left_end), index)
    elif isinstance(node, Redirect):
        yield node.start, node.start + len(node.fd) + len(node.operator)
    elif isinstance(node, Heredoc):
        yield from without((node.start, node.end), spans(node.parts))
        yield node.close.start, node.close.end


def tiles(script: Script) -> list[Span]:
    """All pieces of text that some node or mark stands for, in order."""
    found = spans(script.marks)
    between_marks = {id(arithmetic) for arithmetic in headers(script)}
    for node in nodes(script.body):
        own = own_tiles(node, script.source)
        if id(node) in between_marks:  # here `((` and `))` are marks
            own = ((max(start, node.start + 2), min(end, node.end - 2)) for start, end in own)
        found += own
    return sorted(span for span in found if span[0] != span[1])


def headers(script: Script) -> Iterator[Arithmetic]:
    for node in nodes(script.body):
        if isinstance(node, ArithmeticCommand):
            yield node.expression
        elif isinstance(node, Loop) and node.header:
            yield node.header


def gap_pattern(script: Script) -> re.Pattern[bytes]:
    backquotes = [
        node for node in nodes(script.body) if isinstance(node, Substitution) and node.style == "`"
    ]
    return GAP_IN_BACKQUOTES if backquotes else GAP


def check_spans(script: Script) -> None:
    check_word_parts(script)
    check_parents(script)
    check_tiles(script)


def check_tiles(script: Script) -> None:
    behind, gap = 0, gap_pattern(script)
    for start, end in [*tiles(script), (script.end, script.end)]:
        assert behind <= start <= end, (behind, start, end)
        assert gap.fullmatch(script.source, behind, start), script.source[behind:start]
        behind = end


def check_word_parts(script: Script) -> None:
    for node in nodes(script.body):
        if isinstance(node, Word):
            inside = node.start, node.end
        elif isinstance(node, DoubleQuoted):
            inside = node.start + len(node.style), node.end - 1
        elif isinstance(node, Heredoc) and not node.quoted:
            inside = node.start, node.end
        else:
            continue
        borders = [inside[0], *[part.end for part in node.parts]]
        assert [part.start for part in node.parts] == borders[:-1]
        assert borders[-1] == inside[1]


def check_parents(script: Script) -> None:
    for parent in nodes(script.body):
        assert 0 <= parent.start <= parent.end <= script.end
        for name, value in parent.fields():
            children = value if isinstance(value, tuple) else (value,)
            for child in children:
                # a body is below the command's line, a separator after the list
                if isinstance(child, Node) and name not in ("heredoc", "close", "separators"):
                    assert parent.start <= child.start <= child.end <= parent.end


# -- properties ----------------------------------------------------------------------------------

many = settings(
    derandomize=True,
    max_examples=1500,
    deadline=2000,
    suppress_health_check=[HealthCheck.too_slow],
)
few = settings(many, max_examples=200)


def parsed(source: bytes | str) -> Script | None:
    try:
        return parse(source)
    except ParseError as error:
        check_error(error, source)
        return None


def check_error(error: ParseError, source: bytes | str) -> None:
    source_b = source if isinstance(source, bytes) else source.encode("utf-8", "surrogatepass")
    assert 0 <= error.offset <= len(source_b)
    assert str(error) == f"{error.message} (at byte {error.offset})"


@many
@given(anything)
@example("\ud800")
@example("\udcff")
@example(b"\xff")
@example(b"echo \x00")
@example("")
@example("#")
@example(">#")
@example("<<<#")
@example("$'\\")
@example("${a[\\")
def test_any_text_gives_a_tree_or_a_parse_error(source: bytes | str) -> None:
    script = parsed(source)
    if script is not None:
        commands(script)
        evaluations(script)
        redirects(script)


@many
@given(shell_like)
@example("echo `a \\`b\\` \\$c`")
@example("a <<X; b <<Y\n$(c)\nX\n`d`\nY\ne")
@example("a[1+$x]=(1 2)")
@example("for ((i=$x;;)); do ((1)) > f; done")
def test_spans_give_back_the_text(source: str) -> None:
    script = parsed(source)
    if script is not None:
        check_spans(script)


@few
@given(grammatical())
def test_commands_made_by_the_grammar_parse(source: str) -> None:
    script = parse(source)
    check_spans(script)
    heads = [found.command.words[0] for found in commands(script) if found.command.words]
    shown = [script.source[head.start : head.end] for head in heads]
    assert shown.count(b"echo") == source.count("echo")


def outcome(source: bytes | str) -> Script | tuple[str, int]:
    try:
        return parse(source)
    except ParseError as error:
        return error.message, error.offset


@many
@given(st.text(max_size=60) | shell_like)
def test_bytes_and_text_give_the_same_tree(source: str) -> None:
    assert outcome(source) == outcome(source.encode())


# -- hostile texts -------------------------------------------------------------------------------


def nested(opening: str, closing: str, inside: str = "x") -> Callable[[int], str]:
    return lambda depth: opening * depth + inside + closing * depth


def repeated(piece: str, before: str = "", behind: str = "") -> Callable[[int], str]:
    return lambda count: before + piece * count + behind


def backquotes(depth: int) -> str:
    """Backquotes in backquotes: each level doubles the backslashes, so the depth is small."""
    source = "x"
    for _ in range(min(depth, 12)):
        source = "echo `" + source.replace("\\", "\\\\").replace("`", "\\`") + "`"
    return source


DEEP = {
    "$( )": nested("$(", ")"),
    "quoted $( )": nested('"$(', ')"'),
    "<( )": nested("cat <(", ")"),
    ">( )": nested("cat >(", ")"),
    "( ) with blanks": nested("( ", " )"),
    "( ) adjacent": nested("(", ")"),
    "(( ))": nested("((", "))", "1"),
    "{ }": nested("{ ", "; }"),
    "${x:-}": nested("${x:-", "}"),
    "quoted ${x:-}": nested('"${x:-', '}"'),
    "${x:-} in quotes": lambda depth: f'"{nested("${x:-", "}")(depth)}"',
    "${x/a/}": nested("${x/a/", "}"),
    "${a[ ]}": nested("${a[", "]}", "0"),
    "$(( ))": nested("$((", "))", "1"),
    "$[ ]": nested("$[", "]", "1"),
    "( in $(( ))": lambda depth: f"echo $(({nested('(', ')', '1')(depth)}))",
    "[ in a[ ]": lambda depth: f"a{nested('[', ']', '1')(depth)}=1",
    "if": nested("if ", "; then x; fi"),
    "if in bodies": nested("if x; then ", "; fi"),
    "elif": repeated("elif x; then y; ", "if x; then y; ", "fi"),
    "while": nested("while ", "; do x; done"),
    "for": nested("for i in a; do ", "; done"),
    "case": nested("case a in a) ", ";; esac"),
    "function": nested("f() { ", "; }"),
    "coproc": nested("coproc { ", "; }"),
    "[[ ( ) ]]": lambda depth: f"[[ {nested('( ', ' )', 'a')(depth)} ]]",
    "[[ ! ]]": lambda depth: f"[[ {'! ' * depth} a ]]",
    "regular expression": lambda depth: f"[[ a =~ {nested('(', ')')(depth)} ]]",
    "extended glob": lambda depth: f"shopt -s extglob\necho {nested('@(', ')')(depth)}",
    "array": nested("a=($(", "))"),
    "backquotes": backquotes,
    "braces": nested("{a,", "}", "b"),
    "negations": repeated("! ", "", "x"),
    "time": repeated("time ", "", "x"),
    "open $(": repeated("$("),
    "open quoted $(": repeated('"$('),
    "open (": repeated("("),
    "open ((": repeated("(( "),
    "open $((": repeated("$(("),
    "open $((x) |": repeated("$((x) | "),
    "open ((x) |": repeated("((x) | "),
    "closed ((x) |": nested("((x) | ", ")"),
    "closed $((x) |": nested("$((x) | ", ")"),
    "open {": repeated("{ "),
    "open ${": repeated("${x:-"),
    "open ${ in quotes": repeated('"${x:-'),
    "open $[": repeated("$["),
    "open <(": repeated("<("),
    "open if": repeated("if "),
    "open case": repeated("case a in a) "),
    "open while": repeated("while "),
    "open f()": repeated("f() "),
    "open a[": repeated("a["),
    "open a[ apart": repeated("a[ "),
    "open a=(": repeated("a=("),
    "open [[ (": repeated("[[ ( "),
    "open @(": repeated("@("),
    "open '": repeated("'"),
    'open "': repeated('"'),
    "open `": repeated("`"),
    "escaped `": repeated("\\`", "`", "`"),
    "open $'": repeated("$'"),
    "backslashes": repeated("\\"),
    "open <<E": repeated("<<E "),
    "open <<E in lines": repeated("cat <<E\n"),
    "open <<E in $(": repeated("$(cat <<E\n"),
    "mixed": repeated('"${x:-$(( `(('),
    "closing only": repeated(")"),
    "closing braces": repeated("}"),
}
SIZE = 50_000
LONG = {
    "word": repeated("a"),
    "arguments": repeated("a ", "echo "),
    "string": repeated("a b ", 'echo "', '"'),
    "parameters in a string": repeated("$x ", 'echo "', '"'),
    "escapes in a string": repeated("\\$", 'echo "', '"'),
    "substitutions": repeated("$(a) ", "echo "),
    "backquotes": repeated("`a` ", "echo "),
    "arithmetic": repeated("$((1)) ", "echo "),
    "subshells that look like arithmetic": repeated("((a);b) ", "echo; "),
    "defaults": repeated("${x:-a} ", "echo "),
    "lines": repeated("echo a b\n"),
    "list": repeated("a;"),
    "and list": repeated("a && ", "", "a"),
    "pipeline": repeated("a | ", "", "a"),
    "background": repeated("a & "),
    "redirects": repeated("> a ", "echo "),
    "here-documents": repeated("cat <<E\na\nE\n"),
    "here-documents on a line": lambda count: "cat" + " <<E" * count + "\nE" * count + "\n",
    "here-document": repeated("a line\n", "cat <<E\n", "E\n"),
    "here-document with parameters": repeated("$x\n", "cat <<E\n", "E\n"),
    "here-document of continued lines": repeated("a\\\n", "cat <<E\n", "\nE\n"),
    "quoted here-document": repeated("$x\n", "cat <<'E'\n", "E\n"),
    "comments": repeated("# a b c\n"),
    "comment": repeated("a b ", "# "),
    "clauses": repeated("a) b;; ", "case x in ", "esac"),
    "patterns": repeated("a|", "case x in ", "a) b;; esac"),
    "elements": repeated("a ", "x=(", ")"),
    "indexed elements": repeated("[1]=a ", "x=(", ")"),
    "assignments": repeated("a=1 "),
    "element assignments": repeated("a[1]=1 "),
    "functions": repeated("f() { a; }; "),
    "tests": repeated("-n a && ", "[[ ", "-n a ]]"),
    "words of for": repeated("a ", "for i in ", "; do b; done"),
    "alternatives": repeated("a,", "echo {", "}"),
    "brace words": repeated("{a,b}", "echo "),
    "open braces in a word": repeated("{a,", "echo "),
    "continued lines": repeated("a \\\n", "echo "),
    "continued word": repeated("a\\\n", "echo "),
    "continuations": repeated("\\\n", "echo "),
    "blank lines": repeated("\n", "a", "b"),
    "blanks": repeated(" ", "a", "b"),
    "quotes": repeated("'a'", "echo "),
    "dollar quotes": repeated("$'a'", "echo "),
    "backslashes": repeated("\\a", "echo "),
    "dollars": repeated("$", "echo "),
    "globs": repeated("*", "echo "),
    "numbers before redirects": repeated("1", "", ">a"),
    "extended globs": repeated("@(a) ", "shopt -s extglob\necho "),
    "expression": repeated("1 + ", "((", "1))"),
    "expression that is none": repeated("(1) + ", "((", "1)"),
}


def check_hostile(source: str) -> None:
    before = time.process_time()
    script = parsed(source)
    if script is not None:
        commands(script)
        evaluations(script)
    assert time.process_time() - before < TIME_LIMIT_S


@pytest.mark.parametrize("depth", [40, 500, 5000])
@pytest.mark.parametrize("shape", DEEP)
def test_deep_nesting_is_answered_in_time(shape: str, depth: int) -> None:
    check_hostile(DEEP[shape](depth))


@pytest.mark.parametrize("shape", LONG)
def test_long_text_is_answered_in_time(shape: str) -> None:
    make = LONG[shape]
    check_hostile(make(SIZE // max(1, len(make(2)) - len(make(1)))))
