"""Frames of Go, Rust, Ruby, PHP, .NET and of native code, as their tools print them."""

from __future__ import annotations

from laconic.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

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
    r"==\d+== (?P<start>\s+(?:at|by)) 0x[0-9A-F]+: (?P<rest>(?P<name>\S.*?) \((?P<place>.*)\))"
)
_OF_SYSTEM = pattern(
    r"\(?(?:/usr/|/lib/|/lib64/|/opt/|\.\./sysdeps/|\.\./csu/|\./\w+/|(?:\.\./)+\w*\.?src/|\?\?).*"
    r"|in /usr/.*|.*\.(?:so)(?:[.\d]*)?\)?|.*/libsanitizer/.*"
)
# What the C library has in files of its own, which valgrind names without their directories.
_OF_LIBC = pattern(
    r"__\w+|_IO_\w+|_i(?:toa|nt)_\w+|v?[fsd]?n?printf|f?put[cs]|putchar|scanf|qsort\w*"
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
_DOTNET = pattern(r"\s+at (?P<name>[\w.`<>+\[\]|-]+\(.*\))(?: in (?P<path>.+):line \d+)?")
_OF_DOTNET = pattern(r"(?:System|Microsoft|Xunit|NUnit|MSTest|Moq|FluentAssertions)\..*")

OF_JAVA = pattern(
    r"(?:java|javax|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|jakarta|org\.junit|org\.testng"
    r"|org\.opentest4j|org\.hamcrest|org\.assertj|org\.mockito|org\.apache|org\.gradle"
    r"|org\.springframework|org\.hibernate|org\.eclipse|org\.jboss|io\.netty|reactor|akka"
    r"|junit|worker\.org\.gradle|app//org\.junit|java\.base|org\.codehaus)[./].*"
)


class Found:
    """A frame that was read: how many lines it has, and what is shown of them.

    is_of_panic: it is in every trace of a panic.
    """

    __slots__ = ("height", "is_foreign", "is_of_panic", "text")

    def __init__(self, height: int, text: str, *, is_foreign: bool) -> None:
        self.height, self.text, self.is_foreign = height, text, is_foreign
        self.is_of_panic = is_foreign and _OF_PANIC.fullmatch(text) is not None


def read_frame(line: Callable[[int], str]) -> Found | None:
    """Read the frame that begins with line(0), if it is one; lines before it may be asked for."""
    text = line(0)
    for read in (_of_go, _of_rust, _of_native, _of_script):
        if found := read(text, line):
            return found
    return None


def _of_go(text: str, line: Callable[[int], str]) -> Found | None:
    place = _GO_PLACE.fullmatch(line(1))
    match = _GO.fullmatch(text) if place else None
    if match is None or place is None:
        return None
    values = match["values"]
    if values and _ADDRESSES.fullmatch(values):  # which tell a reader nothing
        text = f"{text[: match.start('values')]}...{text[match.end('values') :]}"
    is_foreign = bool(_OF_GO.fullmatch(place["path"]))
    return Found(2, f"{text} {place['path']}:{place['line']}", is_foreign=is_foreign)


def _of_rust(text: str, line: Callable[[int], str]) -> Found | None:
    match = _RUST.fullmatch(text)
    if match is None:
        return None
    place = _RUST_PLACE.fullmatch(line(1))
    if place:
        is_foreign = bool(_OF_RUST.fullmatch(place["path"])) or _starts_test(match["name"], line)
        return Found(2, f"{text} {line(1).strip()}", is_foreign=is_foreign)
    return Found(1, text, is_foreign=True) if _NAME_OF_RUST.fullmatch(match["name"]) else None


def _starts_test(name: str, line: Callable[[int], str]) -> bool:
    """Tell whether a frame is the closure that calls a test: it is right below the test's frame.

    A closure of the test's own is above it.
    """
    called = _RUST.fullmatch(line(-2))
    return called is not None and name == f"{called['name']}{_CLOSURE}"


def _of_native(text: str, line: Callable[[int], str]) -> Found | None:
    del line
    if match := _SANITIZER.fullmatch(text) or _OF_THREAD.fullmatch(text):
        is_foreign = bool(_OF_SYSTEM.fullmatch(match["path"])) or _is_start(match["name"])
        return Found(1, f"{match['start']} {match['rest']}", is_foreign=is_foreign)
    if match := _VALGRIND.fullmatch(text):
        is_foreign = bool(_OF_SYSTEM.fullmatch(match["place"])) or _is_start(match["name"])
        is_foreign = is_foreign or _OF_LIBC.fullmatch(match["name"]) is not None
        return Found(1, f"{match['start']} {match['rest']}", is_foreign=is_foreign)
    return None


def _is_start(name: str | None) -> bool:
    return bool(name) and _START.fullmatch(name or "") is not None


def is_of_library(place: str) -> bool:
    """Tell whether a file of Ruby or PHP, or a class of Java, is not the project's own."""
    return any(form.fullmatch(place) for form in (_OF_RUBY, _OF_PHP, OF_JAVA))


def _of_script(text: str, line: Callable[[int], str]) -> Found | None:
    del line
    for form, foreign in ((_RUBY, _OF_RUBY), (_PHP, _OF_PHP)):
        if match := form.fullmatch(text):
            return Found(1, text, is_foreign=bool(foreign.fullmatch(match["path"])))
    if (match := _DOTNET.fullmatch(text)) and (match["path"] or _OF_DOTNET.match(match["name"])):
        is_foreign = bool(_OF_DOTNET.fullmatch(match["name"])) and not match["path"]
        return Found(1, text, is_foreign=is_foreign)
    return None
