"""fd: searches files.

Unsafe: -x, --exec, -X, --exec-batch (run a command with what was found).
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument
from laconic.knowledge.options import Reading, Spec, parse_options
from laconic.patterns import pattern
from laconic.reading.call import Call
from laconic.types import Effect, Kind

_OPTIONS = Spec("""
  -H --hidden --no-hidden -I --no-ignore --ignore --no-ignore-vcs --ignore-vcs --no-require-git
  --require-git --no-ignore-parent --ignore-parent --no-global-ignore-file -u --unrestricted
  -s --case-sensitive -i --ignore-case -g --glob --regex -F --fixed-strings --literal --and=V
  -a --absolute-path --relative-path -l --list-details -L --follow --no-follow -p --full-path
  -0 --print0 -d=V --max-depth=V --maxdepth=V --min-depth=V --exact-depth=V -E=V --exclude=V --prune
  -t=V --type=V -e=V --extension=V -S=V --size=V --changed-within=V --change-newer-than=V --newer=V
  --changed-after=V --changed-before=V --change-older-than=V --older=V -o=V --owner=V --format=V
  --batch-size=V --ignore-file=READ -c=V --color=V --hyperlink[=V] -j=V --threads=V --max-results=V
  -1 -q --quiet --has-results --show-errors --base-directory=V -C=V --path-separator=V
  --search-path=V --strip-cwd-prefix[=V] --one-file-system --mount --xdev --gen-completions[=V]
  -h --help -V --version
""")
_EXECUTES = ("-x", "--exec", "-X", "--exec-batch")
_FOUND = pattern(r"\{(?:/|//|\.|/\.)?\}")


def judge(call: Call) -> None:
    todo = list(call.arguments)
    while todo:
        cut = next((i for i, word in enumerate(todo) if word.text in _EXECUTES), len(todo))
        parsed = parse_options(todo[:cut], Reading(_OPTIONS))
        for argument, message in parsed.problems:
            call.unlisted(Kind.OPTION, message, argument)
        if parsed.ended:
            return  # after `--` there are no options, only a pattern and paths
        if cut == len(todo):
            return
        end = next((i for i, w in enumerate(todo) if i > cut and w.text == ";"), len(todo))
        _judge_command(call, todo[cut], todo[cut + 1 : end])
        todo = todo[end + 1 :]


def _judge_command(call: Call, option: Argument, words: list[Argument]) -> None:
    if not words:
        call.does(Effect.UNCLEAR, "command", "runs a command that is not known", option)
        return
    found = Argument(
        None, option.start, option.end, leading="", splits=option.text in _EXECUTES[2:]
    )
    filled = [_filled(word, splits=found.splits) for word in words]
    if not any(word.text is not None and _FOUND.search(word.text) for word in words):
        filled.append(found)
    call.runs(filled)


def _filled(word: Argument, *, splits: bool) -> Argument:
    """splits: the word stands for all that was found, as many words."""
    mark = _FOUND.search(word.text or "")
    if mark is None:
        return word
    front = (word.text or "")[: mark.start()]
    return Argument(None, word.start, word.end, leading=front, splits=splits)
