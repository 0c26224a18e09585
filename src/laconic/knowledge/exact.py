"""Options that ask a command for output which must not be changed.

Another program reads such output, or a person who wants to see all of it.
"""

from __future__ import annotations

from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.knowledge.arguments import Argument

_OPTION = pattern(
    r"--(?:json|porcelain|null|print0|format|jq|template|message-format|output-format|help|version)"
    r"(?:=.*)?|-z|-0|-print0|-printf|--pretty=t?format:.*|--reporter=json|--junit-?xml(?:=.*)?"
    r"|(?:-o=?|--output=)"
    r"(?:json|yaml|name|wide|text|tsv|jsonl|csv|xml|jsonpath.*|go-template.*|custom-.*)"
)
_FORMATS = frozenset("json yaml name wide tsv jsonl ndjson csv xml".split())


def exact_option(arguments: list[Argument]) -> str:
    """Give the first option of a command that asks for it, with its value; else an empty text."""
    for pos, argument in enumerate(arguments[1:], 1):
        text = argument.text
        if not text or text[0] != "-":
            continue
        if _OPTION.fullmatch(text):
            return text
        if text in ("-o", "--output") and pos + 1 < len(arguments):
            following = arguments[pos + 1].text or ""
            if following.partition("=")[0] in _FORMATS:
                return f"{text} {following}"
    return ""
