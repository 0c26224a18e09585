"""What nobody may hide of a failure, by a rule of the tests' own: wider than that of the code."""

from __future__ import annotations

import re
from functools import cache, cached_property
from itertools import pairwise

from laconic.compact.result import GAP, MADE, SHORT, Compacted

# Part of a word is enough, and any number after a name, a bracket or the word "line" is a place.
_ALARMING = re.compile(
    r"""err(?:or|no|s\b) | fail | panic | exception | assert | traceback | fatal | undefined
    | denied | not\ found | no\ such | cannot | can't | unable | abort | invalid | expected
    | actual\ *:
    | conflict | killed | timed?\ ?out | not\ ok | missing | refused | unresolved | crash
    | unrecognized
    | overflow | data\ race | segmentation | core\ dumped | [✗✘✕✖\u00d7❌]""",
    re.IGNORECASE | re.VERBOSE,
)
_PLACED = re.compile(
    r"""\.[a-z_]\w*[:(]\ ?\d | ^\s*[^\s:]*[a-z_]:\d+: | \bline:?\ \d | ^\s*(?:-->|at)\ .*:\d""",
    re.IGNORECASE | re.VERBOSE,
)
# What a program says for information may have the place that says it.
_INFORMATION = re.compile(r"[\[(\d:.,TZ/+ -]*(?:INFO|DEBUG|TRACE)\b|I\d{4} \d\d:\d\d:\d\d")

# The only alarms that a filter may hide after a failure, and why.
HARMLESS = {
    "a test that passed, whatever its name": (
        r"^test .* \.\.\. (?:ok|ignored)$",  # cargo
        r"::.* PASSED(?: +\[ *\d+%\])?$",  # pytest
    ),
    "how much of a file is covered, whatever its name": (
        r"^\S+ +\d+ +\d+(?: +\d+ +\d+)? +\d+(?:\.\d+)?%$",
        r"^\S+ +\d+ +\d+(?: +\d+ +\d+)? +\d+(?:\.\d+)?% +(?:\d+(?:->?(?:\d+|exit))?(?:, |$))+$",
    ),
    "a package that is fetched or compiled, whatever its name": (
        r"^\s*Download(?:ing|ed) [\w.@/+-]+ v?\d\S*(?: \(.*\))?$",
        r"^\[INFO\] Download(?:ing|ed) from \S+: https?://\S+(?: \([^()]*\))?$",
    ),
    "a migration that was applied, whatever its name": (r"^ +Applying [\w.]+\.\.\. OK$",),
    "a package in a tree, whatever its name": (r"^[│ ]*[├└]─+ [\w.-]+ v\d\S*$",),
    "a package and the line of the file that asks for it, while pip goes on": (
        r"^(?:Collecting|Requirement already satisfied:) .* \(line \d+\)\)",
    ),
    "advice": (
        r"^Note: You didn't use the -out option ",  # terraform
        r"^For more information about (?:this|an) error, try `rustc --explain ",
        r"^Some errors have detailed explanations: ",
        r"^Use \"--rerun-failed --output-on-failure\" ",  # ctest
        r"^\[ERROR\] (?: *$|-> \[Help \d+\]$|To see the full stack trace of the errors, )",  # maven
        r"^\[ERROR\] (?:For more information about the errors and possible solutions, )",
        r"^\[ERROR\] (?:After correcting the problems, you can resume |  mvn <args> -rf )",
        r"^\[ERROR\] (?:\[Help \d+\] https?:|Re-run Maven using |Please refer to dump files )",
        r"^\[ERROR\] Please refer to \S+ for the individual test results\.$",
    ),
    "a heading, or an end, whose failure is told": (
        r"^Errors while running CTest$",
        r"^\d+: Test timeout computed to be: \d+$",  # ctest
        r"^FAILURE: Build failed with an exception\.$",  # gradle
        r"^> Compilation failed; see the compiler error output for details\.$",
    ),
    "a stack frame in the code of a compiler's author": (r"^\s+at /rustc/[0-9a-f]{40}/",),
}
_HARMLESS = re.compile("|".join(source for sources in HARMLESS.values() for source in sources))
# A count of zero is not an alarm; the rest of its line may be one.
_ZERO = re.compile(
    r"(?<![\w.])(?:0|no) (?:\w+ )?(?:errors?|fail(?:ed|ures?|ing)?|conflicts?|exceptions?)\b"
    r"|\b(?:errors?|failed|failures?)[=:] ?0(?![\w.])",
    re.IGNORECASE,
)


