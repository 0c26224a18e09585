"""Programs that edit files in place: sed, perl, patch, ruff, awk and editors."""

from __future__ import annotations

import os

from laconic.errors import FileError
from laconic.files import read_file
from laconic.patterns import pattern
from laconic.undo.call import texts
from laconic.undo.reach import COPIED, LINKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.undo.call import Call
    from laconic.undo.reach import Reach

_SED = (
    "-n --quiet --silent --debug -e=V --expression=V -f=V --file=V -E -r --regexp-extended"
    " --follow-symlinks -i[=V] --in-place[=V] -l=V --line-length=V --posix -s --separate -u"
    " --unbuffered -z --null-data -b --binary"
)
# `w file`, `W file` and `e` (https://www.gnu.org/software/sed/manual/sed.html); a text that only
# looks like them costs a larger keep.
_SED_WRITES = pattern(r"[wWe](?:\s|$)", 0)
# One substitution or transliteration, whose replacement is not code: perlop(1).
_PERL_HARMLESS = pattern(r"\s*(?:s|tr|y)([/|#,!]).*\1[gimsxor]*;?\s*", 0)
_PERL_FLAGS = frozenset("pnlawsWXtTuUcv0123456789")
_MOST_DIFF_BYTES = 64 << 20


def sed(call: Call, reach: Reach) -> None:
    parsed = call.read(_SED)
    for _, problem in parsed.problems:
        call.doubt(reach, problem)
    scripts = texts(parsed.values("-e", "--expression"))
    operands = texts(parsed.operands)
    if not parsed.has("-e", "--expression", "-f", "--file"):
        scripts, operands = operands[:1], operands[1:]
    if parsed.has("-f", "--file") or any(map(_SED_WRITES.search, scripts)):
        call.doubt(reach, "its script may write files or run programs")
    if not parsed.has("-i", "--in-place"):
        return
    suffixes = texts(parsed.values("-i", "--in-place"))
    suffix = suffixes[-1] if suffixes else ""
    for word in operands:
        for path in call.paths(word):
            # With a suffix the old file lives on as the backup.
            reach.add(path, how=COPIED if suffix else LINKED)
            if parsed.has("--follow-symlinks"):
                reach.add(os.path.realpath(path))
            if suffix:
                folder, name = os.path.split(path)
                backup = suffix.replace("*", name) if "*" in suffix else f"{name}{suffix}"
                reach.add(os.path.join(folder, backup))


def perl(call: Call, reach: Reach) -> None:
    """`perl -i.bak -pe CODE FILE`: only plain substitutions are known not to do anything else."""
    suffix: str | None = None
    is_known = True
    codes: list[str] = []
    operands: list[str] = []
    words = iter(call.words[1:])
    for word in words:
        if not word.startswith("-") or word == "-" or operands:
            operands.append(word)
        elif word == "--":
            operands += words
        else:
            rest = word[1:]
            while rest:
                letter, rest = rest[0], rest[1:]
                if letter in "eE":
                    codes.append(rest or next(words, ""))
                    rest = ""
                elif letter == "i":
                    suffix, rest = rest, ""
                elif letter not in _PERL_FLAGS:
                    is_known, rest = False, ""
    if not is_known or not codes or not all(map(_PERL_HARMLESS.fullmatch, codes)):
        call.doubt(reach, "its code may do anything")
    if suffix is None:
        return
    for word in operands:
        for path in call.paths(word):
            reach.add(path, how=COPIED if suffix else LINKED)
            if suffix:
                folder, name = os.path.split(path)
                backup = suffix.replace("*", name) if "*" in suffix else f"{name}{suffix}"
                reach.add(os.path.join(folder, backup))


def awk(call: Call, reach: Reach) -> None:
    """A program may write files and run others; one without `>`, `|` and calls cannot."""
    is_plain = not any(
        word.startswith("-") and word[:2] not in ("-F", "-v") for word in call.words[1:]
    ) and not any(set(">|@").intersection(w) or "system" in w for w in call.words[1:])
    if not is_plain:
        call.doubt(reach, "its program may write files")


def file_type(call: Call, reach: Reach) -> None:
    """`file`, which reads; with -C it compiles a list of kinds: man 1 file."""
    if any(word[:1] == "-" and ("C" in word or "compile" in word) for word in call.words[1:]):
        call.doubt(reach, "it may compile a file of its own")


def tree(call: Call, reach: Reach) -> None:
    """`tree`, which reads; -o and -R write its list: man 1 tree."""
    if any(word[:1] == "-" and {"o", "R"}.intersection(word) for word in call.words[1:]):
        call.doubt(reach, "it may write what it lists")


def trap(call: Call, reach: Reach) -> None:
    if call.words[1:2] not in ([], ["-"], [""], ["-p"], ["-l"]):
        call.doubt(reach, "what it runs later is not followed")


def in_place(call: Call, reach: Reach) -> None:
    """An editor: it writes its files in place, with swap and backup files beside them."""
    for word in call.words[1:]:
        if word[:1] in "-+":
            continue
        for path in call.paths(word):
            reach.add_followed(path)
            folder, name = os.path.split(path)
            reach.add(os.path.join(folder, f".{name}.sw"), prefix=True)
            reach.add(f"{path}~")
    call.doubt(reach, "its commands may do anything")


