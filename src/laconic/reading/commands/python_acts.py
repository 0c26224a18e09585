"""Names in Python's library and in known packages by which code acts on more than itself.

https://docs.python.org/3/library/ has each of them; those of packages are in their own references.
"""

from __future__ import annotations

SHELLS = frozenset(
    "os.system os.popen subprocess.getoutput subprocess.getstatusoutput commands.getoutput"
    " asyncio.create_subprocess_shell asyncio.subprocess.create_subprocess_shell".split()
)
STARTS = frozenset(
    "subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen"
    " pty.spawn distutils.spawn.spawn".split()
)
# Programs that are started by separate arguments, and how many of them come before its name.
STARTS_BY_WORDS = {"asyncio.create_subprocess_exec": 0} | {
    f"os.{kind}{ending}": 1 if kind == "exec" else 2
    for kind in ("exec", "spawn")
    for ending in ("l", "lp", "le", "lpe", "v", "vp", "ve", "vpe")
}
STARTS_BY_WORDS |= {"os.posix_spawn": 1, "os.posix_spawnp": 1}
OPENS = frozenset("open io.open codecs.open gzip.open bz2.open lzma.open builtins.open".split())
DELETES = frozenset("os.remove os.unlink os.rmdir os.removedirs shutil.rmtree".split())
WRITES_FIRST = frozenset(
    """os.mkdir os.makedirs os.truncate os.chmod os.chown os.mkfifo os.mknod logging.FileHandler
    shutil.make_archive numpy.save numpy.savez numpy.savetxt joblib.dump""".split()
)
WRITES_SECOND = frozenset(
    "os.rename os.replace os.link os.symlink shutil.move shutil.copy shutil.copy2 shutil.copyfile"
    " shutil.copytree shutil.unpack_archive urllib.request.urlretrieve".split()
)
# Arguments by which a function is told where to write, if it is given one of them.
WRITES_TOLD = {"logging.basicConfig": "filename"} | dict.fromkeys(
    """tempfile.NamedTemporaryFile tempfile.TemporaryDirectory tempfile.mkdtemp tempfile.mkstemp
    tempfile.TemporaryFile tempfile.SpooledTemporaryFile""".split(),
    "dir",
)
# Archives, which are opened with a mode as files are.
ARCHIVES = frozenset("zipfile.ZipFile tarfile.open tarfile.TarFile.open".split())
METHODS_WRITE = frozenset("write_text write_bytes touch mkdir symlink_to hardlink_to".split())
METHODS_DELETE = frozenset("unlink rmdir".split())
METHODS_EXTRACT = frozenset("extractall extract".split())
# Of tables, arrays and pictures: the first argument is the file.
METHODS_SAVE = frozenset(
    """to_csv to_json to_parquet to_excel to_pickle to_feather to_html to_hdf savefig savetxt
    save_pretrained""".split()
)
CODE = frozenset(("exec", "eval", "compile", "builtins.exec", "builtins.eval", "builtins.compile"))
# Functions that take code as a text.
CODE_TEXTS = frozenset(
    """timeit.timeit timeit.repeat timeit.Timer cProfile.run cProfile.runctx profile.run
    profile.runctx pdb.run pdb.runeval bdb.Bdb.run""".split()
)
UNCLEAR = frozenset(
    """ctypes.CDLL ctypes.PyDLL ctypes.cdll.LoadLibrary code.interact code.InteractiveConsole
    code.InteractiveInterpreter marshal.loads types.FunctionType types.CodeType""".split()
)
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
# "It is possible to construct malicious pickle data which will execute arbitrary code":
# https://docs.python.org/3/library/pickle.html. The others are built on it, or say the same.
UNPICKLES = frozenset(
    """pickle.load pickle.Unpickler _pickle.load cPickle.load dill.load cloudpickle.load joblib.load
    torch.load pandas.read_pickle shelve.open yaml.load yaml.load_all yaml.unsafe_load
    yaml.unsafe_load_all marshal.load numpy.load""".split()
)
UNPICKLES_TEXT = frozenset("pickle.loads _pickle.loads dill.loads cloudpickle.loads".split())
SAFE_LOADERS = frozenset(
    "yaml.SafeLoader yaml.CSafeLoader yaml.BaseLoader yaml.CBaseLoader".split()
)
CONNECTS = frozenset(
    "socket smtplib ftplib telnetlib paramiko imaplib poplib asyncssh xmlrpc fabric websocket"
    " websockets".split()
)
FETCHERS = frozenset(("requests", "httpx", "urllib", "aiohttp", "urllib3"))
SENDERS = FETCHERS | frozenset("http boto3 botocore git github google azure".split())
CHANGES = frozenset("post put patch delete request".split())
SENDS = CHANGES | frozenset(
    "upload_file upload_fileobj put_object push send_message publish".split()
)
ADDRESS = frozenset(("get", "head", "options", "urlopen", "urlretrieve", "stream"))
WITH_REQUEST = frozenset(("params", "headers", "cookies", "auth"))
# What gives out secrets by itself.
GIVES_SECRETS = ("keyring.get_", "dotenv.dotenv_values", "netrc.netrc")
METHODS_GIVE_SECRETS = frozenset(("get_credentials", "get_frozen_credentials"))

# Whatever is called by another name than its own is not seen to be called.
ACTS = frozenset().union(
    SHELLS, STARTS, STARTS_BY_WORDS, OPENS, DELETES, WRITES_FIRST, WRITES_SECOND, CODE, CODE_TEXTS,
    UNCLEAR, RUN_FILES, UNPICKLES, UNPICKLES_TEXT, ("os.open", "os.kill", "os.killpg", "os.putenv"),
)  # fmt: skip
# Their last names that nothing else is called by, for a module that goes by a name not known.
SHELL_METHODS = frozenset(("system", "popen", "getoutput", "getstatusoutput"))
START_METHODS = frozenset(("check_call", "check_output", "Popen"))
MODULES = frozenset(
    "os posix subprocess sys shutil builtins importlib pty runpy ctypes socket".split()
)
# Functions and methods to which a text that looks like the name of a file is only a text.
TEXT_ONLY = frozenset(
    """print len str repr sorted set list tuple dict isinstance hasattr getattr input
    add append casefold count endswith extend find fnmatch format fullmatch get index insert join
    lower lstrip match partition pop remove removeprefix removesuffix replace rfind rindex
    rpartition rsplit rstrip search setdefault split splitlines startswith strip sub update upper
    write writelines write_text debug info warning error
    abspath basename dirname exists expanduser expandvars isabs isdir isfile islink lexists
    normpath realpath relpath samefile splitext getmtime getsize Path PurePath PosixPath joinpath
    is_file is_dir relative_to with_name with_suffix chmod unlink touch rmtree
    load_dotenv find_dotenv add_argument""".split()
)