# What an alarming word may be a part of: a path, if no place follows, a file, an address, a package
# with its version. The rest of its line may be an alarm.
_NAME = re.compile(
    r"""(?<![\w.@+~%-])(?: https?://[^\s?\#'"<>()]+ | (?:[\w.@+~%-]*/){2}[\w.@+~%/-]*
    | (?:~|\.\.?)?/[\w.@+~%/-]+
    | [\w@+-]+(?:/[\w.@+-]+)?\.(?:pyi?|[cm]?jsx?|tsx?|rs|go|[cho]|cc|[ch]pp
      |java|kt|vue|rb|php|css|html|md|rst|txt|json|toml|ya?ml|xml|sh|sql|lo(?:ck|g)|jar|pom|so|a|svg
      |png|cmake|map|class)\b
    | [\w.-]+(?::[\w.-]+){2,3}:(?:compile|runtime|test|provided)\b
    | @?[a-z]\w*(?:[./-]\w+)*(?:-|@|[=<>~!]=|\ v)\d+\.[\w.+-]*\w )
    (?![\w@+~%/-]|\.\w|[:(]\[?\d|"?,\ line|\.?\ line\ \d)""",
    re.IGNORECASE | re.VERBOSE,
)


@cache  # the lines of a recorded output are asked about in many tests
def is_alarm(text: str) -> bool:
    said = _NAME.sub("", _ZERO.sub("", text))
    has_place = _PLACED.search(said) and not _INFORMATION.match(text)
    return bool((_ALARMING.search(said) or has_place) and not _HARMLESS.search(text))


def texts_shown(compacted: Compacted) -> set[str]:
    """Every raw text that can be read off the result: as it is, as `text (x3)`, or as a branch.

    The branch of a tree is the heading's text and, after the indent, what its line adds.
    """
    texts: set[str] = set()
    heading = ""
    for row in compacted.shown:
        if row.kind == MADE:
            heading = row.text
            texts.add(re.sub(r" \(x\d+\)$", "", row.text))
        elif row.kind == SHORT and row.text.startswith("  "):
            texts.add(heading + row.text[2:])
        elif row.kind != GAP:
            texts.add(row.text)
    return texts


