"""Static gates on the code and tests of a draft. An entry that they refuse is not certified.

It may still be used for training, so none of them drops it: see `tiers`.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from benchwright.building.aicodereval.draft_records import Draft, ParsedCode, code_of
from benchwright.building.aicodereval.release_options import EntryBounds
from benchwright.building.engine.gates import gate
from benchwright.contracts import KEEP, Decision, GateOpener
from benchwright.contracts.specs import CaseLevel
from benchwright.lang.python.importing import STANDARD
from benchwright.lang.python.tree import dotted
from benchwright.lang.python.uses import python_uses
from benchwright.store.keys import content_key

_BROAD = {"Exception", "BaseException", "builtins.Exception", "builtins.BaseException"}


class Flaw(NamedTuple):
    """One flaw: a reason code, and its place."""

    reason: str
    where: str


def decision_of(flaws: list[Flaw]) -> Decision:
    """A decision whose reason is the first flaw; all flaws are evidence."""
    if not flaws:
        return KEEP
    found = [{"reason": each.reason, "where": each.where} for each in flaws]
    return Decision(reason=flaws[0].reason, detail=flaws[0].where[:300], evidence={"found": found})


@gate("aicodereval.levels")
def levels(draft: Draft, _: EntryBounds) -> Decision:
    """Each of the three levels has a case."""
    there = {case.level for case in draft.entry.cases}
    return decision_of([Flaw("level_missing", str(level)) for level in CaseLevel if level not in there])


@gate("aicodereval.cases")
def cases(draft: Draft, _: EntryBounds) -> Decision:
    """No case repeats another: two levels with the same case are one level."""
    first: dict[str, str] = {}
    flaws = []
    for case in draft.entry.cases:
        key = content_key(msgspec.to_builtins([case.input, case.expected]))
        if key in first:
            flaws.append(Flaw("case_repeated", f"cases.{case.name}: as cases.{first[key]}"))
        first.setdefault(key, case.name)
    return decision_of(flaws)


@gate("aicodereval.exceptions", version=2)
def exceptions(draft: Draft, _: EntryBounds) -> Decision:
    """No failure is ignored."""
    found = [f"line {node.lineno}" for node in _swallows(code_of(draft))]
    found += [f"line {line}: {what}" for line, what in _silenced(code_of(draft))]
    return decision_of([Flaw("swallowed_exception", where) for where in found])


def _swallows(code: ParsedCode) -> Iterator[ast.ExceptHandler]:
    """Broad exception handlers that do not raise: they turn a failure into a result.

    A function that reports whether something works may return a bool, since failure is its subject.
    """
    asks = _is_predicate(code)
    for node in code.nodes:
        if isinstance(node, ast.ExceptHandler) and any(_is_broad(each, code) for each in _caught(node.type)):
            inner = (each for statement in node.body for each in ast.walk(statement))
            answers = asks and all(_returns_truth(each) for each in node.body)
            if not answers and not any(isinstance(each, ast.Raise) for each in inner):
                yield node


def _is_predicate(code: ParsedCode) -> bool:
    """Whether the entry's function, the last of the program, is declared to return a bool."""
    functions = [node for node in _module(code).body if isinstance(node, ast.FunctionDef)]
    returns = functions[-1].returns if functions else None
    return isinstance(returns, ast.Name) and returns.id == "bool"


def _returns_truth(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Return) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, bool)


def _caught(kind: ast.expr | None) -> list[ast.expr | None]:
    return [*kind.elts] if isinstance(kind, ast.Tuple) else [kind]


