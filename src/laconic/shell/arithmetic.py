"""Reads arithmetic: `$((..))`, `((..))`, `$[..]` and subscripts.

https://www.gnu.org/software/bash/manual/html_node/Shell-Arithmetic.html
"""

from __future__ import annotations

import abc

from laconic.patterns import pattern
from laconic.shell.ast import COMPOUNDS, Arithmetic, Substitution, nodes
from laconic.shell.scanner import Scanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.shell.ast import DoubleQuoted, Part

MAX_BACKTRACKS = 40  # `((` may open arithmetic or two subshells: re-reading is bounded
_IN_ARITHMETIC = pattern(r"[^\\$`\"'()\[\]]+")


class ArithmeticReader(Scanner):
    """Expressions; what is expanded in them, the lexer reads."""

    @abc.abstractmethod
    def dollar(self, *, quoted: bool) -> Part:
        """Read what a `$` begins; quoted: inside double quotes, a here-document or arithmetic."""

    @abc.abstractmethod
    def backquote(self, *, quoted: bool) -> Substitution:
        """Read a backquoted command."""

    @abc.abstractmethod
    def double_quoted(self, start: int, style: str) -> DoubleQuoted:
        """Read the rest of a text in double quotes, from after the opening one on."""

    def try_arithmetic(self, start: int, opening: int) -> Arithmetic | None:
        """Read `((..))`; on None nothing was read, and a subshell follows."""
        saved = self.pos, self.depth, list(self.awaited), len(self.marks)
        self.pos += opening
        expression = self.arithmetic(start, "))")
        if expression is None:
            self.pos, self.depth, self.awaited = saved[0], saved[1], saved[2]
            del self.marks[saved[3] :]
            self.backtracks += 1
            if self.backtracks > MAX_BACKTRACKS:
                raise self.fail("too many ambiguous ((", start)
        return expression

    def refuse_odd_double(self, start: int) -> None:
        """Refuse what bash reads in its own way inside `((` that turns out to be a subshell.

        It looks for the closing parentheses first, through comments and here-documents.
        """
        inside = self.text[start : self.pos]
        if "<<" in inside or "\n" in inside or "#" in inside or not _balanced(inside):
            raise self.fail("what bash reads otherwise inside (( that is a subshell", start)

    def arithmetic(self, start: int, close: str) -> Arithmetic | None:
        """Read an expression up to close (`))` or `]`); None if there is no such end."""
        self.enter()
        text, end, inside = self.text, self.end, self.pos
        parts: list[Part] = []
        nested = 0
        opening, closing = ("(", ")") if close == "))" else ("[", "]")
        while self.pos < end:
            if run := _IN_ARITHMETIC.match(text, self.pos, end):
                self.pos = run.end()
                continue
            char = text[self.pos]
            if part := self._part_of_arithmetic(char):
                parts.append(part)
            elif char == closing and nested == 0:
                if not self.looking_at(close):
                    return None
                self.depth -= 1
                self.pos += len(close)
                expression = Arithmetic(
                    start, self.pos, text[inside : self.pos - len(close)], tuple(parts)
                )
                self._refuse_odd_arithmetic(expression, close)
                return expression
            elif char == "'":
                self.harmless_quotes('$`\\"', "expansion inside '' in arithmetic")
            else:
                nested += (char == opening) - (char == closing)
                self.pos += 2 if char == "\\" else 1
        return None

    def _refuse_odd_arithmetic(self, expression: Arithmetic, close: str) -> None:
        """Refuse what bash may not read as this expression: only the simple cases are sure.

        It counts parentheses without looking into `${ }`, decides at run time on text it has
        printed anew, and reads process substitutions in subscripts.
        """
        text = expression.text
        if close == "))":
            has_comment = any(m.start >= expression.start and m.text[0] == "#" for m in self.marks)
            odd = has_comment or not _balanced(text) or _holds_odd_substitution(expression)
        else:
            odd = any(sign in text for sign in ("<(", ">(", "$'", '$"'))
        if odd:
            raise self.fail("arithmetic that holds a complex substitution", expression.start)

    def _part_of_arithmetic(self, char: str) -> Part | None:
        if char == "$":
            return self.dollar(quoted=True)
        if char == "`":
            return self.backquote(quoted=True)
        if char == '"':
            self.pos += 1
            return self.double_quoted(self.pos - 1, '"')
        return None

    def harmless_quotes(self, forbidden: str, message: str) -> None:
        """Step over `'..'` where bash's reading of the quotes varies, if that cannot matter."""
        close = self.text.find("'", self.pos + 1, self.end)
        inside = self.text[self.pos + 1 : close]
        if close < 0 or inside.endswith("\\") or any(char in inside for char in forbidden):
            raise self.fail(message)
        self.pos = close + 1


def _balanced(text: str) -> bool:
    """Tell what bash's own check says at run time of the inside of `$((..))`."""
    nested = pos = 0
    while pos < len(text):
        char = text[pos]
        if char == "\\":
            pos += 1
        elif char == "'":
            pos = text.find("'", pos + 1)
            if pos < 0:
                return False
        elif char == '"':
            pos += 1
            while pos < len(text) and text[pos] != '"':
                pos += 2 if text[pos] == "\\" else 1
        else:
            nested += (char == "(") - (char == ")")
            if nested < 0:
                return False
        pos += 1
    return nested == 0


def _holds_odd_substitution(expression: Arithmetic) -> bool:
    """Tell whether bash, which prints substitutions anew, may print one that reads otherwise."""
    inside = [node for part in expression.parts for node in nodes(part)]
    if any(isinstance(node, COMPOUNDS) for node in inside):
        return True
    is_odd = "\n" in expression.text or "<<" in expression.text
    return is_odd and any(isinstance(node, Substitution) for node in inside)
