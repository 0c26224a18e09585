"""Reads expansions: parameters, and substitutions of commands.

https://www.gnu.org/software/bash/manual/html_node/Shell-Expansions.html
"""

from __future__ import annotations

import re

from laconic.patterns import pattern
from laconic.shell.arithmetic import ArithmeticReader
from laconic.shell.ast import Literal, Node, Parameter, Quoted, Sequence, Substitution, nodes
from laconic.shell.escapes import ansi_c
from laconic.shell.scanner import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.shell.ast import Part

_IN_BRACES = pattern(r"[^\\}'\"$`<>]+")
_SIMPLE_PARAMETER = pattern(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")
_BRACED_PARAMETER = pattern(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-]")
_OPERATOR = pattern(r":[-=+?]|##?|%%?|//?|\^\^?|,,?|@[A-Za-z]?|[-:=+?*]")
_DOLLAR_SINGLE = pattern(r"(?:[^\\']+|\\.)*", re.DOTALL)


class ExpansionReader(ArithmeticReader):
    """What a `$` or a backquote begins; the lexer reads the words around it."""

    def dollar(self, *, quoted: bool) -> Part:
        """Read what a `$` begins; quoted: inside double quotes, a here-document or arithmetic."""
        text, start = self.text, self.pos
        char = text[start + 1] if start + 1 < self.end else ""
        if char == "(":
            return self._dollar_parenthesis()
        if char == "{":
            return self._braces(quoted=quoted)
        if name := _SIMPLE_PARAMETER.match(text, start + 1, self.end):
            self.pos = name.end()
            return Parameter(start, self.pos, name[0])
        if char == "[":
            self.pos += 2
            expression = self.arithmetic(start, "]")
            if expression is None:
                raise self.fail("unterminated $[", start)
            return expression
        if char == "'" and not quoted:
            return self._dollar_single()
        if char == '"' and not quoted:
            self.pos += 2
            return self.double_quoted(start, '$"')
        if char == "\\" and text.startswith("\n", start + 2, self.end):
            raise self.fail("line continuation after $")
        return self._single("$")

    def _dollar_single(self) -> Quoted:
        start = self.pos
        inside = _DOLLAR_SINGLE.match(self.text, start + 2, self.end)
        close = inside.end() if inside else self.end
        if close >= self.end or self.text[close] != "'":
            raise self.fail("unterminated $'")
        self.pos = close + 1
        return Quoted(start, self.pos, ansi_c(self.text[start + 2 : close]), "$'")

    def _dollar_parenthesis(self) -> Part:
        text, start = self.text, self.pos
        if not text.startswith("((", start + 1, self.end):
            return self.substitution("$(")
        return self.try_arithmetic(start, 3) or self.substitution("$(")

    def substitution(self, style: str) -> Substitution:
        """Read `$(..)`, `<(..)` or `>(..)`; here-documents opened inside must end inside."""
        start = self.pos
        self.pos += 2
        self.refuse_split("(")
        self.enter()
        outer, self.awaited = self.awaited, []
        is_double = self.peek() == "("
        self.newlines()
        self.substitutions += 1
        self.opening = self.pos
        body = self.sequence(_CLOSING, may_be_empty=True)
        if self.peek() != ")":
            raise self.fail(f"{style} without its )", start)
        if self.awaited:
            raise self.fail("here-document is not closed inside the substitution", start)
        self.awaited = outer
        self.pos += 1
        self.depth -= 1
        self.substitutions -= 1
        if is_double:
            self.refuse_odd_double(start)
        return Substitution(start, self.pos, body, style)

    def backquote(self, *, quoted: bool) -> Substitution:
        r"""Read a backquoted command.

        It ends at the next backquote without a backslash, whatever quotes are between, and its
        text is parsed after one level of backslashes is gone: in place if there is none.
        """
        text, start = self.text, self.pos
        escapes = '$`\\"' if quoted else "$`\\"
        kept: list[int] = []
        escaped = False
        pos = start + 1
        while pos < self.end and text[pos] != "`":
            if text[pos] == "\\":
                if text.startswith("\n", pos + 1, self.end):
                    raise self.fail("line continuation inside backquotes", pos)
                if pos + 1 < self.end and text[pos + 1] in escapes:
                    escaped = True
                    pos += 1
            kept.append(pos)
            pos += 1
        if pos >= self.end:
            raise self.fail("unterminated `", start)
        self.enter()
        kept.append(pos)
        body = (
            self._unescaped_body(start + 1, kept)
            if escaped
            else self._body_in_place(start + 1, pos)
        )
        self.depth -= 1
        self.pos = pos + 1
        return Substitution(start, self.pos, body, "`")

    def _body_in_place(self, start: int, close: int) -> Sequence:
        saved = self.begin, self.end, self.awaited
        self.pos = self.begin = start
        self.end, self.awaited = close, []
        body = self.program()
        self.begin, self.end, self.awaited = saved
        return body

    def _unescaped_body(self, first: int, kept: list[int]) -> Sequence:
        """Parse the text without its escapes, then move every span to its place in the source."""
        inner = type(self)("".join(self.text[pos] for pos in kept[:-1]))
        inner.depth, inner.backtracks, inner.extglob = self.depth, self.backtracks, self.extglob
        inner.substitutions = self.substitutions
        try:
            body = inner.program()
        except ParseError as error:
            raise ParseError(error.message, kept[min(error.offset, len(kept) - 1)]) from None
        self.backtracks = inner.backtracks
        # a boundary is right after the character before it, so that no escape is cut in two
        _relocate([*nodes(body), *inner.marks], [first, *(pos + 1 for pos in kept)])
        self.marks += inner.marks
        return body

    def program(self) -> Sequence:
        """Read everything up to the end."""
        body = self.sequence(_NOTHING, may_be_empty=True)
        if self.awaited:
            raise self.fail("here-document without its closing line")
        return body

    def _braces(self, *, quoted: bool) -> Parameter:
        text, start = self.text, self.pos
        self.pos += 2
        self.enter()
        if self.peek() in tuple(" \t\n|"):
            raise self.fail("${ command; } is not read")
        prefix = self._prefix()
        name = _BRACED_PARAMETER.match(text, self.pos, self.end)
        if not name:
            raise self.fail("unknown parameter expansion")
        self.pos = name.end()
        parts: list[Part] = []
        index, operator, operand = None, "", ""
        if self.peek() == "[":
            self.pos += 1
            expression = self.arithmetic(self.pos, "]")
            if expression is None:
                raise self.fail("unterminated subscript")
            index, parts = expression.text, list(expression.parts)
        if self.peek() != "}":
            if self.pos >= self.end:
                raise self.fail("unterminated ${", start)
            match = _OPERATOR.match(text, self.pos, self.end)
            if not match or prefix == "#":
                raise self.fail("unknown parameter expansion")
            operator = match[0]
            self._operand(operator, parts, quoted=quoted)
            operand = text[match.end() : self.pos]
        if self.pos >= self.end:
            raise self.fail("unterminated ${", start)
        self.pos += 1
        self.depth -= 1
        return Parameter(start, self.pos, name[0], prefix, index, operator, operand, tuple(parts))

    def _prefix(self) -> str:
        """Read `!` or `#` before the name, unless it is the name itself."""
        char = self.peek()
        following = self.text[self.pos + 1 : self.pos + 2] if self.pos + 1 < self.end else ""
        is_prefix = (char == "!" and following != "}") or (
            char == "#" and following != "" and following not in "}:-=+?%/#^,@"
        )
        if not is_prefix:
            return ""
        self.pos += 1
        return char

    def _operand(self, operator: str, parts: list[Part], *, quoted: bool) -> None:
        """Read from the operator up to the closing brace: the first `}` that nothing quotes."""
        text, end = self.text, self.end
        self.pos += len(operator)
        while self.pos < end:
            if run := _IN_BRACES.match(text, self.pos, end):
                self.pos = run.end()
                continue
            char = text[self.pos]
            if char == "}":
                return
            if char == "\\":
                self.pos += 2
            elif char == "'":
                if quoted or operator == ":":
                    # quotes that quote when parsed and do not when expanded, or the reverse
                    self.harmless_quotes('$`"}{', "' inside ${} where it may not quote")
                else:
                    self.pos = self._closing_quote() + 1
            elif char in "<>":
                if text.startswith("\\\n", self.pos + 1, end):
                    raise self.fail("operator split by a line continuation")
                if not text.startswith("(", self.pos + 1, end):
                    self.pos += 1
                elif quoted:
                    raise self.fail("<( inside ${} inside quotes")
                else:
                    parts.append(self.substitution(char + "("))
            else:
                parts.append(self._part_of_operand(char, quoted=quoted))

    def _part_of_operand(self, char: str, *, quoted: bool) -> Part:
        if char == "$":
            return self.dollar(quoted=quoted)
        if char == "`":
            return self.backquote(quoted=quoted)
        self.pos += 1
        return self.double_quoted(self.pos - 1, '"')

    def _single(self, char: str) -> Literal:
        self.pos += 1
        return Literal(self.pos - 1, self.pos, char)

    def _closing_quote(self) -> int:
        close = self.text.find("'", self.pos + 1, self.end)
        if close < 0:
            raise self.fail("unterminated '")
        return close


_CLOSING = frozenset(")")
_NOTHING: frozenset[str] = frozenset()


def _relocate(all_nodes: list[Node], boundaries: list[int]) -> None:
    for node in {id(node): node for node in all_nodes}.values():
        node.start, node.end = boundaries[node.start], boundaries[node.end]
