"""What a word may be that is not certain: all texts that are known of its parts, put together."""

from __future__ import annotations

from itertools import islice, product

from laconic.knowledge.parameters import MAX_LENGTH, MAX_POSSIBLE, possible_values
from laconic.shell.ast import Literal, Parameter, Quoted, Substitution
from laconic.shell.words import flat, part_splits, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.knowledge.arguments import Values
    from laconic.shell.ast import Word

_FEW = 16
MAX_DEPTH = 3  # of substitutions in substitutions whose results are looked for


def possible_texts(word: Word, values: Values, depth: int) -> tuple[str, ...]:
    """Put together what the parts may be; nothing if one of them may be anything."""
    texts: tuple[str, ...] = ("",)
    ended: tuple[str, ...] = ()  # by a blank in a value, or by the next word of a list
    for pos, (part, quoted) in enumerate(flat(word.parts)):
        choices: tuple[str, ...] = ()
        if isinstance(part, Literal | Quoted):
            choices = (_with_home(text(part.value or ""), values, first=not (pos or quoted)),)
        elif isinstance(part, Parameter):
            choices = possible_values(part, values)
        elif isinstance(part, Substitution) and depth < MAX_DEPTH:
            choices = possible_results(part, values, depth)
        if not choices:
            return ()
        most = MAX_POSSIBLE if len(texts) == 1 or len(choices) == 1 else _FEW
        pairs = islice(product(texts, choices), most)
        made = tuple(done + more for done, more in pairs if len(done) + len(more) <= MAX_LENGTH)
        if part_splits(part, quoted=quoted):
            words = choices if quoted else _words_of(choices)
            ended = (*ended, *words, *(done + one for done in texts[:_FEW] for one in words[:_FEW]))
            made = (*made, *words)
        texts = made[:MAX_POSSIBLE]
    return tuple(dict.fromkeys((*texts, *ended)))[:MAX_POSSIBLE]


def _with_home(value: str, values: Values, *, first: bool) -> str:
    home = values.certain.get("HOME")
    return f"{home}{value[1:]}" if first and home and value.startswith("~/") else value


def _words_of(choices: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for choice in choices for word in choice.split()))


def possible_results(substitution: Substitution, values: Values, depth: int = 0) -> tuple[str, ...]:
    """What a substitution may give: what files say that it prints, or what it makes of texts."""
    from laconic.knowledge.streams import rare_first, sequence_output  # noqa: PLC0415 - it asks for words, too

    if substitution.style not in ("$(", "`") or depth >= MAX_DEPTH:
        return ()
    texts = sequence_output(substitution.body, values, depth + 1)
    whole = [known.rstrip("\n") for known in texts]
    lines = [line for known in whole for line in rare_first(known.split("\n"), MAX_POSSIBLE)]
    return tuple(dict.fromkeys([*whole, *lines]))
