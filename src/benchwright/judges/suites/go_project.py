"""Plan the packages of a suite: which files belong together, their imports, and the compile order.

The go command is not used, since it would need its own module cache and build cache in every sandbox. Errors
that it reports before compiling are reported here, in its words where they are known.
"""

from __future__ import annotations

import json
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import PurePosixPath

from benchwright.contracts import Suite
from benchwright.judges.suites import report_verification as canaries
from benchwright.judges.suites.go_library import HARNESS, GoSource, is_public, read_source, uses
from benchwright.judges.suites.go_toolchain import GoToolchain, excluded
from benchwright.judges.suites.reentry_guards import guarded_go
from benchwright.judges.suites.report_verification import Canaries, random_word
from benchwright.lang.go.test_cases import ExampleCase
from benchwright.records import Record

VETTED = "go-vet"  # framework of answers' suites: vet errors that fail `go test` fail them too
_MODULE = re.compile(r"^\s*module\s+\"?([^\s\"]+)", re.MULTILINE)
_GO = re.compile(r"^\s*go\s+(\d+)\.(\d+)", re.MULTILINE)
_CASE = re.compile(r"Test(?![a-z])\w*\Z")
_NAME = re.compile(r"[\w.-]+(?:/[\w.-]+)*\Z", re.ASCII)
_NEWEST = (9, 9)
# Before these language versions a name is not predeclared, so it can only be the package's own.
_SINCE = {"min": (1, 21), "max": (1, 21), "clear": (1, 21), "any": (1, 18), "comparable": (1, 18)}
# names of package testing that run tests; test helpers in separate files use its types
_RUNNERS = frozenset({"Main", "MainStart", "RunTests", "RunExamples", "InternalTest", "InternalExample", "."})
_ALONE_OF_PATH = ("testing/synctest",)  # shows package paths, which differ in a shared program


class BuildProblem(Record, frozen=True, kw_only=True):
    """Why a suite is not compiled at all: one of FAILURES, and a sentence."""

    kind: str
    detail: str


class GoPackage(Record, frozen=True, kw_only=True):
    """One package: its import path in the suite, its files, and its imports from the suite."""

    path: str
    files: list[str]
    needs: frozenset[str]
    standard: frozenset[str]


class GoSuite(Record, frozen=True, kw_only=True):
    """A suite ready to be compiled. `texts` are its files and added files, by path."""

    suite: Suite
    texts: dict[str, str]
    packages: list[GoPackage]  # in compile order; the last one contains the tests
    canaries: Canaries
    entry: str  # exported function that returns the tests
    language: str  # go version in go.mod, such as "go1.22"; empty for the toolchain's
    alone: str  # why it may not share a program; empty if it may
    whole: bool  # it has a TestMain, fuzz targets or examples: see `go_running`
    problem: BuildProblem | None = None

    @property
    def folder(self) -> str:
        """Return the working folder of its tests: the folder of the test file."""
        return str(PurePosixPath(self.suite.test).parent)

    @property
    def standard(self) -> frozenset[str]:
        """Return its imports from the standard library."""
        return frozenset().union(*(package.standard for package in self.packages))


class _Group(Record, frozen=True, kw_only=True):
    """The files of one folder, by the package that they belong to."""

    folder: str
    inner: dict[str, GoSource]  # including tests in the package itself
    outer: dict[str, GoSource]  # tests of the package x_test


