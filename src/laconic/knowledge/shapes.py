"""What a word looks like that is only partly known, with `*` for each part that is not."""

from __future__ import annotations

from itertools import islice, product

from laconic.knowledge.parameters import changed, possible_values
from laconic.patterns import pattern
from laconic.shell.ast import Command, Literal, Parameter, Pattern, Substitution
from laconic.shell.words import literal, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.knowledge.arguments import Values
    from laconic.shell.ast import Part

_GIVES_OPERAND = frozenset((":-", "-", ":=", "=", ":+", "+"))
_EXPANSION = pattern(r"\$\{.*\}|\$\(.*\)|`.*`|\$\w+")
_MAX_SHAPES = 64
_TO_NOTHING = {ord(char): None for char in "'\"\\"}
_TO_SLASHES = {ord(char): "/" for char in "{,}"}


def shapes_of(
    parts: list[tuple[Part, bool]], texts: list[str | None], values: Values
) -> tuple[str, ...]:
    """What a word looks like; each alternative of braces is a name.

    parts: its parts, each with a flag for "quoted". texts: what they give, None if not known.
    """
    shapes: tuple[str, ...] = ("",)
    for (part, quoted), value in zip(parts, texts, strict=True):
        choices: tuple[str, ...] = ("*",)
        if isinstance(part, Literal) and not quoted:
            choices = (text(part.value).translate(_TO_SLASHES),)
        elif value is not None:
            choices = (text(value),)
        elif isinstance(part, Parameter):
            choices = _parameter_shapes(part, values)
        elif isinstance(part, Pattern) or (isinstance(part, Substitution) and _makes_text(part)):
            choices = (".*",)
        pairs = islice(product(shapes, choices), _MAX_SHAPES)
        shapes = tuple(done + more for done, more in pairs)
    return shapes


def _parameter_shapes(part: Parameter, values: Values) -> tuple[str, ...]:
    base = possible_values(
        Parameter(part.start, part.end, part.name, part.prefix, part.index), values
    )
    known = (*base, *values.shapes.get(part.name, ()))[:_MAX_SHAPES]
    if part.name in values.certain:
        known = (values.certain[part.name],)
    if not (part.prefix or part.operator):
        return known or ("*",)
    if part.operator in _GIVES_OPERAND:
        nested = (p for p in part.parts if isinstance(p, Parameter))
        inside = (shape for p in nested for shape in _parameter_shapes(p, values))
        return (*(known or ("*",)), *_operand_shapes(part.operand), *inside)
    made = [changed(part, value) for value in base]
    if base and None not in made and len(base) == len(known):
        return tuple(value for value in made if value is not None)
    if part.operator in ("%", "%%"):
        return tuple(value[:end] for value in known for end in range(len(value) + 1)) or ("*",)
    if part.operator in ("#", "##"):
        return tuple(value[start:] for value in known for start in range(len(value) + 1)) or ("*",)
    # of a text of the line: it may be all of a name, or the rest of one
    return (".*", "*") if known and part.prefix != "#" else ("*",)


def _operand_shapes(operand: str) -> tuple[str, ...]:
    """The text after `:-`, without its quotes."""
    if "$'" in operand:
        return (".*",)
    return (_EXPANSION.sub("*", text(operand)).translate(_TO_NOTHING),)


def _makes_text(substitution: Substitution) -> bool:
    """Tell whether the text comes from the line itself (`$(echo venv. | rev)`), not from a list."""
    if substitution.style not in ("$(", "`"):
        return False
    items = substitution.body.items
    first = items[0].pipelines[0].commands[0] if items else None
    if not isinstance(first, Command):
        return False
    has_text = any(redirect.operator.startswith("<<") for redirect in first.redirects)
    return has_text or (bool(first.words) and literal(first.words[0]) in ("echo", "printf"))
