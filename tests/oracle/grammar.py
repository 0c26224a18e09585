"""Random programs of a grammar; most of them are valid bash."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

PIECES = [
    "a", "b1", "-x", "--opt=v", "f.txt", "/tmp/d", "*", "?", "[a-z]", "{a,b}", "~", "x=y", "1", "é",
    "'q r'", "''", '"d q"', '""', "\\ ", "\\$", "\\\\", "\\'", "$x", "$1", "$@", '"$x"', "$$", "$",
    "$'a\\nb'", "$'\\''", '$"t"', "=", "#", "!", "%", ":", ",", "+", "@", "]", "}", "{", "^", "==",
    "in", "do", "if", "'$(x)'", '"\\`"', '"a\\"b"', "\\\n", "{1..3}", "a#b",
]  # fmt: skip
NAMES = ["ls", "echo", "git", "cat", "grep", "true", "e\\vil", "'a b'", "[", "test", "a.b"]
DECLARATIONS = ["declare a=(1 2)", "export b=$x", "let x=1", "local -a c=()", "eval 'a b'"]
COMMENTS = ["", "", "", " # it's", " # $(evil", " #`", " # a\\", '# "x']
OPERATORS = [
    ":-", "-", ":=", "=", ":+", "+", ":?", "#", "##", "%", "%%", "/", "//", "/#", ":", "^", "^^",
    ",", ",,", "@Q",
]  # fmt: skip
PARAMETERS = ["x", "x", "1", "@", "*", "a[0]", "a[@]", "a[$x]", "#x", "!x", "?", "#", "_z"]
TERMS = [
    "1", "x", " + ", "a[1]", "(1)", "<<", "?1:2", ",", "x++", "!x", " ", "#", "$x", "${x}", '"1"',
    "x=1",
]  # fmt: skip
QUOTED = ["a b", " ", "it's", '\\"', "\\$", "\\\\", "(", ")", "#", "\n", "{", "}", ";", "$x"]
RAW_LINES = ["text", "it's", 'say "hi"', "$x", "", "a\\", "E ", " E", ")", "`", "$(", "done"]
LINES = ["text", "it's", "$x", "", "a\\\\", "E ", "\\$(x)", ")", "done"]
PATTERNS = ["a", "*", "'b c'", "[0-9]*", '"$x"', "-h"]
EXPRESSIONS = ["^a+$", "(a|b)c", "[[:digit:]]", "$x", "a\\ b"]


class Grammar:
    """Every decision comes from the given source; depth bounds how deep constructs nest."""

    def __init__(self, source: random.Random) -> None:
        self.source = source
        self.pick = source.choice
        self.bodies: list[str] = []  # of here-documents that begin at the next newline

    def chance(self, share: float) -> bool:
        return self.source.random() < share

    def some(self, make: Callable[[int], str], depth: int, most: int, least: int = 0) -> list[str]:
        return [make(depth) for _ in range(self.source.randint(least, most))]

    def program(self) -> str:
        self.bodies = []
        return self.list(3) + "".join("\n" + body for body in self._taken())

    def _taken(self) -> list[str]:
        bodies, self.bodies = self.bodies, []
        return bodies

    # -- lists

    def gap(self) -> str:
        return " " if self.chance(0.93) else self.pick(["  ", "\t", " \\\n", "\\\n "])

    def end(self) -> str:
        """A newline, at times after a comment; the bodies of here-documents follow it."""
        return self.pick(COMMENTS) + "\n" + "".join(body + "\n" for body in self._taken())

    def list(self, depth: int) -> str:
        text = self.and_or(depth)
        for _ in range(self.pick([0, 0, 0, 1, 1, 2])):
            text += self.pick(["; ", ";", " & ", " ;"]) if self.chance(0.6) else self.end()
            text += self.and_or(depth)
        return text

    def and_or(self, depth: int) -> str:
        text = self.pipeline(depth)
        while self.chance(0.15):
            text += self.pick([" && ", "||", " &&", " || "])
            text += self.end() if self.chance(0.15) else ""
            text += self.pipeline(depth)
        return text

    def pipeline(self, depth: int) -> str:
        prefixes = ["! ", "time ", "time -p ", "! ! ", "time ! "]
        text = self.pick(prefixes) if self.chance(0.07) else ""
        text += self.command(depth)
        while self.chance(0.15):
            text += self.pick([" | ", "|", " |& ", "|&"]) + (self.end() if self.chance(0.1) else "")
            text += self.command(depth)
        return text

    def inner_list(self, depth: int) -> str:
        """A list between parentheses: its here-documents end inside."""
        outer, self.bodies = self.bodies, []
        text = self.list(depth)
        text += "".join("\n" + body for body in self._taken()) + ("\n" if "\n" in text else "")
        self.bodies = outer
        return text

    # -- commands

    def command(self, depth: int) -> str:
        if depth <= 0 or self.chance(0.7):
            return self.simple(depth)
        kind = self.pick([
            self.group, self.subshell, self.condition, self.loop, self.for_loop, self.case,
            self.function, self.test, self.arithmetic, self.coproc,
        ])  # fmt: skip
        text = kind(depth - 1)
        while self.chance(0.12):
            text += self.gap() + self.redirect(depth - 1)
        return text

    def simple(self, depth: int) -> str:
        pieces: list[str] = []
        while self.chance(0.12):
            pieces.append(self.assignment(depth - 1))
        if self.chance(0.04):
            pieces.append(self.redirect(depth - 1))
        if not pieces or self.chance(0.8):
            pieces += [self.name(depth), *self.some(self.argument, depth - 1, 3)]
        return self.gap().join(pieces)

    def name(self, depth: int) -> str:
        if self.chance(0.05):
            return self.pick(DECLARATIONS)
        return self.word(depth - 1) if self.chance(0.1) else self.pick(NAMES)

    def argument(self, depth: int) -> str:
        return self.redirect(depth) if self.chance(0.15) else self.word(depth)

    def assignment(self, depth: int) -> str:
        left = self.pick(["x", "x", "_y1", "a[0]", "a[i+1]", "a[$x]", 'm["k"]'])
        left += self.pick(["=", "=", "=", "+="])
        if self.chance(0.15) and "[" not in left:
            elements = self.some(self.word, depth - 1, 3)
            if self.chance(0.2):
                elements.append("[1]=" + self.word(depth - 1))
            return f"{left}({self.pick([' ', '  ', chr(10)]).join(elements)})"
        return left + (self.word(depth - 1) if self.chance(0.9) else "")

    def body(self, depth: int) -> str:
        text = self.list(depth)
        closed = self.chance(0.6) and not text.endswith(("&", "\n"))
        return text + ("; " if closed else self.end())

    def group(self, depth: int) -> str:
        return "{ " + self.body(depth) + "}"

    def subshell(self, depth: int) -> str:
        return "(" + self.pick(["", " "]) + self.list(depth) + self.pick(["", " "]) + ")"

    def condition(self, depth: int) -> str:
        text = f"if {self.body(depth)}then {self.body(depth)}"
        if self.chance(0.2):
            text += f"elif {self.body(depth)}then {self.body(depth)}"
        if self.chance(0.3):
            text += f"else {self.body(depth)}"
        return text + "fi"

    def loop(self, depth: int) -> str:
        return f"{self.pick(['while', 'until'])} {self.body(depth)}do {self.body(depth)}done"

    def for_loop(self, depth: int) -> str:
        if self.chance(0.2):
            header = "; ".join(self.some(self.expression, 0, 3, 3))
            return f"for (({header})); do {self.body(depth)}done"
        words = " ".join(self.some(self.word, depth, 3))
        head = self.pick([f" in {words}; ", f" in {words}\n", "; ", "\n", " "])
        if self.bodies:
            head = head.replace("\n", self.end())
        return f"{self.pick(['for', 'for', 'select'])} i{head}do {self.body(depth)}done"

    def case(self, depth: int) -> str:
        text = f"case {self.word(depth)} in{self.pick([' ', self.end()])}"
        for _ in range(self.source.randint(0, 3)):
            patterns = self.some(self.pattern, depth, 2, 1)
            text += self.pick(["", "("]) + self.pick(["|", " | "]).join(patterns) + ") "
            text += self.list(depth) if self.chance(0.8) else ""
            text += self.pick([";;", " ;;", ";&", ";;&"]) + self.pick([" ", self.end()])
        return text + "esac"

    def pattern(self, depth: int) -> str:
        return self.pick([*PATTERNS, self.word(depth)])

    def function(self, depth: int) -> str:
        name = self.pick(["f", "my-func", "_g", "a.b"])
        head = self.pick(["{}() ", "{} () ", "function {} ", "function {}() ", "{}()\n"])
        body = self.group(depth) if self.chance(0.8) else self.subshell(depth)
        return head.format(name) + body

    def test(self, depth: int) -> str:
        text = self.one_test(depth)
        while self.chance(0.25):
            text += self.pick([" && ", " || ", " &&\n"]) + self.one_test(depth)
        return f"[[ {text} ]]"

    def one_test(self, depth: int) -> str:
        left = self.pick(["$x", '"$x"', "a", self.word(depth)])
        right = self.pick(["a*", "@(a|b)", self.word(depth)])
        return self.pick([
            left, f"-f {left}", f"{left} == {right}", f"{left} =~ {self.pick(EXPRESSIONS)}",
            f"{left} -lt 3", f"! {left}", f"( {left} )", f"{left} < b",
        ])  # fmt: skip

    def arithmetic(self, depth: int) -> str:
        return f"(({self.expression(depth)}))"

    def coproc(self, depth: int) -> str:
        kind = self.pick(["{}", "X {}", ""])
        return "coproc " + (kind.format(self.group(depth)) if kind else self.simple(0))

    # -- redirects

    def redirect(self, depth: int) -> str:
        if self.chance(0.2):
            return self.heredoc(depth)
        operator = self.pick([">", ">>", "<", "<>", ">|", ">&", "<&", "<<<", "&>", "&>>"])
        fd = "" if operator[0] == "&" else self.pick(["", "", "", "2", "0", "{fd}", "12"])
        copies = operator in (">&", "<&")
        target = self.pick(["1", "2", "-", "$x"]) if copies else self.word(depth)
        return fd + operator + self.pick(["", "", " "]) + target

    def heredoc(self, depth: int) -> str:
        delimiter = self.pick(["E", "EOF", "_x"])
        quote = self.pick(["{}", "{}", "'{}'", '"{}"', "\\{}"])
        indent = self.pick(["", "", "\t"])
        lines = self.some(self.line if quote == "{}" else self.raw_line, depth - 1, 3)
        self.bodies.append("".join(f"{indent}{line}\n" for line in [*lines, delimiter])[:-1])
        return ("<<-" if indent else "<<") + self.pick(["", " "]) + quote.format(delimiter)

    def line(self, depth: int) -> str:
        return self.pick([*LINES, self.quoted(depth)])

    def raw_line(self, _: int) -> str:
        return self.pick(RAW_LINES)

    # -- words

    def word(self, depth: int) -> str:
        return "".join(self.piece(depth) for _ in range(self.pick([1, 1, 1, 2, 3])))

    def piece(self, depth: int) -> str:
        if depth <= 0 or self.chance(0.6):
            return self.pick(PIECES)
        return self.pick([self.substitution, self.in_quotes, self.parameter, self.calculation])(
            depth - 1
        )

    def substitution(self, depth: int) -> str:
        form = self.pick(["$({})", "$( {} )", "`{}`", "<({})"])
        text = self.inner_list(depth)
        return form.format(_escaped(text) if form[0] == "`" else text)

    def in_quotes(self, depth: int) -> str:
        return f'"{self.quoted(depth)}"'

    def quoted(self, depth: int) -> str:
        return "".join(self.some(self.quoted_piece, depth, 3, 1))

    def quoted_piece(self, depth: int) -> str:
        if depth <= 0 or self.chance(0.4):
            return self.pick(QUOTED)
        kind = self.pick(["$({})", "`{}`", "parameter", "$(({}))"])
        if kind == "parameter":
            return self.parameter(depth)
        if kind == "$(({}))":
            return kind.format(self.expression(depth))
        text = self.inner_list(depth)
        return kind.format(_escaped(text) if kind[0] == "`" else text)

    def parameter(self, depth: int) -> str:
        name = self.pick(PARAMETERS)
        if self.chance(0.3):
            return f"${{{name}}}"
        operator = self.pick(OPERATORS)
        operand = self.word(depth) if self.chance(0.8) else "a b"
        if operator == ":":
            operand = self.pick(["1", "1:2", " -1", "$x", "0:$x"])
        return f"${{{name}{operator}{'' if operator == '@Q' else operand}}}"

    def calculation(self, depth: int) -> str:
        return self.pick(["$(({}))", "$[{}]"]).format(self.expression(depth))

    def expression(self, depth: int) -> str:
        return "".join(self.some(self.term, depth, 4, 1))

    def term(self, depth: int) -> str:
        if depth > 0 and self.chance(0.3):
            return f"$({self.inner_list(depth - 1)})"
        return self.pick(TERMS)


def _escaped(text: str) -> str:
    """The text as it must be written between backquotes."""
    return text.replace("\\", "\\\\").replace("`", "\\`")