def plan_pair(suite: Suite, toolchain: GoToolchain, *, public: frozenset[str], served: str = "") -> GoSuite:
    """Plan how to compile a suite, or say why not. `public`: the packages of the standard library that it may
    import.

    `served`: the function whose calls its program answers, instead of running tests.
    """
    texts = {path: text for path, text in suite.files.items() if path.endswith(".go") and _NAME.match(path)}
    texts = {path: text for path, text in texts.items() if not excluded(path, text, toolchain)}
    sources = {path: read_source(text) for path, text in texts.items()}
    module = _module(suite)
    canary_names, entry = canaries.draw_canaries("TestQ{}"), f"Suite{random_word()}"
    packages, problem = _packages(sources, suite, module, public)
    problem = _unread(sources) or problem or _settled(suite, sources, toolchain, packages)
    problem = problem or _redeclared(suite, sources) or _runs_tests(suite, sources)
    alone = _alone(sources, packages)
    if problem is None:
        guard = f"guard{random_word()}"
        shown = {path: sources[path] for path in packages[-1].files}
        text = _server_source(sources[suite.test], served, entry) if served else ""
        text = text or _entry_source(suite, shown, canary_names, entry, guard)
        texts |= {suite.test: guarded_go(suite, guard), **_added(suite, sources, packages, entry, text)}
        packages = _with_added(packages, texts)
    return GoSuite(
        suite=suite,
        texts=texts,
        packages=packages,
        canaries=canary_names,
        entry=entry,
        language=_language(suite),
        alone=alone,
        whole=_is_whole(sources),
        problem=problem,
    )


def _unread(sources: dict[str, GoSource]) -> BuildProblem | None:
    """Return the first file that the parser could not read. A file that takes too much may be valid."""
    for path, source in sources.items():
        if source.fault:
            kind = "environment" if source.unbounded else "compile"
            return BuildProblem(kind=kind, detail=f"{path}: {source.fault}")
    return None


def _redeclared(suite: Suite, sources: dict[str, GoSource]) -> BuildProblem | None:
    """Report a predeclared name that tests use and that their package redeclares. Redeclarations in a test
    file are the test's own choice."""
    release = _release(suite) or _NEWEST
    for group in _groups(sources):
        for path in [path for path in group.inner if not _is_test(path, suite)]:
            names = frozenset(
                each for each in sources[path].redeclares if release >= _SINCE.get(each, release)
            )
            for test in [test for test in group.inner if _is_test(test, suite) and names]:
                if used := sorted(uses(suite.files[test], names)):
                    detail = f"{path}: declares a {used[0]!r} of its own, which {test} uses"
                    return BuildProblem(kind="tampered", detail=detail)
    return None


def _runs_tests(suite: Suite, sources: dict[str, GoSource]) -> BuildProblem | None:
    """Report a file of the code under test that could run tests, and so learn the expected values."""
    for path, source in sources.items():
        if path.endswith("_test.go") and path != suite.focal:
            continue
        allowed = {"TB"} if suite.framework == VETTED else source.selected - _RUNNERS
        if found := sorted(source.selected - allowed):
            return BuildProblem(
                kind="tampered", detail=f"{path}: uses testing.{found[0]}, which only tests may"
            )
    return None


def _is_test(path: str, suite: Suite) -> bool:
    return path.endswith("_test.go") and path != suite.focal


def _module(suite: Suite) -> str:
    match = _MODULE.search(suite.files.get("go.mod", ""))
    return match[1] if match and _NAME.match(match[1]) else "pair"


def _release(suite: Suite) -> tuple[int, int] | None:
    """Return the language version in go.mod."""
    match = _GO.search(suite.files.get("go.mod", ""))
    return (int(match[1]), int(match[2])) if match else None


def _language(suite: Suite) -> str:
    release = _release(suite)
    return f"go{release[0]}.{release[1]}" if release else ""


def _settled(
    suite: Suite, sources: dict[str, GoSource], toolchain: GoToolchain, packages: list[GoPackage]
) -> BuildProblem | None:
    """Report why a suite of valid packages cannot be run."""
    for path, source in sources.items():
        if source.sign:
            return BuildProblem(kind="tampered", detail=f"{path}: {source.sign}")
    release = _release(suite)
    if release and release > toolchain.numbers:
        detail = f"go.mod asks for Go {release[0]}.{release[1]}, and this is {toolchain.version}"
        return BuildProblem(kind="environment", detail=detail)
    if not packages or suite.test not in packages[-1].files:
        return BuildProblem(kind="compile", detail=f"{suite.test} is not a Go file that is compiled here")
    odd = next((name for name in suite.cases if not _CASE.match(name)), None)
    return BuildProblem(kind="environment", detail=f"{odd!r} is not the name of a Go test") if odd else None


