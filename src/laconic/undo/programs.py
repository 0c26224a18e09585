"""What programs change, by their arguments: one line per program, and handlers for the others.

An option that is not listed is a doubt: then everything around is kept, where that is cheap.
Operands: TREE a path with all that is below it, FILE a file that is opened for writing, NAME the
path itself, READ nothing. A hard link is a safe copy only where the program unlinks or renames.
"""

from __future__ import annotations

from laconic.undo import archives, changes, editors, finding
from laconic.undo.call import texts
from laconic.undo.reach import COPIED, DRESSED, LINKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from laconic.undo.call import Call
    from laconic.undo.reach import Reach

TREE, FILE, NAME, READ = "TREE", "FILE", "NAME", "READ"


class Form:
    """A program that changes nothing but what its words name.

    An operand that is not a path, as the mode of chmod, does no harm: nothing is there. An option
    with the role FILE, NAME or TREE names a path as well.
    """

    __slots__ = ("how", "operands", "options", "single")

    def __init__(
        self, operands: str, options: str, how: str = COPIED, *, single: bool = False
    ) -> None:
        self.operands, self.options, self.how, self.single = operands, options, how, single


_OWNER = (
    "-c --changes -f --silent --quiet -v --verbose --dereference -h --no-dereference --from=V"
    " --preserve-root --no-preserve-root --reference=V -R --recursive -H -L -P"
)
FORMS = {
    "rm": Form(
        TREE,
        "-f --force -i -I --interactive[=V] -r -R --recursive -d --dir -v --verbose"
        " --one-file-system --preserve-root[=V] --no-preserve-root",
        LINKED,
    ),
    "rmdir": Form(TREE, "-p --parents -v --verbose --ignore-fail-on-non-empty", LINKED),
    "unlink": Form(NAME, "", LINKED),
    "shred": Form(
        FILE,
        "-f --force -n=V --iterations=V --random-source=V -s=V --size=V -u --remove[=V] -v"
        " --verbose -x --exact -z --zero",
    ),
    "chmod": Form(
        TREE,
        "-c --changes -f --silent --quiet -v --verbose -R --recursive --reference=V"
        " --preserve-root --no-preserve-root -r -w -x -X -s -t -u -g -o -a",
        DRESSED,
    ),
    "chown": Form(TREE, _OWNER, DRESSED),
    "chgrp": Form(TREE, _OWNER, DRESSED),
    "setfattr": Form(NAME, "-n=V --name=V -v=V --value=V -x=V --remove=V -h --no-dereference"),
    "setfacl": Form(
        TREE, "-m=V --modify=V -x=V --remove=V -b --remove-all -k --remove-default -R --recursive"
    ),
    "chattr": Form(TREE, "-R -V -f"),
    "touch": Form(
        FILE,
        "-a -c --no-create -d=V --date=V -f -h --no-dereference -m -r=V --reference=V -t=V"
        " --time=V",
        DRESSED,
    ),
    "truncate": Form(FILE, "-c --no-create -o --io-blocks -r=V --reference=V -s=V --size=V"),
    "fallocate": Form(
        FILE, "-c -d -i -l=V --length=V -n -o=V --offset=V -p -v -x -z --dig-holes --posix"
    ),
    "tee": Form(FILE, "-a --append -i --ignore-interrupts -p --output-error[=V]"),
    "sponge": Form(FILE, "-a"),
    "mkdir": Form(NAME, "-m=V --mode=V -p --parents -v --verbose"),
    "mkfifo": Form(NAME, "-m=V --mode=V"),
    "dos2unix": Form(TREE, "-k --keepdate -q --quiet -o --oldfile -f --force -s --safe -ascii"),
    "unix2dos": Form(TREE, "-k --keepdate -q --quiet -o --oldfile -f --force -s --safe -ascii"),
    "sort": Form(
        READ,
        "-b -d -f -g -i -M -h -n -R -r -V -c -C -k=V --key=V -m -o=FILE --output=FILE -s -S=V"
        " --buffer-size=V -t=V --field-separator=V -T=V -u --unique --parallel=V -z --numeric-sort"
        " --reverse --ignore-case --stable --version-sort --human-numeric-sort --zero-terminated",
    ),
    "shuf": Form(
        READ, "-e --echo -i=V -n=V -o=FILE --output=FILE -r --repeat -z --random-source=V"
    ),
    "black": Form(
        TREE,
        "-q --quiet -v --verbose -l=V --line-length=V -t=V --target-version=V --fast --safe -S"
        " --skip-string-normalization -C --skip-magic-trailing-comma --preview --pyi --diff --check"
        " --config=V --include=V --exclude=V --extend-exclude=V --force-exclude=V -W=V --workers=V",
    ),
    "isort": Form(
        TREE,
        "-q --quiet -v --verbose --profile=V -l=V --line-length=V --diff -c --check --check-only -a"
        " --add-import=V --float-to-top --atomic --settings-path=V --sp=V -m=V --multi-line=V --tc",
    ),
    "autopep8": Form(
        TREE, "-i --in-place -r --recursive -a --aggressive -v --max-line-length=V --select=V -d"
    ),
    "yapf": Form(TREE, "-i --in-place -r --recursive -p --parallel --style=V -q --quiet -d"),
    "gofmt": Form(TREE, "-w -l -d -s -e -r=V", single=True),
    "goimports": Form(TREE, "-w -l -d -e -local=V -v", single=True),
    "shfmt": Form(TREE, "-w --write -l -d -s -i=V -bn -ci -sr -ln=V", single=True),
    "clang-format": Form(TREE, "-i --style=V -style=V --sort-includes --verbose -n", single=True),
}
# These write only to their standard output, whatever their options are: none of them has an option
# such as `-exec` or `-o`.
READERS = frozenset(
    "[ : arch b2sum base32 base64 basename bg break cal cat cd cksum cmp column comm continue cut"
    " date df diff dirname du echo egrep exit export expand expr false fg fgrep fmt fold free"
    " getfattr grep groups head hexdump hostname id jobs join kill let local locale logname ls"
    " lsattr lsblk md5sum nl nproc numfmt od paste pathchk pgrep pr printenv printf ps pwd read"
    " readlink readonly realpath return rev seq set sha1sum sha224sum sha256sum sha384sum sha512sum"
    " shift sleep stat stty sum sync tac tail test tr true tsort tty type ulimit umask"
    " uname unexpand unset uptime wait wc which who whoami yes zcat".split()
)
HANDLERS: dict[str, Callable[[Call, Reach], None]] = {
    "cp": changes.copying,
    "mv": changes.moving,
    "ln": changes.linking,
    "install": changes.installing,
    "rename": changes.renaming,
    "dd": changes.dd,
    "split": changes.split,
    "csplit": changes.csplit,
    "uniq": changes.uniq,
    "rsync": changes.rsync,
    "sed": editors.sed,
    "gsed": editors.sed,
    "perl": editors.perl,
    "patch": editors.patch,
    "ruff": editors.ruff,
    "ex": editors.in_place,
    "vi": editors.in_place,
    "vim": editors.in_place,
    "ed": editors.in_place,
    "awk": editors.awk,
    "gawk": editors.awk,
    "mawk": editors.awk,
    "tar": archives.tar,
    "gtar": archives.tar,
    "bsdtar": archives.tar,
    "unzip": archives.unzip,
    "zip": archives.zip_,
    **dict.fromkeys(
        "gzip gunzip bzip2 bunzip2 xz unxz lzma unlzma zstd unzstd lz4 unlz4 compress".split(),
        archives.compress,
    ),
    "find": finding.find,
    "file": editors.file_type,
    "tree": editors.tree,
    "trap": editors.trap,
}


def apply_form(call: Call, form: Form, reach: Reach) -> None:
    """Add what a program of the table names."""
    parsed = call.read(form.options, single=form.single)
    for argument, problem in parsed.problems:
        if form.how == DRESSED and (argument.text or "")[:1] in "-+=":
            continue  # a mode, as in `chmod -w f`
        call.doubt(reach, problem)
    for option in parsed.options:
        if option.role in (FILE, NAME, TREE) and option.value is not None:
            _add(call, reach, option.role, option.value.text or "", form.how)
    for word in texts(parsed.operands):
        _add(call, reach, form.operands, word, form.how)


def _add(call: Call, reach: Reach, role: str, word: str, how: str) -> None:
    if role == TREE:
        call.tree(reach, word, how)
        if how == DRESSED:
            call.file(reach, word, how)  # the mode of what a link leads to
    elif role == FILE:
        call.file(reach, word, how)
    elif role == NAME:
        call.name_only(reach, word, how)
