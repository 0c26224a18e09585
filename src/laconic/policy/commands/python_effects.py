"""What Python code visibly does, where it is not known to be harmless.

Such code is the project's as far as anybody can tell, but a write outside the project, a command, a
connection or a secret that stands there in plain words keeps its own effect. Names that are put
together at run time are not found: the code as a whole is asked about, or runs in a box.
"""

from __future__ import annotations

import ast
import warnings

from laconic.knowledge.arguments import Argument
from laconic.policy.secret_files import is_secret_variable
from laconic.types import Effect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from laconic.policy.call import Call

_MAX_LENGTH = 64 * 1024
_SHELLS = frozenset("os.system os.popen subprocess.getoutput subprocess.getstatusoutput".split())
_STARTS = frozenset(
    "subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen"
    " os.execv os.execvp os.spawnv os.posix_spawn".split()
)
_DELETES = frozenset("os.remove os.unlink os.rmdir os.removedirs shutil.rmtree".split())
_WRITES_FIRST = frozenset("os.mkdir os.makedirs os.truncate os.chmod os.chown".split())
_WRITES_SECOND = frozenset(
    "os.rename os.replace os.link os.symlink shutil.move shutil.copy shutil.copy2 shutil.copyfile"
    " shutil.copytree".split()
)
_METHODS_WRITE = frozenset("write_text write_bytes touch mkdir symlink_to hardlink_to".split())
_METHODS_DELETE = frozenset("unlink rmdir".split())
_CONNECTS = frozenset("socket smtplib ftplib telnetlib paramiko imaplib poplib asyncssh".split())
_FETCHERS = frozenset(("requests", "httpx", "urllib"))
_CHANGES = frozenset("post put patch delete request".split())
_ADDRESS = frozenset(("get", "head", "options", "urlopen", "urlretrieve", "stream"))


def follow_visible(call: Call, text: str, where: Argument) -> None:
    """Judge what the code says in plain words, as if it were said to a program."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text[:_MAX_LENGTH])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    imported = dict(_imported(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            _follow_call(call, node, _dotted(node.func, imported), where)
        elif isinstance(node, ast.Attribute):
            _follow_attribute(call, _dotted(node, imported), where)
        elif isinstance(node, ast.Subscript):
            _follow_variable(call, node, _dotted(node.value, imported), where)


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Each name that an import binds, with what it stands for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.name if alias.asname else alias.name.partition(".")[0]
                yield alias.asname or name, name
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _dotted(node: ast.AST, imported: dict[str, str]) -> str:
    """`subprocess.run` for `run` after `from subprocess import run`; empty if it is not a name."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([imported.get(node.id, node.id), *reversed(names)])


def _follow_call(call: Call, node: ast.Call, name: str, where: Argument) -> None:
    first = node.args[0] if node.args else None
    if name in _SHELLS:
        call.shell(_argument(first, where))
    elif name in _STARTS:
        _follow_start(call, node, first, where)
    elif name in ("open", "io.open"):
        _follow_open(call, node, first, where)
    elif name in _DELETES:
        call.deletes(_argument(first, where))
    elif name in _WRITES_FIRST:
        call.writes(_argument(first, where))
    elif name in _WRITES_SECOND and len(node.args) > 1:
        call.writes(_argument(node.args[1], where))
    elif name in ("os.kill", "os.killpg"):
        call.does(Effect.SYSTEM, "signal", "sends a signal to processes", where)
    elif name.partition(".")[0] in _FETCHERS:
        _follow_request(call, node, name, first, where)
    elif isinstance(node.func, ast.Attribute):
        _follow_method(call, node.func, where)


def _argument(node: ast.expr | None, where: Argument) -> Argument:
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
    return Argument(text, where.start, where.end)


def _follow_start(call: Call, node: ast.Call, first: ast.expr | None, where: Argument) -> None:
    if isinstance(first, ast.List | ast.Tuple):
        call.runs([_argument(item, where) for item in first.elts])
    elif any(keyword.arg == "shell" for keyword in node.keywords):
        call.shell(_argument(first, where))
    else:
        call.runs([_argument(first, where)])


def _follow_open(call: Call, node: ast.Call, first: ast.expr | None, where: Argument) -> None:
    given = node.args[1:2] + [k.value for k in node.keywords if k.arg == "mode"]
    modes = [m.value for m in given if isinstance(m, ast.Constant) and isinstance(m.value, str)]
    if len(modes) < len(given) or any(set(mode) & set("wax+") for mode in modes):
        call.writes(_argument(first, where))
    else:
        call.reads(_argument(first, where))


def _follow_request(
    call: Call, node: ast.Call, name: str, first: ast.expr | None, where: Argument
) -> None:
    verb = name.rpartition(".")[2]
    has_data = any(k.arg in ("data", "json", "files") for k in node.keywords)
    has_data = has_data or (verb == "urlopen" and len(node.args) > 1)
    if verb in _CHANGES or has_data:
        call.does(Effect.SENDS, "sends", "sends data to the network", where)
    elif verb in _ADDRESS:
        call.network(_argument(first, where))


def _follow_method(call: Call, function: ast.Attribute, where: Argument) -> None:
    """`Path("x").write_text(…)`, by a path that stands there."""
    if function.attr not in _METHODS_WRITE | _METHODS_DELETE:
        return
    made = function.value
    path = made.args[0] if isinstance(made, ast.Call) and made.args else None
    if isinstance(path, ast.Constant):
        act = call.deletes if function.attr in _METHODS_DELETE else call.writes
        act(_argument(path, where))


def _follow_attribute(call: Call, name: str, where: Argument) -> None:
    if name.partition(".")[0] in _CONNECTS:
        call.does(Effect.SENDS, "connects", "opens a network connection", where)


def _follow_variable(call: Call, node: ast.Subscript, name: str, where: Argument) -> None:
    key = node.slice.value if isinstance(node.slice, ast.Constant) else ""
    if name == "os.environ" and is_secret_variable(str(key)):
        call.does(Effect.SECRETS, "secret", "reads a variable that may hold a secret", where)
