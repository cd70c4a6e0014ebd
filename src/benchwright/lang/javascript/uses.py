"""Uses that make a JavaScript file's result nondeterministic, and the checks of its tests."""

from __future__ import annotations

from collections.abc import Iterator

from benchwright.lang.javascript.modules import arguments, javascript_imports, text_of
from benchwright.lang.nondeterminism import Detectors
from benchwright.lang.trees import Node, Tree

# Names are modules, globals, "object.member", and ".member" of anything.
_DETECTORS = Detectors(
    {
        "time": "Date performance process.hrtime process.uptime perf_hooks",
        "sleep": "setTimeout setInterval setImmediate timers .waitFor",
        "random": "Math.random crypto.randomBytes crypto.randomUUID crypto.getRandomValues .randomUUID",
        "network": "net http https http2 dgram dns tls fetch WebSocket XMLHttpRequest",
        "threads": "worker_threads cluster Worker SharedArrayBuffer Atomics",
        "processes": "child_process process.exit process.kill process.abort process.pid",
        "environment": """
            process.env process.argv process.cwd process.chdir process.platform process.version os Intl
        """,
        "files": "fs __dirname __filename import.meta",
        "async": "async",
        "mocks": "mock .mock sinon",
        "prints": "console process.stdout process.stderr",
        "reflection": "eval Function vm Proxy Reflect inspector v8 repl",
        "callers": "Error.captureStackTrace Error.prepareStackTrace Error.stackTraceLimit .caller .callee",
        "identity": "WeakRef FinalizationRegistry",
        "native": "process.binding process.dlopen wasi WebAssembly ffi",
    }
)
_ASSETS = ("readFileSync", "readFile", "createReadStream", "readdirSync", "openSync")


def javascript_uses(tree: Tree) -> set[str]:
    """Return the uses of a file, of `detectors.USES`."""
    found = _DETECTORS.of(_names(tree))
    return found | ({"assets"} if any(_loads_constant(tree, node) for node in tree.root.walk()) else set())


def asserts(tree: Tree) -> int:
    """Return the number of calls of `assert`, its members, `t.assert` members and `expect`."""
    count = 0
    for node in tree.root.walk():
        if node.kind == "call_expression":
            called = tree.name(node.get("function"))
            holder = called.partition(".")[0].partition("(")[0]
            count += holder in ("assert", "expect") or called.startswith("t.assert.")
    return count


def _names(tree: Tree) -> Iterator[str]:
    for each in javascript_imports(tree):
        module = each.module.removeprefix("node:").replace("/", ".")
        yield module
        yield from (f"{module}.{name}" for name in each.names)
    for node in tree.root.walk():
        if node.kind == "identifier":
            yield tree.text(node)
        elif node.kind in ("async", "await_expression"):
            yield "async"
        elif node.kind == "meta_property":
            yield tree.text(node)
        elif node.kind == "member_expression":
            holder, member = node.get("object"), tree.text(node.get("property"))
            yield f".{member}"
            if holder is not None and holder.kind == "identifier":
                yield f"{tree.text(holder)}.{member}"


def _loads_constant(tree: Tree, node: Node) -> bool:
    """Return whether a call reads a file that a literal names."""
    if node.kind != "call_expression" or tree.name(node.get("function")).rpartition(".")[2] not in _ASSETS:
        return False
    given = arguments(node)
    return bool(given) and text_of(tree, given[0]) is not None
