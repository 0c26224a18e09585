"""Arguments as a program will see them: evaluated words, and what is certain of the others."""

from __future__ import annotations

from laconic.shell.ast import Assignment, Literal, Parameter, Quoted, Word
from laconic.shell.words import fields, flat, leading, part_splits, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from laconic.shell.ast import Part


_MAX_POSSIBLE = 16
_NUMBERS = frozenset("#?$!")


class Argument:
    """One argument.

    text: its value, None if not known (for a glob, the pattern). leading: what it begins with for
    certain. glob: it names files by pattern. splits: it may become several words, or none.
    possible: values that it may have, where its text is not known; never the whole truth.
    """

    __slots__ = ("end", "glob", "leading", "possible", "splits", "start", "text")

    def __init__(
        self,
        text: str | None,
        start: int,
        end: int,
        *,
        leading: str | None = None,
        glob: bool = False,
        splits: bool = False,
    ) -> None:
        self.text, self.start, self.end = text, start, end
        self.leading = (text or "") if leading is None else leading
        self.glob, self.splits = glob, splits
        self.possible: tuple[str, ...] = ()

    def __repr__(self) -> str:
        flags = "".join(f", {name}" for name in ("glob", "splits") if getattr(self, name))
        return f"Argument({self.text!r}, leading={self.leading!r}{flags})"

    @property
    def texts(self) -> tuple[str, ...]:
        """All values that it may have, as far as they are known."""
        return self.possible if self.text is None else (self.text,)

    @property
    def is_static(self) -> bool:
        return self.text is not None and not self.glob

    def behind(self, length: int) -> Argument:
        """What follows so many characters: the value in `--output=value`."""
        rest = None if self.text is None else self.text[length:]
        return Argument(
            rest,
            self.start,
            self.end,
            leading=self.leading[length:],
            glob=self.glob,
            splits=self.splits,
        )


def evaluate(
    words: tuple[Word | Assignment, ...],
    variables: Mapping[str, str],
    possible: Mapping[str, tuple[str, ...]] | None = None,
) -> list[Argument]:
    """The arguments that words become.

    variables: those whose values are certain. possible: values that others may have.
    """
    found: list[Argument] = []
    for word in words:
        values = fields(word)
        if values is None:
            argument = _partly_known(word, variables)
            if possible and isinstance(word, Word):
                argument.possible = _possible_texts(word, {**_alone(variables), **possible})
            found.append(argument)
            continue
        for value in values:
            argument = Argument(value.text, word.start, word.end, glob=value.glob)
            if value.glob:
                argument.leading = leading(word) if len(values) == 1 else ""
                argument.splits = True
            if value.tilde:
                argument = _at_home(argument, variables)
            found.append(argument)
    return found


def _at_home(argument: Argument, variables: Mapping[str, str]) -> Argument:
    rest = (argument.text or "")[1:]
    home = variables.get("HOME")
    known = home is not None and (not rest or rest.startswith("/"))
    return Argument(
        f"{home}{rest}" if known else None,
        argument.start,
        argument.end,
        leading="/" if not known else f"{home}/" if argument.glob else None,
        glob=argument.glob,
    )


def _partly_known(word: Word | Assignment, variables: Mapping[str, str]) -> Argument:
    if isinstance(word, Assignment):
        return Argument(None, word.start, word.end, leading=leading(word))
    known, glob = "", False
    for part, quoted in flat(word.parts):
        value = _value(part, variables, quoted=quoted)
        if value is None:
            if isinstance(part, Parameter) and part.name in _NUMBERS and not known:
                known = "0"  # some number, which is no option
            break
        if not quoted and isinstance(part, Literal) and any(char in "*?[{~" for char in value):
            glob = True
            break
        known += value
    else:
        return Argument(text(known), word.start, word.end)
    is_several = any(
        part_splits(part, quoted=quoted)
        for part, quoted in flat(word.parts)
        if _value(part, variables, quoted=quoted) is None
    )
    return Argument(
        None,
        word.start,
        word.end,
        leading=text(known),
        glob=glob and not is_several,
        splits=is_several,
    )


def _alone(variables: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    return {name: (value,) for name, value in variables.items()}


def _possible_texts(word: Word, possible: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Put together what the parts may be; nothing if one of them may be anything."""
    texts: tuple[str, ...] = ("",)
    for part, _ in flat(word.parts):
        choices: tuple[str, ...]
        if isinstance(part, Literal | Quoted):
            choices = (text(part.value or ""),)
        elif isinstance(part, Parameter) and not (part.prefix or part.operator or part.index):
            choices = possible.get(part.name, ())
        else:
            return ()
        texts = tuple(done + choice for done in texts for choice in choices)[:_MAX_POSSIBLE]
    return texts


def _value(part: Part, variables: Mapping[str, str], *, quoted: bool) -> str | None:
    if isinstance(part, Literal | Quoted):
        return part.value
    is_simple = isinstance(part, Parameter) and not (part.prefix or part.operator or part.index)
    if not is_simple or not isinstance(part, Parameter):
        return None
    value = variables.get(part.name)
    if value is None or (not quoted and any(char in " \t\n*?[\\" for char in value)):
        return None
    return value.encode("utf-8", "surrogateescape").decode("latin-1")
