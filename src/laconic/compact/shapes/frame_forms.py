"""Frames of stack traces, as languages and their tools print them: where, and whose they are.

https://nodejs.org/api/errors.html#errorstack describes the lines of a stack of JavaScript.
"""

from __future__ import annotations

from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_PYTHON = pattern(r'\s*File "(?P<path>[^"]+)", line \d+(?:, in .*)?')
_JAVA = pattern(r"\s+at (?P<path>[\w.$/@]+(?:<init>|<clinit>|[\w$]+))\([^()]*\)(?: ~?\[.*\])?")
_MORE = pattern(
    r"\s+\.\.\. \d+ (?:more|common frames omitted|lines matching cause stack trace \.\.\.)"
)
_CARETS = pattern(r"\s+[\^~]+[\^~ ]*")
# What each line of a trace may begin with: in a group of exceptions, in an internal error of
# pytest, in the log of a container.
LEAD = pattern(r"INTERNALERROR> |(?: *\| )+|[\w.-]+ +\| ")
# A script that is passed to Python as an argument begins in its module, and may have functions;
# what a package makes and runs has only these.
OF_ARGUMENT = pattern(r'File "<string>", line \d+, in <module>')
# The file that Django generates to start its commands: it is the project's, but nobody edits it.
_STARTER = pattern(r"(?:.*/)?manage\.py")
# `example.org/queue.Pop(0xc0000a, 0x1)` and the place below it; the race detector indents both.
_GO = pattern(
    r"\s*(?P<name>[\w./*()\[\]{}~-]+)\((?P<values>.*)\)(?: in goroutine \d+)?"
    r"|\s*created by (?P<creator>\S+)(?: in goroutine \d+)?"
)
_GO_PLACE = pattern(r"\s+(?P<path>\S+\.(?:go|s)):(?P<line>\d+)(?: \+0x[0-9a-f]+)?")
_OF_GO = pattern(
    r".*(?:/go/pkg/mod/|/usr/local/go/src/|/usr/lib/go(?:-[\d.]+)?/|/go/src/runtime/"
    r"|/go\d[\w.]*/src/).*|_testmain\.go|_cgo_gotypes\.go"
)
_ADDRESSES = pattern(r".*\b0x[0-9a-f]+.*")
_RUST = pattern(r"\s+(?P<number>\d+): (?:0x[0-9a-f]+ - )?(?P<name>\S.*)")
_RUST_PLACE = pattern(r"\s+at (?P<path>\S+?):\d+(?::\d+)?")
_OF_RUST = pattern(r"/rustc/[0-9a-f]{40}/.*|.*/(?:\.cargo/registry|rustlib)/.*")
_NAME_OF_RUST = pattern(
    r"(?:std|core|alloc|__rustc|rust_begin|_start|__libc|main$|tokio|test)(?:::|_|\b).*|__.*"
)
_CLOSURE = "::{{closure}}"
# What runs when a program panics, whatever the reason.
_OF_PANIC = pattern(
    r"\s+\d+: (?:0x[0-9a-f]+ - )?(?:__rustc::|rust_begin_unwind|(?:core|std)::panicking::"
    r"|std::sys::|core::(?:option|result)::\w+_failed).*|\s*(?:panic|runtime\.\w+)\(.*"
)
# `    #1 0x55d in main /src/x.c:7:3` of a sanitizer or a debugger
_SANITIZER = pattern(
    r"(?P<start>\s+#\d+) 0x[0-9a-f]+ (?P<rest>(?:in (?P<name>\S.*?) )?(?P<path>\(?[\w./+~-]*/\S+))"
)
# `    #1 main /src/x.c:7 (x+0x12a6)` of the sanitizer of threads
_OF_THREAD = pattern(
    r"(?P<start>\s+#\d+) (?P<rest>(?P<name>\S.*?) (?P<path>[\w./+~-]*/[^\s()]+))"
    r" \([\w./+-]+\+0x[0-9a-f]+\)(?: \(BuildId: \w+\))?"
)
# `==7==    by 0x1091: main (x.c:7)` of valgrind
_VALGRIND = pattern(
    r"==\d+== (?P<start>\s+(?:at|by)) 0x[0-9A-F]+: (?P<rest>(?P<name>\S.*?) \((?P<path>.*)\))"
)
_OF_SYSTEM = pattern(
    r"\(?(?:/usr/|/lib/|/lib64/|/opt/|\.\./sysdeps/|\.\./csu/|\./\w+/|(?:\.\./)+\w*\.?src/|\?\?).*"
    r"|in /usr/.*|.*\.(?:so)(?:[.\d]*)?\)?|.*/libsanitizer/.*"
)
# What the C library has in files of its own, which valgrind names without their directories.
_OF_LIBC = pattern(
    r"_start|\(below main\)|start_thread|clone\d?|_dl_\w+|__\w+"
    r"|_IO_\w+|_i(?:toa|nt)_\w+|v?[fsd]?n?printf|f?put[cs]|putchar|scanf|qsort\w*"
    r"|f(?:write|read|close|flush|gets)"
    r"|(?:mem|str)(?:n?cpy|n?cmp|len|chr|set|move|n?cat|dup)\w*|ato[ilf]|strto\w+|exit|abort|raise"
)
_START = pattern(r"_start|__libc_start\w*|\(below main\)|start_thread|clone\d?|__GI_\w+|_dl_\w+")
# `# ./lib/cart.rb:5:in `add'`, `from x.rb:3:in 'Cart#add'`
_RUBY = pattern(r"\s*(?:# |from )?(?P<path>[\w./@+~-]*[\w./-]):\d+:in [`'].*'")
# A container may have the project itself in /usr/src/app.
_OF_RUBY = pattern(
    r"/usr/(?!src/|local/src/).*|.*/(?:gems|rubygems|\.rbenv|\.rvm|\.asdf)/.*|<internal:.*"
)
_PHP = pattern(
    r"\s*#\d+ (?P<path>\{main\}|\[internal function\](?=: )"
    r"|(?:[^\s()]+\.php|/[^\s()]+)(?=\(\d+\): )).*"
)
_OF_PHP = pattern(r".*/vendor/.*|/usr/(?!src/|local/src/).*|phar:.*|\{main\}|\[internal function\]")
_DOTNET = pattern(
    r"\s+at [\w.`<>+\[\]|-]+\(.*\) in (?P<path>.+):line \d+"
    r"|\s+at (?P<name>(?:System|Microsoft|Xunit|NUnit|MSTest|Moq|FluentAssertions)\..*\(.*\))"
)