# What a shape may hide after a failure, because nobody can act on it. Each of these says something
# of the tool or of others' code; what says something of the user's own is in TWICE or EXCERPT.
SPARED = {
    "a frame of a language's, a runner's or a package's own code": (
        r"^\s*File \"[^\"]*(?:/site-packages/|/lib/python3|/v?env/bin/)[^\"]*\", line \d+, in ",
        r"^\s+(?:at|\u276f) (?:.*[( /])?(?:node:|node_modules/)\S+?:\d+:\d+\)?(?: \{)?$",
        r"^\t_testmain\.go:\d+ ",
        r"^\s+\S*/go/src/\S+\.(?:go|s):\d+",
        r"^(?:testing|runtime|time|sync)\.\S*\(",
        r"^\s+\d+: (?:0x[0-9a-f]+ - )?(?:core|std|alloc|test|__rustc)::",
        r"^[./]\S*(?:/lib/python3|/site-packages/)\S*:\d+: (?:in |[\w.]+$)",
        # what a package makes and runs has functions; a script in an argument has only its module
        r"^\s*File \"<frozen ", r"^\s*File \"<string>\", line \d+, in (?!<module>)",
        r"^ +(?:-->|:::) /rustc/[0-9a-f]{40}/",
        r"^\s*#? *(?:/usr/|\S*/gems/)\S+:\d+:in [`']", r"^#\d+ /usr/\S+\(\d+\): ",
        r"^\s+at (?:java\.base/|(?:org\.(?:junit|opentest4j|apache|gradle)|java|jdk|sun)\.)",
    ),
    "what playwright says of a test that runs, and where it wrote more": (
        r"^\[\d+/\d+\] (?:\[.*?\] \u203a )?\S+:\d+:\d+ \u203a ",
        r"^ {4}Error Context: \S+/error-context\.md$",
    ),
    "a package below another in a tree": (r"^[│ ]*[├└][─┬]+ (?:@[\w.-]+/)?[\w.-]+@\d\S*$",),
    "the heading of a summary whose tests are told": (r"^Summary of all failing tests$",),
    "advice and logs of npm": (
        r"^npm (?:error|ERR!) (?:A complete log of this run |For a full report see)",
        r"^npm (?:error|ERR!) /\S+(?:-debug-\d+\.log|-report\.txt)$",
        # below the name and version of the package that is there
        r"^npm (?:error|ERR!) node_modules/(?:@[^/\s]+/)?[^/\s]+$",
        r"^npm (?:error|ERR!) (?:To see a list of scripts, run:|  npm run)$",
        r"^npm (?:error|ERR!) (?:Usage:|Options:|\[-.*\]|  -[\w-]+(?:\|-[\w-]+)*|aliases: .*)$",
        r"^npm (?:error|ERR!) (?: {4}[A-Z][\w-]* .*|npm ci|Run \"npm help \w+\" for more info)$",
        r"^npm (?:error|ERR!) 404 (?:Note that you can also|tarball, folder)",
    ),
    "advice of jest and vitest on time limits": (
        r"^ +Add a timeout value to this test to increase ",
        r"^If this is a long-running test, pass a timeout value as the last argument ",
    ),
    "what node's test runner says of a failure beside its message": (
        r"^ *failureType: '(?:testCode|testTimeout)Failure'$",
        r"^ *failureType: '(?:subtestsFailed|cancelledByParent)'$",
        r"^ *code: 'ERR_(?:TEST_FAILURE|ASSERTION)',?$", r"^ *name: 'AssertionError'$",
        r"^ *(?:error: '\d+ subtests? failed'|error: \|-)$", r"^ *✖ failing tests:$",
    ),
    "the head of a table of values, each of which has its name": (
        r"^ *# \| (?:Ln|Elt)\|Got *\|(?:.*\|)?Expected *\|$",
    ),
    "the legend of a difference, whose lines have their signs": (
        r"^\s*[-+] (?:Expected|Received|Snapshot)(?: +[-+] \d+)?$", r"^--- Expected$",
    ),
    "the heading of what is pending, which each of them says": (
        r"^Pending: \(Failures listed here are expected and do not affect ",
    ),
    "the line of RSpec itself that loads a file": (
        r"^Failure/Error:(?: __send__\(method, file\))?$",
    ),
    "advice of RSpec below deprecations": (
        r"^`config\.raise_errors_for_deprecations!`, and it will turn the$",
        r"^deprecation warnings into errors, giving you the full backtrace\.$",
    ),
    "how fast minitest was": (r"^Finished in [\d.]+s, [\d.]+ runs/s, ",),
    "a package that is in a tree a second time, whatever its name": (
        r"^[\u2502 ]*[\u251c\u2514][\u2500\u252c]* @?[\w./-]+@\d\S* deduped$",
    ),
    "a test that passed, with its place": (r"^\s*[✓✔√] +\d+ \S+:\d+:\d+ \u203a ",),
    "a heading of pytest, whose section is told": (r"^=+ (?:ERRORS|FAILURES) =+$", r"^Traceback:$"),
    "the heading of Python's frames": (r"^\s*Traceback \(most recent call last\):$",),
    "where bandit explains an issue": (r"^   More Info: https://bandit\.readthedocs\.io/\S+$",),
    # it only says where the exceptions are caught that are told
    "a clause of a function, above the line that failed": (
        r"^ {4,}except [\w.(), ]+(?: as \w+)?:$",
    ),
    "how Python joins two exceptions, whose messages are alarms themselves": (
        r"^The above exception was the direct cause of the following exception:$",
    ),
    # names of packages that are installed, and the statement of pytest's own that warns
    "what pytest says of itself": (
        r"^plugins: \w[\w-]*-\d[\d.]*(?:, \w[\w-]*-\d[\d.]*)*$", r"^ {4}warnings\.warn\(pytest\.",
    ),
    # the warning and its place are told
    "advice of pytest below a warning": (
        r"^  Enable tracemalloc to get traceback where the object was allocated\.$",
        r"^  Did you mean to use `assert` instead of `return`\?$",
    ),
    "how pytest writes a difference": (
        r"^E? +Full diff: \(-: missing in left side", r"^E? +comparison failed$",
    ),
    "the heading of a list of failures that are told above it": (
        r"^failures:$", r"^Failures:$", r"^Failed examples:$",
        r"^The following tests (?:FAILED|did not run):$",
    ),
    "what valgrind says of itself": (
        r"^==\d+== (?:Memcheck, a memory error detector$|For lists of detected and suppressed )",
    ),
    "the file that includes the one with the mistake": (
        r"^In file included from \S+:\d+[:,]$", r"^ +from \S+:\d+[:,]$",
    ),
    "a label of rustc that points at a place, and says no more": (
        r"^[\s|^-]+(?:not found in this scope|expected due to this|unknown field)$",
    ),
    "what rustc says of its own macros": (r"^\s+= note: this error originates in the macro `",),
}  # fmt: skip
_SPARED = re.compile("|".join(source for sources in SPARED.values() for source in sources))
# What may be hidden where its groups are shown: another line says the same of the same name.
TWICE = {
    "what announces a test whose result is shown": (r"^=== RUN +(\S+)$", r"^ +Start +\d+: (\S+)$"),
    "how many modules pytest cannot import, which its last line says": (
        r"^collected \d+ items? / (\d+ errors?)$",
    ),
    "the place of an import that failed, above the error": (
        r"^ImportError while importing test module '\S*?([^/']+)'", r"^file (\S+), line (\d+)$",
    ),
    "what webpack says above an error of ts-loader, which has the file": (r"^ERROR in (\S+)$",),
    "the head of violations, each of which has the file": (r"^== \[(.*)\] FAIL$",),
    "a test of a PHP class whose namespace is told with another": (
        r"^(\d+)\) (?:\w+\\)+(\w+::.*)$",
    ),
    "a failure that a list at the end names again": (
        r"^rspec \./(?:\S*/)?([^\s/]+):\d+ # (.*)$",
        r"^\[ERROR\]   ([\w$]+)\.(\w+):(\d+) \u00bb (?:\w+) (.*)$",
    ),
    "the result of a test, which the list at the end names with its number and state": (
        r"^ *\d+/\d+ Test +#(\d+): (\S+) \.*[^.]*\*\*\*",  # ctest
        r"^\[ERROR\] ([\w.$]+)(?:\(.*)? -- Time elapsed: \S+ s <<< (?:FAILURE|ERROR)!$",  # Maven
    ),
    "the project that Maven cannot read, whose file is told": (
        r"^\[ERROR\]   The project .*\((.*)\) has \d+ errors?$",
    ),
    "how many tests failed, which Google Test says above their list": (r"^ (\d+) FAILED TESTS?$",),
    "a file of vitest's overview, whose failures are told": (
        r"^ \u276f (\S+) \(\d+ tests?(?: \| \d+ \w+)*\)",
    ),
    "the message of an assertion, which is behind the name of the test": (
        r"^(?:org\.opentest4j\.AssertionFailedError|java\.lang\.AssertionError): (.*)$",
    ),
    "the place of a test of node's, where its file and that of the failure are shown": (
        r"^ *location: '(?:\S*/)?([^/:]+):\d+:\d+'$", r"^test at (\S+):\d+:\d+$",
    ),
    "the kind of an error, which is before its message": (r"^ *name: '(\w+)'$",),
    "a value that a message of node's has": (r"^ *(?:expected|actual):(?: +([^{\[].*?),?)?$",),
    "the result of a Rust test, whose failure is told by its name": (
        r"^(?:test )?(\S.*?) (?:\.\.\.|---) FAILED$",
    ),
    "the first line of a function that is named": (r"^ {4,}(?:async )?def (\w+)\(",),
    "the statement that raises what is told": (
        r"^>?\s+(?:def .*: )?raise (\w+)", r"Failure/Error: .*\braise \"?(\w+)",
    ),
    "the line that failed, without what RSpec writes before it": (
        r"^\s*(?:[\d.]+\) )?Failure/Error: (.*)$",
    ),
    "a frame of Ruby or PHP, whose place is shown": (
        # the part of the path that all places share is told once
        r"^\s*(?:# )?(?:\S*/)?([^\s/]+:\d+):in [`'].*'$",
        r"^(?:   \u2502 )?/(?:\S*/)?([^\s/]+\.php:\d+)$",
        r"^(\S+#\w+) \[/(?:\S*/)?([^\s/]+:\d+)\]:$",
    ),
    "what Test::More says of tests, whose failures are told": (
        r"^ *not ok \d+ - (.*)$", r"^ *# Looks like you failed (\d+) tests? of (\d+)\.$",
        r"^Failed (\d+)/(\d+) subtests $",
    ),
    "an example of RSpec, whose failure is told by its name": (r"^ +(.*) \(FAILED - \d+\)$",),
    "the middle of two values of an assertion, whose difference is told below": (
        (r"^(?:E +|FAILED \S+ - )?(?:AssertionError: )?assert (.{40}).{40,}"
        r" (?:==|!=|in|not in|is) (.{40}).{40,}$"),
    ),
    "a short failure of pytest, whose file is told below the directory of the run": (
        r"^/(?:\S*/)?([^/\s]+\.py:\d+: .*)$",
    ),
    "the place of an assertion, which is shown with its message": (
        r"^(\S+\.py:\d+): AssertionError$",
    ),
}  # fmt: skip
# What may be hidden where such a text is shown: what is first in each of these.
WHERE_SHOWN = {
    "the statement that failed, whose values pytest shows": (
        r"(?m)^E +(?:AssertionError: )?assert ", r"^(?:>| {3}) +assert ",
    ),
    "a value of node's, whose difference is shown": (
        r"\+ actual - expected", r"^ *(?:expected|actual): [\[{]",
    ),
    "what rustfmt would change, whose places are shown": (r"^Diff in \S+:\d+:", r"^[-+ ]"),
    "a target of CMake's that needs the one that failed": (
        r"build\.make:\d+: .*\] Error ",
        r"^g?make(?:\[\d+\])?: \*\*\* \[CMakeFiles/Makefile2:\d+: \S+\] Error 2$",
        r"^g?make(?:\[\d+\])?: Target '(?:CMakeFiles/\S+|all|default_target)' not remade because ",
    ),
    "a note of a compiler that names no mistake, if notes are counted": (
        r"\[\d+ notes?\b",
        r"^\S+:\d+:\d+: note: each undeclared identifier is reported only once for each function ",
        r"^\S+:\d+:\d+: note: (?:.* )?declared (?:private |const )?here$",
        r"^\S+:\d+:\d+: note: +(?:candidate|template argument|  )", r"^/usr/\S+:\d+:\d+: note: ",
    ),
    "the way of a compiler to the place of a mistake, if its steps are counted": (
        r"\bsteps? of instantiation hidden\]",
        r"^\S+:\d+:\d+: +(?:recursively )?required (?:from|by) (?!here)",
    ),
}  # fmt: skip
_WHERE_SHOWN = [
    (re.compile(shown), re.compile("|".join(forms))) for shown, *forms in WHERE_SHOWN.values()
]
_TWICE = [re.compile(source) for sources in TWICE.values() for source in sources]
# A line of the source around a place, or what a linter would make of it: it may be hidden where
# that place is shown.
EXCERPT = re.compile(
    r"^\s*>?\s*\d+ *[|\u2502]|^\d+\t|^ *\d+ +[-+] |^ {2,}[-+] |^[ >0-9]*\u2502"
    r"|^\[error\] [ >]*\d* *\||^  help: |^ +\d+: \S.*\s$|^ +[:\u00b7] +[`\u2570]"
)
_PLACES = (
    re.compile(r"([^\s/:('\"]+\.\w+)(?:[:(]|\", line )(\d+)"),
    re.compile(r"([^\s/:]+\.\w+): .*\((\d+):\d+\)$"),
)
_AROUND = 40  # lines of an excerpt
# Rulers, progress, the time of a test and of a line of klog, pytest's mark of an error, the last
# word of a line that the tool itself has cut, the word between a place and its function, and where
# Perl always looks for modules.
_UNTOLD = re.compile(
    r"_{3,}|={3,}|^\[gw\d+\] \[ *\d+%\] | +\[ *\d+%\]$| [\[(][\d.]+ ?m?s[\])](?=$| #)| \d+ms$"
    r"|\w*\.\.\.$|^E (?= )|^ *error: (?=')|^\[tsl\] (?:ERROR|WARNING) in "
    r"|(?<=not ok )\d+(?= - )|(?<=✘) +\d+(?= )|^ *x (?=\w+\(|[A-Z])|^L: +|(?<=\| )P: +"
    r"|^\s+at (?=[\w.$]+\()|^>> Issue: |^   Location: |: in (?=\w)|: in <module>$"
    r"|^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ (?=\S+\.go:)"
    r"|(?<=\)) // [\w.]+(?: equality)?$|^==\d+==|\b0x[0-9a-fA-F]+"
    r"|(?<= )/(?:usr|etc)/[\w./-]*perl[\w./-]*|/usr/local/lib/site_perl(?=\))"
)
_RANGE = re.compile(r"([\w.-]*)\{(\d+)\.\.(\d+)\}(\w*)")


