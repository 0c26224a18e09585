"""Code on the command line of node, ruby, php, perl and lua that prints facts about themselves.

Unsafe: variables that may hold secrets; all other code. That includes require of a JSON file in
node, which is code where a link or a directory stands in its place.
"""

from __future__ import annotations

from laconic.patterns import pattern
from laconic.policy.secret_files import is_secret_variable
from laconic.types import Effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from laconic.policy.call import Call

_VARIABLE = pattern(r"\benv\.(\w+)")
_OPTIONS = ("-e", "-p", "-r", "--eval", "--print", "--run")
_ONLY_READS = ("-c", "--check", "-l", "--syntax-check", "-v", "--version")
_NODE = r"""(?x) (?: console\.log\( )?
    (?: \s* (?: '\s*' | "\s*"
        | process\.(?: versions?(?:\.\w+)? | arch | platform | pid | execPath | cwd\(\)
                   | uptime\(\) | env\.\w+ )
        | (?: os | require\(['"](?:node:)?os['"]\) )\.(?: EOL
            | (?: arch | cpus | freemem | homedir | hostname | platform | release | totalmem
                | type )\(\)(?:\.length)? )
        ) \s* (?: [+,] | (?= \)?;?$ ) )
    )+ \)?;?"""
_RUBY_FACTS = "VERSION|PLATFORM|ENGINE|DESCRIPTION|PATCHLEVEL|RELEASE_DATE|COPYRIGHT"
_PHP_FACTS = "VERSION|OS|OS_FAMILY|INT_MAX|INT_SIZE|BINARY|SAPI|MAJOR_VERSION|MINOR_VERSION"
_PRINTS = {
    "node": pattern(_NODE),
    "ruby": pattern(rf"(?:puts|print|p) RUBY_(?:{_RUBY_FACTS})"),
    "php": pattern(
        rf"(?:echo|print) ?(?:PHP_(?:{_PHP_FACTS})|phpversion\(\)|php_ini_loaded_file\(\))"
        r"(?: ?\. ?(?:PHP_EOL|\"\\n\"))?;?"
    ),
    "perl": pattern(r"print (?:\$\^[VO]|\$\]|\"\$\^V\\n\");?"),
    "lua": pattern(r"print\(_VERSION\)"),
}


def judge(call: Call) -> None:
    if call.parsed is not None and not call.parsed.has(*_OPTIONS, *_ONLY_READS):
        for file in call.parsed.operands[:1]:
            call.runs_file(file)
        if not call.parsed.operands and not call.parsed.options:
            why = "runs the code that it reads from its input"
            is_here = call.situation.input_text is not None
            call.does(Effect.PROJECT_CODE if is_here else Effect.UNCLEAR, "input", why)
    prints = next(prints for name, prints in _PRINTS.items() if call.path[0].startswith(name))
    for value in call.parsed.values(*_OPTIONS) if call.parsed else ():
        if not value.is_static or not prints.fullmatch(value.text or ""):
            call.does(Effect.PROJECT_CODE, "code", "runs code that may do more than print", value)
        elif any(map(is_secret_variable, _VARIABLE.findall(value.text or ""))):
            call.does(Effect.SECRETS, "secret", "prints a variable that may hold a secret", value)
