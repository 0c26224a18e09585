"""grep and its kin: the first operand is a pattern unless -e or -f gives one; the others are read.

Unsafe: nothing in grep itself but reading secrets, by name or somewhere below a directory; rg and
ag leave out hidden and ignored files unless told otherwise. They and ack have tables for options.
"""

from __future__ import annotations

from laconic.knowledge.arguments import Argument
from laconic.knowledge.options import Parsed, Reading, Spec, parse_options
from laconic.reading.call import Call
from laconic.reading.globs import is_chosen

_OPTIONS = Spec("""
  -e=V -f=V -m=V -d=V -D=V -A=V -B=V -C=V -NUM --regexp=V --file=V --max-count=V --directories=V
  --devices=V --after-context=V --before-context=V --context=V --include=V --exclude=V
  --exclude-from=V --exclude-dir=V --label=V --binary-files=V --group-separator=V
  -E -F -G -P -i -y -w -x -z -s -v -V -b -n -H -h -o -q -a -I -r -R -L -l -c -T -Z -U -u *
""")
_NAMES_ONLY = ("-l", "-L", "-c", "-q", "--files-with-matches", "--files-without-match", "--count",
               "--quiet", "--silent", "--files", "--count-matches")  # fmt: skip
_RECURSIVE = ("-r", "-R", "--recursive", "--dereference-recursive")
_UNRESTRICTED = ("-.", "--hidden", "-u", "-uu", "-uuu", "--unrestricted", "--no-ignore",
                 "--no-ignore-vcs", "-U", "--skip-vcs-ignores", "-a", "--all-types")  # fmt: skip


def judge(call: Call) -> None:
    parsed = call.parsed if call.is_parsed else parse_options(call.arguments, Reading(_OPTIONS))
    patterns = parsed.has("-e", "--regexp", "-f", "--file", "--files", "--type-list")
    files = parsed.operands[0 if patterns else 1 :]
    for file in (*files, *parsed.values("-f", "--file", "--exclude-from")):
        call.reads(file)
    for glob in parsed.values("-g", "--glob", "--iglob", "--include"):
        if not glob.leading.startswith("!"):
            call.reads(Argument(glob.text, glob.start, glob.end, leading=glob.leading, glob=True))
    if _searches_all(call.path[0], parsed) and not parsed.has(*_NAMES_ONLY):
        call.reads_trees(files, lambda name: _is_searched(name, parsed))


def _searches_all(program: str, parsed: Parsed) -> bool:
    if program in ("rg", "ag", "ripgrep"):
        return parsed.has(*_UNRESTRICTED) and not parsed.has("-t", "--type")
    return parsed.has(*_RECURSIVE) or "recurse" in {v.text for v in parsed.values("-d")}


def _is_searched(name: str, parsed: Parsed) -> bool:
    """By --include and --exclude of grep, and -g of rg, where the last one that matches counts."""
    included = [value.text or "*" for value in parsed.values("--include")]
    excluded = [value.text or "" for value in parsed.values("--exclude")]
    for glob in parsed.values("-g", "--glob"):
        text = glob.text or "*"
        (excluded if text.startswith("!") else included).append(text.lstrip("!").rpartition("/")[2])
    return is_chosen(name, included, excluded)