def words_shown(compacted: Compacted) -> set[str]:
    return words_of("\n".join(row.text for row in compacted.shown))


def is_spared(text: str, told: Told) -> bool:
    """Tell whether a line may be hidden."""
    text = _LEAD.sub("", text)
    if _SPARED.search(text):
        return True
    if any(form.search(text) and shown.search(told.text) for shown, form in _WHERE_SHOWN):
        return True
    return any(
        told.has(" ".join(group or "" for group in m.groups()))
        for twice in _TWICE
        if (m := twice.search(text))
    )


class Told:
    """What can be read off the lines that are shown.

    All words of a fact must be in neighbouring lines, or in these and one heading: the name of a
    file above what was found in it, or of another file in which the same was found. Of a list that
    says how many more there are, so many words may be told elsewhere.
    """

    def __init__(self, shown: list[str]) -> None:
        self._shown, self.text = shown, "\n".join(shown)
        self._lines = [words_of(text) for text in shown]
        self._headings = [words_of(text) for text in shown if _HEADING.search(text)]
        self.words = set().union(*self._lines)

    def has(self, text: str) -> bool:
        words = words_of_fact(text)
        return words <= self.words and any(
            words <= near
            or len(words - near) <= more
            or any(words - near <= heading for heading in self._headings)
            for near, more in self._near
        )

    @cached_property
    def _near(self) -> list[tuple[set[str], int]]:
        """The words of neighbouring lines, and how many more one of them says there are."""
        found = []
        for start in range(max(1, len(self._lines) - _NEAR + 1)):
            near = slice(start, start + _NEAR)
            more = re.findall(r"\[(\d+) more\]", "\n".join(self._shown[near]))
            found.append((set().union(*self._lines[near]), max(map(int, more), default=0)))
        return found