OF_JAVA = pattern(
    r"(?:java|javax|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|jakarta|org\.junit|org\.testng"
    r"|org\.opentest4j|org\.hamcrest|org\.assertj|org\.mockito|org\.apache|org\.gradle"
    r"|org\.springframework|org\.hibernate|org\.eclipse|org\.jboss|io\.netty|reactor|akka"
    r"|junit|worker\.org\.gradle|app//org\.junit|java\.base|org\.codehaus)[./].*"
)
_SCRIPT = pattern(
    r"(?:\s+at:? (?:async )?(?:.*\()?| {4,}(?:async )?[\w.<>$ ]+ \((?=file:|node:|/)| \u276f (?:\S+ )?)(?P<path>(?:file://|node:|/|\.|[A-Za-z]:|[\w@-]+/|\w)[^()\s]*?)"
    r":\d+(?::\d+)?\)?(?:, <anonymous>:\d+:\d+\))?,?(?: \{)?"
)
_WITHOUT_PLACE = pattern(
    r"\s+at (?:(?:new )?(?:[\w.<>$ ]+ )?\((?:<anonymous>|native)\)"
    r"|async Promise\.\w+ \(index \d+\))(?: \{)?"
)
_ANONYMOUS = "<anonymous>"
_FOREIGN_PATH = pattern(
    r".*(?:site-packages|dist-packages|node_modules|/\.cargo/registry|/rustc/[0-9a-f]{40}"
    r"|/go/pkg/mod|/usr/local/go/src|/usr/lib/go|/lib/python\d|/python\d\.\d+/|/\.pyenv/|/rustlib/)"
    r".*|<frozen .*|<string>|node:.*|internal/.*|/usr/(?:lib/|include/|(?:local/)?bin/).*"
    # what an installer wrote to start a program
    r"|.*/(?:\.?v?env|\.local|virtualenvs/[^/]+|\.[nt]ox/[^/]+)/bin/[\w.-]+"
)


# Forms of one line, with the paths or names, and the names, that are not the project's.
_NONE = pattern(r"(?!)")
_LINES = (
    (_SANITIZER, _OF_SYSTEM, _START),
    (_OF_THREAD, _OF_SYSTEM, _START),
    (_VALGRIND, _OF_SYSTEM, _OF_LIBC),
    (_RUBY, _OF_RUBY, _NONE),
    (_PHP, _OF_PHP, _NONE),
    (_DOTNET, _NONE, pattern(r".+")),
    (_JAVA, OF_JAVA, _NONE),
)


class Frame:
    """A frame of a trace: how many lines it has, and how many of these are shown if it is.

    lines: their indexes. text: what is shown in place of them, if it is one line. is_script: it is
    one of JavaScript. is_last: the innermost frame of such a trace comes last. is_starter: it is
    the project's, yet not shown where another of them is.
    """

    __slots__ = (
        "height", "is_foreign", "is_last", "is_script", "is_starter", "lines", "shown", "text",
    )  # fmt: skip

    def __init__(
        self, height: int, text: str = "", *, is_foreign: bool, shown: int | None = None
    ) -> None:
        self.height, self.text, self.is_foreign = height, text, is_foreign
        self.shown = height if shown is None else shown
        self.lines: list[int] = []
        self.is_last = self.is_script = self.is_starter = False

    @property
    def kept(self) -> list[int]:
        return self.lines[: self.shown]


def read_frame(line: Callable[[int], str]) -> Frame | None:
    """Read the frame that begins with line(0), if it is one; lines before it may be asked for."""
    text = line(0)
    if not text.strip():
        return None
    reads = (_of_python, _of_go, _of_rust, _of_line, _of_script)
    return next((frame for read in reads if (frame := read(text, line))), None)