def _is_broad(caught: ast.expr | None, code: ParsedCode) -> bool:
    """Whether a handler catches all exceptions: bare, by name, or by an alias."""
    if caught is None:
        return True
    if isinstance(caught, ast.Starred):
        return True
    name = code.full(caught)
    others = [
        each
        for node in code.nodes
        if isinstance(node, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
        for each in _caught(node.value)
    ]
    return name in _BROAD or any(each is not None and code.full(each) in _BROAD for each in others)


def _silenced(code: ParsedCode) -> Iterator[tuple[int, str]]:
    """Other ways to ignore every failure: `suppress`, and a `return` in `finally`."""
    for name, call in code.calls():
        if name == "contextlib.suppress" and any(_is_broad(each, code) for each in call.args):
            yield call.lineno, "suppress"
    for node in code.nodes:
        inner = (
            (each for statement in node.finalbody for each in ast.walk(statement))
            if isinstance(node, ast.Try)
            else ()
        )
        if any(isinstance(each, ast.Return | ast.Break | ast.Continue) for each in inner):
            yield getattr(node, "lineno", 0), "return in finally"


@gate("aicodereval.mocks")
def mocks(draft: Draft, _: EntryBounds) -> Decision:
    """Nothing is mocked."""
    return Decision(reason="needless_mock") if "mocks" in python_uses(_module(code_of(draft))) else KEEP


@gate("aicodereval.network")
def network(draft: Draft, _: EntryBounds) -> Decision:
    """No network module, and no address to fetch from."""
    code = code_of(draft)
    flaws = [Flaw("network_used", "imports")] if "network" in python_uses(_module(code)) else []
    flaws += [Flaw("address_in_code", f"line {node.lineno}: {node.value[:80]}") for node in _addresses(code)]
    return decision_of(flaws)


def _addresses(code: ParsedCode) -> Iterator[Any]:
    """Addresses passed to a call that may fetch from them; a constructed address is only a text."""
    texts = {id(node): node for node in code.nodes if _is_address(node)}
    constants = {
        target.id: inner
        for node in code.nodes
        if isinstance(node, ast.Assign)
        for inner in ast.walk(node.value)
        if id(inner) in texts
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for name, call in code.calls():
        top = name.partition(".")[0]
        if name.rpartition(".")[2] in _KEEPS_TEXT or top in STANDARD or hasattr(builtins, name):
            continue  # standard library modules that fetch are network modules
        for each in [*call.args, *(keyword.value for keyword in call.keywords)]:
            for inner in ast.walk(each):
                if id(inner) in texts:
                    yield texts[id(inner)]
                elif isinstance(inner, ast.Name) and inner.id in constants:
                    yield constants[inner.id]


_KEEPS_TEXT_NAMES = """
format join replace startswith endswith removeprefix removesuffix split rsplit partition rpartition strip
lstrip rstrip append extend add insert setdefault get count find index encode quote quote_plus urljoin
urlparse urlsplit urlunsplit urlencode match fullmatch search sub findall compile str repr len print
isinstance sorted list tuple set dict any all ValueError TypeError KeyError LookupError RuntimeError Path
PurePosixPath zip enumerate map max min
"""
_KEEPS_TEXT = frozenset(_KEEPS_TEXT_NAMES.split())


def _is_address(node: ast.AST) -> bool:
    written = node.value if isinstance(node, ast.Constant) else None
    return isinstance(written, str) and bool(re.match(r"(https?|ftp|wss?)://", written))


def _module(code: ParsedCode) -> ast.Module:
    module = code.nodes[0]
    assert isinstance(module, ast.Module)
    return module


_SEEDS = {"random": "random.seed", "numpy.random": "numpy.random.seed", "torch": "torch.manual_seed"}
_REASONS = {
    "random": "random_unseeded",
    "numpy.random": "numpy_random_unseeded",
    "torch": "torch_random_unseeded",
}
_GENERATORS = {
    "random.Random": "random",
    "numpy.random.default_rng": "numpy.random",
    "numpy.random.RandomState": "numpy.random",
    "numpy.random.Generator": "",
    "torch.Generator": "",
}
_TORCH = frozenset(
    f"torch.{name}" for name in ("rand", "randn", "randint", "randperm", "bernoulli", "multinomial", "normal")
)
_ALWAYS_NEW = ("secrets", "os.urandom", "uuid.uuid1", "uuid.uuid4", "random.SystemRandom")
_NO_DRAW = {"random.getstate", "random.setstate", "numpy.random.SeedSequence"}
_CLOCK_NAMES = """
time.time time.time_ns datetime.datetime.now datetime.datetime.utcnow datetime.datetime.today
datetime.date.today time.perf_counter time.perf_counter_ns time.monotonic time.monotonic_ns
time.process_time time.process_time_ns time.thread_time time.thread_time_ns time.clock_gettime os.times
"""
_CLOCKS = frozenset(_CLOCK_NAMES.split())
_MOMENTS = {"time.localtime": 1, "time.gmtime": 1, "time.ctime": 1, "time.asctime": 1, "time.strftime": 2}
_MACHINE_NAMES = """
os.getpid os.getppid os.getpgid os.getsid os.cpu_count os.process_cpu_count os.sched_getaffinity
os.environ os.environb os.getenv os.uname os.getcwd os.getlogin os.getuid os.geteuid os.getloadavg
os.name os.sysconf os.get_terminal_size sys.version sys.version_info sys.hexversion sys.platform
sys.implementation sys.executable sys.flags sys.path sys.api_version sys.argv sys.prefix sys.base_prefix
sys.getrefcount sys.getallocatedblocks sys.thread_info sys.modules platform sysconfig socket.gethostname
socket.getfqdn threading.get_ident threading.get_native_id threading.current_thread getpass pwd grp
resource shutil.disk_usage shutil.which locale.getlocale locale.getpreferredencoding id
tempfile.mkstemp tempfile.mkdtemp tempfile.gettempdir uuid.getnode
"""
_MACHINE_FILES = ("/proc/", "/sys/")
_MACHINE = frozenset(_MACHINE_NAMES.split())
_FORESTS = re.compile(
    r"sklearn\..*\.(?:\w*Forest\w*|ExtraTrees\w*|MLP\w*|SGD\w*|KMeans|MiniBatchKMeans|\w*Boosting\w*|Bagging\w*"
    r"|DecisionTree\w*|train_test_split|ShuffleSplit|shuffle|make_\w+|GaussianMixture|IsolationForest|NMF|TSNE)"
)


@gate("aicodereval.determinism", version=3)
def determinism(draft: Draft, _: EntryBounds) -> Decision:
    """No random draw without a seed and no use of the clock: five equal executions may be luck."""
    code = code_of(draft)
    called = {name for name, _ in code.calls()}
    found = [(_chance(name, node, called), f"line {node.lineno}: {name}") for name, node in code.calls()]
    found += [("machine_read", f"line {line}: {name}") for name, line in _machine_reads(code)]
    return decision_of([Flaw(reason, where) for reason, where in found if reason])


def _chance(name: str, call: ast.Call, called: set[str]) -> str:
    """Why two results of a call may differ; empty if they cannot, or if nothing is known."""
    if name in _CLOCKS or len(call.args) + len(call.keywords) < _MOMENTS.get(name, 0):
        return "clock_read"
    if any(name == each or name.startswith(f"{each}.") for each in _ALWAYS_NEW):
        return "random_unseeded"
    if name in _GENERATORS:
        home = _GENERATORS[name]
        return _REASONS[home] if home and _is_unseeded(call) else ""
    if _FORESTS.fullmatch(name) and not _is_fixed(call) and _SEEDS["numpy.random"] not in called:
        return "random_unseeded"
    home = _home(name)
    return _REASONS[home] if home and _SEEDS[home] not in called else ""


def _is_unseeded(call: ast.Call) -> bool:
    given = [*call.args, *(each.value for each in call.keywords)]
    return all(isinstance(each, ast.Constant) and each.value is None for each in given)


def _is_fixed(call: ast.Call) -> bool:
    """Whether an estimator or a split gets a seed, or draws nothing."""
    given = {each.arg: each.value for each in call.keywords}
    shuffle = given.get("shuffle")
    return "random_state" in given or (isinstance(shuffle, ast.Constant) and shuffle.value is False)


def _machine_reads(code: ParsedCode) -> Iterator[tuple[str, int]]:
    """Names whose value depends on the process, the interpreter or the machine."""
    for node in code.nodes:
        if isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load):
            name, imported = code.full(node), dotted(node).partition(".")[0] in code.names
            if imported and (name in _MACHINE or name.partition(".")[0] in _MACHINE):
                yield name, node.lineno
    yield from _machine_files(code)
    yield from ((name, call.lineno) for name, call in code.calls() if name == "id")


def _machine_files(code: ParsedCode) -> Iterator[tuple[str, int]]:
    for node in code.nodes:
        if isinstance(node, ast.Constant) and isinstance(text := node.value, str):
            yield from ((text[:80], node.lineno) for each in _MACHINE_FILES if text.startswith(each))


def _home(name: str) -> str:
    """The module whose own generator a call draws from; empty for other calls."""
    module, _, function = name.rpartition(".")
    if name in _TORCH:
        return "torch"
    if module not in ("random", "numpy.random") or name in _NO_DRAW or function == "seed":
        return ""
    return module


LINT_GATES: tuple[GateOpener, ...] = (
    levels,
    cases,
    exceptions,
    mocks,
    network,
    determinism,
)