_NEAR = 10  # lines: a failure with its place, message and what it printed
_HEADING = re.compile(r"^\S+:?$|\[the same \d+ findings as in ")


def words_of(text: str) -> set[str]:
    """Every word of a text; `log{1..3}` has those of all three names."""
    found = set(_WORD.findall(text))
    for start, low, high, end in _RANGE.findall(text):
        names = (f"{start}{n}{end}" for n in range(int(low), int(high) + 1))
        found.update(word for name in names for word in _WORD.findall(name))
    return found


def words_of_fact(text: str) -> set[str]:
    """The words of a raw line that say something."""
    return set(_WORD.findall(_UNTOLD.sub(" ", text)))


_WORD = re.compile(r"\w+")
_FRAME = re.compile(r"\s*File \"")
_SCRIPT_FRAME = re.compile(r"^\s+.*?(?:file:///?)?([^\s()/]+(:\d+:\d+))\)?(?: \{)?$")
_LEAD = re.compile(r"^(?:INTERNALERROR> |(?: *\| )+)")  # before the lines of a trace
_WARNING = re.compile(r"\s*\S+\.py:\d+: \w*Warning: ")


def hidden_alarms(compacted: Compacted, cleaned: list[str]) -> list[str]:
    """Every alarm that is told nowhere, and that no shape may hide."""
    shown = texts_shown(compacted)
    told = Told([row.text for row in compacted.shown])
    return untold([text for text in cleaned if is_alarm(text) and text not in shown], cleaned, told)