def _packages(
    sources: dict[str, GoSource], suite: Suite, module: str, public: frozenset[str]
) -> tuple[list[GoPackage], BuildProblem | None]:
    found: dict[str, GoPackage] = {}
    own = {_import_path(module, str(PurePosixPath(path).parent)) for path in sources}
    own -= public
    for group in _groups(sources):
        path = _import_path(module, group.folder)
        for name, files in ((path, group.inner), (f"{path}_test", group.outer)):
            if problem := _mixed(files) or _missing(files, own, module, public):
                return [], problem
            if files:
                imported = {each.module for source in files.values() for each in source.imports}
                needs, standard = frozenset(imported & own), frozenset(imported & public)
                found[name] = GoPackage(path=name, files=sorted(files), needs=needs, standard=standard)
    return _ordered(found, suite.test)


def _import_path(module: str, folder: str) -> str:
    return module if folder == "." else f"{module}/{folder}"


def _groups(sources: dict[str, GoSource]) -> list[_Group]:
    folders = sorted({str(PurePosixPath(path).parent) for path in sources})
    groups = []
    for folder in folders:
        files = {path: each for path, each in sources.items() if str(PurePosixPath(path).parent) == folder}
        outer = {p for p, each in files.items() if p.endswith("_test.go") and each.package.endswith("_test")}
        inner = {path: each for path, each in files.items() if path not in outer}
        groups.append(_Group(folder=folder, inner=inner, outer={path: files[path] for path in outer}))
    return groups


def _mixed(files: dict[str, GoSource]) -> BuildProblem | None:
    names = sorted({source.package for source in files.values() if source.package})
    if len(names) > 1:
        return BuildProblem(kind="compile", detail=f"found packages {' and '.join(names)} in one folder")
    return None


def _missing(
    files: dict[str, GoSource], own: set[str], module: str, public: frozenset[str]
) -> BuildProblem | None:
    """Report the first import that leads nowhere."""
    for path, source in sorted(files.items()):
        for name in (each.module for each in source.imports):
            if name not in public and name not in own and name != "unsafe":
                kind, why = _nowhere(name, module)
                return BuildProblem(kind=kind, detail=f"{path}: package {name} {why}")
    return None


def _nowhere(name: str, module: str) -> tuple[str, str]:
    if name == "C":
        return "environment", "needs a C compiler, and cgo is off"
    if name == module or name.startswith(f"{module}/"):
        return "import", "is not among the files of the suite"
    if name == HARNESS or not is_public(name):
        return "import", "may not be used outside the standard library"
    if "." in name.split("/", maxsplit=1)[0]:
        return "environment", "belongs to another module, which is not available"
    return "import", "is not in the standard library"


def _ordered(found: dict[str, GoPackage], test: str) -> tuple[list[GoPackage], BuildProblem | None]:
    """Return the packages that the tests need, each after those that it imports, the tests' own package
    last."""
    last = next((package for package in found.values() if test in package.files), None)
    if last is None:
        return [], None
    needed_packages, waiting = set[str](), [last.path, last.path.removesuffix("_test")]
    while waiting:
        path = waiting.pop()
        if path in found and path not in needed_packages:
            needed_packages.add(path)
            waiting += found[path].needs
    graph = {path: set(found[path].needs) for path in sorted(needed_packages)}
    if last.path.endswith("_test"):  # its package is tested even if the test does not import it
        graph[last.path] |= {last.path.removesuffix("_test")} & needed_packages
    try:
        order = [
            path
            for path in TopologicalSorter(graph).static_order()
            if path in needed_packages and path != last.path
        ]
    except CycleError as error:
        return [], BuildProblem(
            kind="compile", detail=f"import cycle not allowed: {' imports '.join(error.args[1])}"
        )
    return [*(found[path] for path in order), last], None


