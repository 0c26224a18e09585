"""What the fast searches of laconic.compact mean, line by line and without haste."""

from __future__ import annotations

import re
from collections.abc import Iterable

from laconic.compact.diagnostics import WORDS

_PLACE = re.compile(
    r"\.[a-z][a-z0-9_]{0,9}(?:[:(][0-9]| line [0-9]+(?![0-9:]))|, line [0-9]|\(line [0-9]+\)(?!\))"
    r"|^[^\s:]*[a-z_]:[0-9]+:",
    re.ASCII,
)
_MISTAKES = r"(?:errors?|fail(?:ed|ures?|ing)?|conflicts?|exceptions?)\b"
_ZEROS = (
    rf"(?<![\w.])0 (?:\w+ )?{_MISTAKES}", rf"(?<!\w)no (?:\w+ )?{_MISTAKES}",
    r"errors?[=:] ?0(?![\w.])", r"fail(?:ed|ures?)[=:] ?0(?![\w.])",
)  # fmt: skip
_PACKAGES = (
    "Compiling", "Checking", "Downloading", "Downloaded", "Collecting", "Installing", "Fetching",
    "Building", "Documenting", "Adding", "Updating",
)  # fmt: skip
_HARMLESS = (
    r"^\S+ +\d+ +\d+(?: +\d+ +\d+)? +\d+(?:\.\d+)?%(?: +\d[\d, >exit-]*)?$",
    r"^test .* \.\.\. (?:ok|ignored)$", r"^\s*--- PASS: ", r"^ok +\S+\s+[\d.]+m?s$",
    r"^\s*[✓✔√] [^:]*$", r"^[^\s:]+::.* PASSED(?: +\[ *\d+%\])?$", r"^\s+at /rustc/[0-9a-f]{40}/",
    rf"^\s*(?:{'|'.join(_PACKAGES)}) [\w.@/+-]+ v?\d[\w.+-]*(?: \([^()]*\))?$",
    r"^\s*Applying [\w.]+\.\.\. OK$",
    r"^For more information about (?:this|an) error, try `rustc --explain ",
    r"^Some errors have detailed explanations: ", r"^note: run with `RUST_BACKTRACE=", r"^FAIL$",
    r"^Errors while running CTest$", r"^Use \"--rerun-failed --output-on-failure\" ",
    r"^Looked in the following places:$", r"^Run with --stacktrace option ",
    r"^\[INFO\] (?:Downloading|Downloaded) from \S+: https?://\S+(?: \([^()]*\))?$",
    r"^\[INFO\] Compiling \d+ source", r"^\[INFO\] skip non existing resourceDirectory ",
    r"^\[ERROR\] Please refer to \S+ for the individual test results\.$",
    r"^\[INFO\] Running [\w.$]+$", r"^\[ERROR\]  *$", r"^\[ERROR\] -> \[Help \d+\]$",
    r"^\[ERROR\] To see the full stack trace of the errors, re-run Maven ",
    r"^\[ERROR\] For more information about the errors and possible solutions, ",
    r"^\[ERROR\] \[Help \d+\] https?://", r"^\[ERROR\] Re-run Maven using ",
    r"^\[ERROR\] After correcting the problems, you can resume the build ",
    r"^\[ERROR\]   mvn <args> -rf ",
    r"^\[ERROR\] Please refer to dump files \(if any exist\) ", r"^Download https?://\S+$",
    r"^\?   \t\S+\t\[no test files\]$",
    r"^\d+: Test timeout computed to be: \d+$", r"^FAILURE: Build failed with an exception\.$",
    r"^> Compilation failed; see the compiler error output for details\.$",
)  # fmt: skip
_NO_PLACE = r"(?![\w@+~%/-]|\.\w|:[\[\d]|\(\d|\"?, line |\.? line \d)"
_EXTENSIONS = (
    "pyi?", "rs", "go", "[ch]", "cc", "[ch]pp", "java", "kt", "[cm]?js", "jsx", "tsx?", "vue", "rb",
    "php", "css", "html", "md", "rst", "txt", "json", "toml", "ya?ml", "xml", "sh", "sql", "lock",
    "log", "jar", "pom", "so", "o", "a", "svg", "png", "cmake", "map", "class",
)  # fmt: skip
_NAMES = [
    rf"(?<![\w.@+~%-])(?:{name})"
    for name in (
        r"https?://[^\s?#'\"<>()]+",
        rf"(?:[\w.@+~%-]+/){{2,}}[\w.@+~%/-]*+{_NO_PLACE}",
        rf"(?:~|\.\.?)?/[\w.@+~%/-]++{_NO_PLACE}",
        rf"[\w@+-]+(?:/[\w.@+-]+)?\.(?:{'|'.join(_EXTENSIONS)})\b{_NO_PLACE}",
        r"[\w.-]+(?::[\w.-]+){2,3}:(?:compile|runtime|test|provided)\b",
        r"@?[a-z]\w*(?:[./-]\w+)*(?:-|@|==|[<>~!]=| v)\d+\.[\w.+-]*\w",
    )
]
_INFORMATION = r"[\W\dTZ]*(?:INFO|DEBUG|TRACE)\b|I\d{4} \d\d:\d\d:"
_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[()*+][0-9A-Za-z]|[@-Z\\^_])"
)


def is_diagnostic(text: str) -> bool:
    lowered = text.encode("utf-8", "surrogateescape").lower().decode("utf-8", "surrogateescape")
    if not _has_sign(lowered) or any(re.search(source, text) for source in _HARMLESS):
        return False
    if re.match(_INFORMATION, text) and not any(word in lowered for word in WORDS):
        return False
    if re.match("\\s+(?:at|\u276f) ", lowered):
        place = text.rsplit(maxsplit=1)[-1].lower()
        if "node_modules/" in place or "node:internal/" in place:
            return False
    counted = _without(_ZEROS, lowered)
    return _has_sign(_without(_NAMES, lowered)) and _has_sign(_without(_NAMES, counted))


def _without(sources: Iterable[str], text: str) -> str:
    for source in sources:
        text = re.sub(source, "", text, flags=re.ASCII)
    return text


def _has_sign(lowered: str) -> bool:
    return any(word in lowered for word in WORDS) or _PLACE.search(lowered) is not None


def clean(text: str, *, is_text: bool) -> str:
    text = _ESCAPE.sub("", text)
    if is_text or "\r" not in text:
        return text
    text = text.removesuffix("\r")
    parts = [part for part in text.split("\r") if part.strip()]
    if any(map(is_diagnostic, parts[:-1])):
        return text
    return parts[-1] if parts else text.split("\r")[0]
