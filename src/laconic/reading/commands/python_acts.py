"""Names in Python's library and in known packages by which code acts on more than itself.

The lists are in data/words/python_acts.txt.
"""

from __future__ import annotations

from laconic.knowledge.words import word_lists

_LISTS = {title: frozenset(words) for title, words in word_lists("python_acts").items()}
SHELLS = _LISTS["shells"]
STARTS = _LISTS["starts"]
# Programs that are started by separate arguments, and how many of them come before its name.
STARTS_BY_WORDS = {"asyncio.create_subprocess_exec": 0} | {
    f"os.{kind}{ending}": 1 if kind == "exec" else 2
    for kind in ("exec", "spawn")
    for ending in ("l", "lp", "le", "lpe", "v", "vp", "ve", "vpe")
}
STARTS_BY_WORDS |= {"os.posix_spawn": 1, "os.posix_spawnp": 1}
OPENS = _LISTS["opens"]
DELETES = _LISTS["deletes"]
WRITES_FIRST = _LISTS["writes-first"]
WRITES_SECOND = _LISTS["writes-second"]
# Arguments by which a function is told where to write, if it is given one of them.
WRITES_TOLD = {"logging.basicConfig": "filename"} | dict.fromkeys(
    """tempfile.NamedTemporaryFile tempfile.TemporaryDirectory tempfile.mkdtemp tempfile.mkstemp
    tempfile.TemporaryFile tempfile.SpooledTemporaryFile""".split(),
    "dir",
)
ARCHIVES = _LISTS["archives"]
METHODS_WRITE = _LISTS["methods-write"]
METHODS_DELETE = _LISTS["methods-delete"]
METHODS_EXTRACT = _LISTS["methods-extract"]
METHODS_SAVE = _LISTS["methods-save"]
CODE = _LISTS["code"]
CODE_TEXTS = _LISTS["code-texts"]
UNCLEAR = _LISTS["unclear"]
# Functions that run a file, and which of their arguments it is.
RUN_FILES = {
    "doctest.testfile": 0,
    "imp.load_source": 1,
    "importlib.machinery.ExtensionFileLoader": 1,
    "importlib.machinery.SourceFileLoader": 1,
    "importlib.machinery.SourcelessFileLoader": 1,
    "importlib.util.spec_from_file_location": 1,
    "runpy.run_path": 0,
    "zipimport.zipimporter": 0,
}
UNPICKLES = _LISTS["unpickles"]
UNPICKLES_TEXT = _LISTS["unpickles-text"]
SAFE_LOADERS = _LISTS["safe-loaders"]
CONNECTS = _LISTS["connects"]
FETCHERS = _LISTS["fetchers"]
SENDERS = FETCHERS | frozenset("http boto3 botocore git github google azure".split())
CHANGES = _LISTS["changes"]
SENDS = CHANGES | frozenset(
    "upload_file upload_fileobj put_object push send_message publish".split()
)
ADDRESS = _LISTS["address"]
WITH_REQUEST = _LISTS["with-request"]
# What gives out secrets by itself.
GIVES_SECRETS = ("keyring.get_", "dotenv.dotenv_values", "netrc.netrc")
METHODS_GIVE_SECRETS = _LISTS["methods-give-secrets"]
# Whatever is called by another name than its own is not seen to be called.
ACTS = frozenset().union(
    SHELLS, STARTS, STARTS_BY_WORDS, OPENS, DELETES, WRITES_FIRST, WRITES_SECOND, CODE, CODE_TEXTS,
    UNCLEAR, RUN_FILES, UNPICKLES, UNPICKLES_TEXT, ("os.open", "os.kill", "os.killpg", "os.putenv"),
)  # fmt: skip
SHELL_METHODS = _LISTS["shell-methods"]
START_METHODS = _LISTS["start-methods"]
MODULES = _LISTS["modules"]
TEXT_ONLY = _LISTS["text-only"]