def _alone(sources: dict[str, GoSource], packages: list[GoPackage]) -> str:
    for path, source in sorted(sources.items()):
        if source.alone:
            return f"{path}: {source.alone}"
        if source.reflects or any(each.module in _ALONE_OF_PATH for each in source.imports):
            return f"{path}: it may see the paths of packages"
    return "" if packages else "nothing to compile"


def _is_whole(sources: dict[str, GoSource]) -> bool:
    return any(
        source.fuzzes or source.examples or "TestMain" in source.functions for source in sources.values()
    )


def _added(
    suite: Suite, sources: dict[str, GoSource], packages: list[GoPackage], entry: str, text: str
) -> dict[str, str]:
    """Return added files: `text` next to the tests, and in every package an import of the harness, so that
    nothing of the suite runs before it."""
    added = {}
    for package in packages[:-1]:
        place = PurePosixPath(package.files[0]).with_name(f"harness_{entry.lower()}.go")
        added[str(place)] = f'package {sources[package.files[0]].package}\n\nimport _ "{HARNESS}"\n'
    place = PurePosixPath(suite.test).with_name(f"harness_{entry.lower()}_test.go")
    added[str(place)] = text
    return added


def _server_source(test: GoSource, function: str, entry: str) -> str:
    h = f"h{random_word()}"
    return f'package {test.package}\n\nimport {h} "{HARNESS}"\n\nfunc {entry}() {{ {h}.Serve({function}) }}\n'


def _entry_source(
    suite: Suite, shown: dict[str, GoSource], canary_names: Canaries, entry: str, guard: str
) -> str:
    h = f"h{random_word()}"
    watches = (canary_names.passing, canary_names.failing)
    calls = [f'Case("{name}", {name})' for name in suite.cases]
    calls += [f'Watch("{name}", {name})' for name in watches]
    for source in shown.values():
        calls += [f'Seeds("{name}", {name})' for name in source.fuzzes]
        calls += [_shown(each) for each in source.examples]
        calls += ["Around(TestMain)"] if "TestMain" in source.functions else []
    functions = "".join(f"func {name}(t *{h}.T) {{ {h}.Canary(t) }}\n\n" for name in watches)
    functions += f"func {guard}(name string) func() {{ return {h}.Entered(name) }}\n\n"
    calls += ["Seal()"] if suite.framework == VETTED else []
    body = "".join(f"\t{h}.{call}\n" for call in calls)
    head = f'package {shown[suite.test].package}\n\nimport {h} "{HARNESS}"\n\n'
    return f"{head}{functions}func {entry}() {{\n{body}}}\n"


def _shown(example: ExampleCase) -> str:
    output, unordered = _quoted(example.output), str(example.unordered).lower()
    return f'Shown("{example.name}", {example.name}, {output}, {unordered})'


def _quoted(text: str) -> str:
    """Return a Go string literal; JSON's is valid Go, except for surrogate pairs."""
    return json.dumps(text, ensure_ascii=False)


def _with_added(packages: list[GoPackage], texts: dict[str, str]) -> list[GoPackage]:
    """Return the packages with the added files."""
    result = []
    for number, package in enumerate(packages):
        folder, is_last = PurePosixPath(package.files[0]).parent, number == len(packages) - 1
        ours = [
            path
            for path in texts
            if PurePosixPath(path).name.startswith("harness_suite")
            and PurePosixPath(path).parent == folder
            and path.endswith("_test.go") == is_last
        ]
        result.append(
            GoPackage(
                path=package.path,
                files=[*package.files, *ours],
                needs=package.needs,
                standard=package.standard,
            )
        )
    return result