def untold(alarms: list[str], cleaned: list[str], told: Told) -> list[str]:
    """Those of the alarms that are not told and may not be hidden."""
    sources = sources_of_spared(cleaned) | excerpts_of_told(cleaned, told.words)
    sources |= headings_of_hidden(cleaned, told) | places_of_printed(cleaned)
    sources |= starts_of_tests(cleaned)
    return [
        text
        for text in alarms
        if not is_spared(text, told)
        and text not in sources
        and not told.has(text)
        and not is_frame_told(text, told.text)
    ]


def is_frame_told(text: str, shown: str) -> bool:
    """Tell whether the place of a frame is shown: the test or the matcher says whose it is.

    Behind the name of a test that has its file, it is shown without that.
    """
    frame = _SCRIPT_FRAME.search(text)
    return frame is not None and (frame[1] in shown or f"({frame[2]})" in shown)


def sources_of_spared(cleaned: list[str]) -> set[str]:
    """What Python prints below the frames that may be hidden, and below the place of a warning.

    Also what is between place and mark, the source of a finding: `a.rb:4:3: C: text`, the source,
    `^^^^`; the rule of mypy's may end a message of several lines.
    """
    bare = [_LEAD.sub("", text) for text in cleaned]
    below = {
        text
        for text, (frame, source) in zip(list(cleaned)[1:], pairwise(bare), strict=True)
        if source.startswith("    ")
        and ((_FRAME.match(frame) and _SPARED.search(frame)) or _WARNING.match(frame))
    }
    texts = list(cleaned)
    triples = zip(texts, texts[1:], texts[2:], strict=False)
    return below | {source for place, source, mark in triples if _is_marked(place, mark)}


