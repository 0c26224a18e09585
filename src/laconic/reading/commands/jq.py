"""jq, jaq and yq: no filter can run a program or write a file, as far as tables allow options.

Unsafe: reading secrets, as an input, by an option or in the filter itself (`load(".env")` of yq,
`import`); the environment, which `env` and `$ENV` hold as a whole. The first operand is the filter
unless -f names a file.
"""

from __future__ import annotations

import re

from laconic.knowledge.arguments import Argument
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.reading.places import joined
from laconic.reading.secret_files import is_secret_variable
from laconic.types import Effect

_SKIPPED = {"--arg": 2, "--argjson": 2, "--indent": 1, "-L": 1}
_NAMED_FILES = ("--slurpfile", "--rawfile", "--argfile")
_FROM_FILE = pattern(r"--from-file|-[A-Za-z]*f[A-Za-z]*")
_TEXT = r'"(?:[^"\\]|\\[^(])*"'  # without `\(`, behind which stands a filter
# The whole environment, or one variable of it; `.env`, `env:` and `{env}` are keys of the input.
_ENVIRONMENT = pattern(
    rf"""\$ENV\b(?:\.(\w+)|\[\s*"(\w+)"\s*\])? | (?<![\w.$@{{"])env\b(?!\s*[:"\w(])(?:\.(\w+))?
    | (?<![\w.$])(?:str)?env\(\s*(\w+)\s*\) | (?<![\w.$])envsubst\b | {_TEXT}""",
    re.VERBOSE,
)
_READS = pattern(r"(?<![\w.$@])(?:load\w*\s*\(|(?:import|include)\s*\")")
_NAMED = pattern(r'"([^"\\\n]+)"')


def judge(call: Call) -> None:
    if call.path[0] not in ("jq", "gojq"):
        parsed = call.parsed
        for given in (*parsed.operands[:1], *parsed.values("--expression")):
            _judge_filter(call, given)
        return
    todo = list(reversed(call.arguments))
    has_filter = any(_FROM_FILE.fullmatch(word.leading) for word in todo)
    while todo:
        word = todo.pop()
        if word.text in _NAMED_FILES:
            file = todo[-2:-1]
            del todo[-2:]
            for named in file:
                call.reads(named)
        elif word.text in _SKIPPED:
            del todo[-_SKIPPED[word.text] :]
        elif word.leading.startswith("-"):
            if _FROM_FILE.fullmatch(word.leading) and todo:
                _judge_file(call, todo[-1])
        elif has_filter:
            call.reads(word)
        else:
            _judge_filter(call, word)
            has_filter = True


def _judge_file(call: Call, file: Argument) -> None:
    """The filter that stands in a file, as far as it can be read now."""
    for directory in call.situation.directories:
        text = call.judge.facts.text(joined(directory, file.text or "")) if file.text else None
        if text is not None:
            _judge_filter(call, Argument(text, file.start, file.end))


def _judge_filter(call: Call, text: Argument) -> None:
    """In a filter that is not known, values may stand, but not the names of functions."""
    known = text.leading if text.text is None else text.text
    if _READS.search(known):
        call.does(Effect.UNKNOWN, "reads", "the filter reads files", text)
        for path in _NAMED.findall(known):
            call.reads(Argument(path, text.start, text.end))
    for found in _ENVIRONMENT.finditer(known):
        name = next(filter(None, found.groups()), "")
        if found[0][0] != '"' and (not name or is_secret_variable(name)):
            call.does(
                Effect.SECRETS, "environment", "prints the environment, secrets among it", text
            )
            return