def _of_python(text: str, line: Callable[[int], str]) -> Frame | None:
    """Read a place, the source below it if it is there, and the carets below that."""
    lead = match[0] if (match := LEAD.match(text)) else ""
    place = _PYTHON.fullmatch(text.removeprefix(lead))
    if place is None:
        return None
    source = line(1).removeprefix(lead) if line(1).startswith(lead) else ""
    has_source = source.startswith("    ") and source.strip() and not _PYTHON.fullmatch(source)
    has_carets = line(2).startswith(lead) and _CARETS.fullmatch(line(2).removeprefix(lead))
    height = (3 if has_carets else 2) if has_source else 1
    is_foreign = is_foreign_path(place["path"]) and not OF_ARGUMENT.search(text)
    frame = Frame(height, is_foreign=is_foreign, shown=min(height, 2))
    frame.is_last = True
    frame.is_starter = _STARTER.fullmatch(place["path"]) is not None
    return frame


def _told(height: int, text: str, *, is_foreign: bool) -> Frame:
    """A frame in one line; what is in every trace of a panic is not shown."""
    is_of_panic = is_foreign and _OF_PANIC.fullmatch(text) is not None
    return Frame(height, text, is_foreign=is_foreign, shown=0 if is_of_panic else height)


def _of_go(text: str, line: Callable[[int], str]) -> Frame | None:
    place = _GO_PLACE.fullmatch(line(1))
    match = _GO.fullmatch(text) if place else None
    if match is None or place is None:
        return None
    values = match["values"]
    if values and _ADDRESSES.fullmatch(values):  # which tell a reader nothing
        text = f"{text[: match.start('values')]}...{text[match.end('values') :]}"
    is_foreign = bool(_OF_GO.fullmatch(place["path"]))
    return _told(2, f"{text} {place['path']}:{place['line']}", is_foreign=is_foreign)


def _of_rust(text: str, line: Callable[[int], str]) -> Frame | None:
    match = _RUST.fullmatch(text)
    if match is None:
        return None
    place = _RUST_PLACE.fullmatch(line(1))
    if place:
        is_foreign = bool(_OF_RUST.fullmatch(place["path"])) or _starts_test(match["name"], line)
        return _told(2, f"{text} {line(1).strip()}", is_foreign=is_foreign)
    return _told(1, text, is_foreign=True) if _NAME_OF_RUST.fullmatch(match["name"]) else None


def _starts_test(name: str, line: Callable[[int], str]) -> bool:
    """Tell whether a frame is the closure that calls a test: it is right below the test's frame.

    A closure of the test's own is above it.
    """
    called = _RUST.fullmatch(line(-2))
    return called is not None and name == f"{called['name']}{_CLOSURE}"


def _of_line(text: str, line: Callable[[int], str]) -> Frame | None:
    """Read a frame of one line, which tells by a path or a name whose it is."""
    del line
    if _MORE.fullmatch(text):
        return Frame(1, is_foreign=True, shown=0)
    for form, foreign, names in _LINES:
        if match := form.fullmatch(text):
            groups = match.groupdict("")
            name = groups.get("name", "")
            is_foreign = foreign.fullmatch(groups.get("path") or name) or names.fullmatch(name)
            told = f"{groups['start']} {groups['rest']}" if "rest" in groups else ""
            return Frame(1, told, is_foreign=is_foreign is not None)
    return None


def is_of_library(place: str) -> bool:
    """Tell whether a file of Ruby or PHP, or a class of Java, is not the project's own."""
    return any(form.fullmatch(place) for form in (_OF_RUBY, _OF_PHP, OF_JAVA))


def _of_script(text: str, line: Callable[[int], str]) -> Frame | None:
    del line
    place = read_place(text)
    if place is None:
        return None
    frame = Frame(1, is_foreign=place.is_foreign, shown=0 if place.text.startswith("node:") else 1)
    frame.is_script = place.is_known
    return frame


class Place:
    """Where a frame is, as it is written, and whether the code there is not the project's."""

    __slots__ = ("is_foreign", "text")

    def __init__(self, text: str, *, is_foreign: bool) -> None:
        self.text, self.is_foreign = text, is_foreign

    @property
    def is_known(self) -> bool:
        return self.text != _ANONYMOUS


def read_place(text: str) -> Place | None:
    """Read the place of a frame; None if the line is not a frame."""
    if _WITHOUT_PLACE.fullmatch(text):
        return Place(_ANONYMOUS, is_foreign=True)
    match = _SCRIPT.fullmatch(text)
    if match is None:
        return None
    written = text[match.start("path") :].rstrip(" {,").rstrip(")")
    return Place(written, is_foreign=is_foreign_path(match["path"].removeprefix("file://")))


def is_foreign_path(path: str) -> bool:
    """Tell whether a file belongs to a library, to the language or to an installation."""
    return _FOREIGN_PATH.fullmatch(path) is not None
