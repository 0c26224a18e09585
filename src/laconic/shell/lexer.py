"""Reads words: quotes, escapes, patterns, and the expansions in them.

The rule of the whole parser: what is not certain is a ParseError. Accepting less than bash is
safe (the caller asks); reading something other than bash reads is not. Comments name the places
where bash itself decides late or differently between versions.

https://www.gnu.org/software/bash/manual/html_node/Quoting.html
"""

from __future__ import annotations

from laconic.patterns import pattern
from laconic.shell.ast import DoubleQuoted, Literal, Pattern, Quoted, Word
from laconic.shell.expansions import ExpansionReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.shell.ast import Part

_PLAIN = pattern(r"""(?:[^ \t\n|&;()<>\\'"`$?*+@!]+|[?*+@!](?!\())+""")
_IN_QUOTES = pattern(r'[^\\"`$]+')
_IN_HEREDOC = pattern(r"[^\\`$]+")


class Lexer(ExpansionReader):
    """Words and their parts."""

    def word(self, *, extglob: bool = False, regex: bool = False) -> Word | None:
        """Read the word that begins here, or None. regex: the right side of `=~` in `[[ ]]`."""
        text, end, start = self.text, self.end, self.pos
        plain = _PLAIN.match(text, start, end)
        if plain:
            pos = plain.end()
            if pos == end or text[pos] in " \t\n;|&)":
                self.pos = pos
                if not (regex and pos < end and text[pos] == "|"):
                    return Word(start, pos, (Literal(start, pos, text[start:pos]),))
                self.pos = start
        parts: list[Part] = []
        extglob = extglob or self.extglob
        while self.pos < end:
            part = self._part(extglob=extglob, regex=regex)
            if part is None:
                break
            parts.append(part)
        if self.peek() in ("<", ">") and any(isinstance(p, Literal) and not p.value for p in parts):
            raise self.fail("file descriptor split by a line continuation", start)
        return Word(start, self.pos, tuple(parts)) if parts else None

    def _part(self, *, extglob: bool, regex: bool) -> Part | None:
        text, pos = self.text, self.pos
        if plain := _PLAIN.match(text, pos, self.end):
            self.pos = plain.end()
            return Literal(pos, self.pos, plain[0])
        char = text[pos]
        if char == "'":
            return self._single_quoted()
        if char == '"':
            self.pos += 1
            return self.double_quoted(pos, '"')
        if char == "$":
            return self.dollar(quoted=False)
        if char == "\\":
            return self._escaped()
        if char == "`":
            return self.backquote(quoted=False)
        if char in "<>":
            if text.startswith("(", pos + 1, self.end):
                return self.substitution(char + "(")
            if text.startswith("\\\n", pos + 1, self.end):
                raise self.fail("operator split by a line continuation")
            return None
        if char in "?*+@!":  # the plain run stopped here: an opening parenthesis follows
            if extglob:
                return self._pattern(2)
            if regex:
                return self._single(char)
            raise self.fail("extended glob, but extglob may be off")
        if regex and char == "(":
            return self._pattern(1)
        if regex and char == "|":
            return self._single(char)
        return None

    def _escaped(self) -> Part:
        start = self.pos
        if start + 1 >= self.end:
            raise self.fail("backslash at the end of the text")
        char = self.text[start + 1]
        self.pos += 2
        if char == "\n":
            return Literal(start, self.pos, "")
        return Quoted(start, self.pos, char, "\\")

    def _single_quoted(self) -> Quoted:
        start = self.pos
        self.pos = self._closing_quote() + 1
        return Quoted(start, self.pos, self.text[start + 1 : self.pos - 1], "'")

    def double_quoted(self, start: int, style: str) -> DoubleQuoted:
        parts = self.quoted_parts('"')
        if self.pos >= self.end:
            raise self.fail('unterminated "', start)
        self.pos += 1
        return DoubleQuoted(start, self.pos, parts, style)

    def quoted_parts(self, close: str) -> tuple[Part, ...]:
        text, end = self.text, self.end
        plain = _IN_QUOTES if close else _IN_HEREDOC
        parts: list[Part] = []
        while self.pos < end:
            start = self.pos
            if run := plain.match(text, start, end):
                self.pos = run.end()
                parts.append(Literal(start, self.pos, run[0]))
                continue
            char = text[start]
            if char == close:
                break
            if char == "$":
                parts.append(self.dollar(quoted=True))
            elif char == "`":
                parts.append(self.backquote(quoted=True))
            else:
                parts.append(self._escaped_in_quotes(close))
        return tuple(parts)

    def _escaped_in_quotes(self, close: str) -> Literal:
        """A backslash in quotes keeps itself, except before `$`, backquote, `\\`, newline, `"`."""
        start = self.pos
        following = self.text[start + 1 : start + 2] if start + 1 < self.end else ""
        if not following:
            self.pos += 1
            return Literal(start, self.pos, "\\")
        self.pos += 2
        if following == "\n":
            return Literal(start, self.pos, "")
        escapes = following in "$`\\" or following == close
        return Literal(start, self.pos, following if escapes else "\\" + following)

    def _pattern(self, opening: int) -> Pattern:
        """Read `@(..)` or a regular expression's group; opening: how long its beginning is."""
        text, end, start = self.text, self.end, self.pos
        self.enter()
        self.pos += opening
        parts: list[Part] = []
        nested = 1
        while nested:
            if self.pos >= end:
                raise self.fail("unterminated (", start)
            char = text[self.pos]
            if char in '$`"':
                parts.append(self._part_of_operand(char, quoted=False))
            elif char == "'":
                self.pos = self._closing_quote() + 1
            elif char in "<>" and text.startswith("(", self.pos + 1, end):
                raise self.fail("<( inside a pattern")
            else:
                nested += (char == "(") - (char == ")")
                self.pos += 2 if char == "\\" else 1
        self.depth -= 1
        return Pattern(start, self.pos, tuple(parts))
