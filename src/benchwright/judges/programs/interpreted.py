"""Programs in Python, JavaScript and TypeScript: checked for syntax, then run from their source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from benchwright.errors import PrerequisiteError, package_command
from benchwright.judges.programs.toolchain import BuildStep, ProgramPlan, environment
from benchwright.judges.suites.javascript import PACKAGE, NodeToolchain, find_node, installed_nodes
from benchwright.lang.program_languages import program_language
from benchwright.sandbox.environments import interpreter
from benchwright.sandbox.jail import python_version

_CHECK = "import sys; compile(open(sys.argv[1], 'rb').read(), sys.argv[1], 'exec', dont_inherit=True)"
_NODE = "/node/bin/node"
_STACK = ("--stack-size=3900",)  # KiB; recursion that other languages allow needs more than 1 MiB
_PARSE = (
    "require('node:module').stripTypeScriptTypes("
    "require('node:fs').readFileSync(process.argv[1], 'utf8'), { mode: 'transform' })"
)
STRIPS_TYPES = (22, 18)  # the first version of Node.js that runs TypeScript without a flag


class PythonPrograms:
    """The interpreter that runs answers, with the standard library alone."""

    def versions(self) -> Mapping[str, str]:
        """Return the interpreter's version."""
        return {"python": python_version()}

    def plan(self, code: str, *, memory_mb: int) -> ProgramPlan:
        """Return the check of the syntax, and the interpreter's command."""
        python, flags = str(interpreter()), ("-s", "-S", "-B", "-X", "utf8")
        return ProgramPlan(
            source="main.py",
            steps=(BuildStep(argv=(python, "-I", "-S", "-B", "-c", _CHECK, "main.py")),),
            building=environment("program"),
            run=(python, *flags, "main.py"),
            running=environment("program"),
            start_cpu_s=0.1,
        )


class NodePrograms:
    """Node.js, of a version that runs the language. `check` and `flags` are arguments before the source."""

    def __init__(
        self, lang: str, oldest: tuple[int, int], *, check: tuple[str, ...], flags: tuple[str, ...] = ()
    ) -> None:
        self._lang, self._oldest, self._check, self._flags = lang, oldest, check, flags

    @cached_property
    def _node(self) -> NodeToolchain:
        found = next((each for each in _nodes() if _numbers(each.version) >= self._oldest), None)
        if found is None:
            oldest = ".".join(map(str, self._oldest))
            message = f"Node.js {oldest} or later is not installed, which {self._lang} programs need"
            raise PrerequisiteError(message, hint=package_command(PACKAGE))
        return found

    def versions(self) -> Mapping[str, str]:
        """Return the version of Node.js."""
        return {"node": self._node.version}

    def plan(self, code: str, *, memory_mb: int) -> ProgramPlan:
        """Return the check of the syntax, and the command of Node.js."""
        source = program_language(self._lang).file_of(code).path
        seen = environment(
            f"node-{self._node.version}", ((self._node.path, _NODE),), runtime=True, open_files=1024
        )
        return ProgramPlan(
            source=source,
            steps=(BuildStep(argv=(_NODE, *self._check, source)),),
            building=seen,
            run=(_NODE, f"--max-old-space-size={memory_mb}", *_STACK, *self._flags, source),
            running=seen,
            variables={"NO_COLOR": "1"},
            runtime_mb=192,
            start_cpu_s=0.3,
        )


def _nodes() -> Iterator[NodeToolchain]:
    yield find_node()
    yield from installed_nodes()


def _numbers(version: str) -> tuple[int, int]:
    major, minor = version.split(".")[:2]
    return int(major), int(minor)


PYTHON = PythonPrograms()
JAVASCRIPT = NodePrograms("JavaScript", (20, 0), check=("--check",))
TYPESCRIPT = NodePrograms(
    "TypeScript",
    STRIPS_TYPES,
    check=("--no-warnings", "-e", _PARSE),
    flags=("--no-warnings", "--experimental-transform-types"),
)