def _is_marked(place: str, mark: str) -> bool:
    is_place = re.match(r"\S+:\d+:\d+: ", place) or re.search(r"(?:^|\s)\[[a-z-]+\]$", place)
    return bool(is_place and re.fullmatch(r"\s*[~^]*\^[~^ ]*", mark))


def headings_of_hidden(cleaned: list[str], told: Told) -> set[str]:
    """The headings of shellcheck above what it recommends, and above warnings that are hidden."""
    found = set()
    for block in re.finditer(r"(?m)^(In \S+ line \d+:)$((?:\n.+)*)", "\n".join(cleaned)):
        messages = re.findall(r"SC\d{4} \((?:error|warning)\): .*", block[2])
        if not any("(error)" in message or told.has(message) for message in messages):
            found.add(block[1])
    return found


def places_of_printed(cleaned: list[str]) -> set[str]:
    """Where tests of jest print: frames below a blank line and what was printed."""
    text = "\n".join(cleaned)
    printed = re.finditer(
        r"(?m)^ +console\.\w+\n(?:(?! +console\.|  \u25cf ).*\n)*?\n(?= +at )", text
    )
    return {
        frame[0]
        for block in printed
        for frame in re.finditer(r"(?m)^ +at .*$", text[block.end() :].partition("\n\n")[0])
    }


def starts_of_tests(cleaned: list[str]) -> set[str]:
    """The frames by which a test of Rust is called: closures with its name, below its own frame."""
    text = "\n".join(cleaned)
    called = r"(?m)^ +\d+: (\S+)\n +at .*\n( +\d+: \1::\{\{closure\}\})\n( +at .*)$"
    return {line for match in re.finditer(called, text) for line in match.groups()[1:]}


def excerpts_of_told(cleaned: list[str], words: set[str]) -> set[str]:
    """The lines of source around places that are shown."""
    found, cleaned = set(), list(cleaned)
    for pos, text in enumerate(cleaned):
        if EXCERPT.match(text):
            around = cleaned[max(0, pos - _AROUND) : pos + _AROUND]
            places = (p for line in around for form in _PLACES for p in form.findall(line))
            if any(words_of(f"{path} {line}") <= words for path, line in places):
                found.add(text)
    return found