_RUFF = (
    "-q --quiet -v --verbose -s --silent --fix --unsafe-fixes --no-unsafe-fixes --select=V"
    " --ignore=V --extend-select=V --fixable=V --config=V --isolated --line-length=V --preview"
    " --no-preview -n --no-cache --cache-dir=TREE --exclude=V --target-version=V --exit-zero"
    " --output-format=V --check --diff --force-exclude --respect-gitignore -e --show-fixes"
    " --add-noqa -w --watch"
)


_RUFF_READS = frozenset("rule config linter version help".split())


def ruff(call: Call, reach: Reach) -> None:
    parsed = call.read(_RUFF)
    for _, problem in parsed.problems:
        call.doubt(reach, problem)
    operands = texts(parsed.operands)
    if operands[:1] not in (["format"], ["check"]):
        if operands and operands[0] not in _RUFF_READS:
            call.doubt(reach, f"{operands[0]} is not known")
        return
    is_written = operands[0] == "format" or parsed.has("--fix", "--add-noqa")
    if is_written and not parsed.has("--diff", "--check"):
        for word in operands[1:] or ["."]:
            call.tree(reach, word)
    if not parsed.has("-n", "--no-cache"):
        for place in {call.directory, call.project or call.directory}:
            reach.add(os.path.join(place, ".ruff_cache"), deep=True)


# -- differences -----------------------------------------------------------------------------------


def patch(call: Call, reach: Reach) -> None:
    parsed = call.read(
        "-p=V --strip=V -i=V --input=V -R --reverse -N --forward -s --quiet --silent -b --backup"
        " -f --force -t --batch -u --unified -E --remove-empty-files -d=V --directory=V -o=FILE"
        " --output=FILE -r=FILE --reject-file=FILE --dry-run -l --ignore-whitespace -F=V --fuzz=V"
        " --binary -V=V --version-control=V -z=V --suffix=V --no-backup-if-mismatch --verbose -c"
        " --posix --merge"
    )
    for _, problem in parsed.problems:
        call.doubt(reach, problem)
    if parsed.has("--dry-run"):
        return
    folders = texts(parsed.values("-d", "--directory"))
    folder = call.path(folders[-1]) if folders else call.directory
    operands = texts(parsed.operands)
    given = texts(parsed.values("-i", "--input"))[-1:] or operands[1:2]
    # It enters the directory before it opens any file: man 1 patch, -d.
    source = os.path.join(folder, given[0]) if given else call.stdin
    paths = [os.path.join(folder, name) for name in operands[:1]]
    if not operands:
        strip = texts(parsed.values("-p", "--strip"))
        for name in names_in_diff(source):
            parts = name.split("/")
            cuts = range(len(parts)) if not strip else [_number(strip[-1], len(parts))]
            paths += [os.path.join(folder, *parts[cut:]) for cut in cuts]
        if not paths:
            call.doubt(reach, "the names in the patch are not known")
    outputs = [
        os.path.join(folder, option.value.text or "")
        for option in parsed.options
        if option.role == "FILE" and option.value is not None
    ]
    suffixes = (".orig", ".rej", "~", *texts(parsed.values("-z", "--suffix")))
    for path in (*paths, *outputs):
        reach.add_followed(path)
        reach.add(f"{path}.~", prefix=True)  # numbered backups
        for suffix in suffixes:
            reach.add(f"{path}{suffix}")


def _number(text: str, count: int) -> int:
    return min(int(text), count - 1) if text.isdigit() else 0


def names_in_diff(path: str) -> list[str]:
    """Return every name that the headers of a patch mention, with its prefix; none if not known."""
    seen = set()
    try:
        lines = read_file(path, _MOST_DIFF_BYTES).split(b"\n") if path else []
    except FileError:
        return []
    for line in lines:
        name = b""
        if line.startswith((b"--- ", b"+++ ")):
            name = line[4:].split(b"\t")[0]
        elif line.startswith((b"rename from ", b"rename to ", b"copy from ", b"copy to ")):
            name = b"x/" + line.split(b" ", 2)[2]  # these have no prefix
        elif line.startswith(b"diff --git "):
            for half in line[11:].split(b" b/"):
                name = half if half.startswith(b"a/") else b"b/" + half
                seen.add(_unquoted(name))
        if name and name != b"/dev/null":
            seen.add(_unquoted(name))
    return sorted(seen)


_ESCAPE = pattern(rb"\\([0-7]{3}|.)", 0)
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"v": b"\v"}


def _unquoted(name: bytes) -> str:
    """Undo git's way to write unusual names: core.quotePath in man 1 git-config."""
    name = name.strip(b"\r")
    if name.startswith(b'"') and name.endswith(b'"'):
        name = _ESCAPE.sub(
            lambda found: (
                bytes([int(found[1], 8)])
                if len(found[1]) == 3  # noqa: PLR2004 - three octal digits
                else _LETTERS.get(found[1], found[1])
            ),
            name[1:-1],
        )
    return os.fsdecode(name)
