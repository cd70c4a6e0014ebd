"""Compiled packages of Go's standard library, and what a suite's files import and declare.

Go ships no archives since 1.20. The whole library takes a minute of CPU time, and a suite rarely needs a
fifth of it: a package is compiled when the first suite imports it, with its own imports, and cached. It is
Go's own code, so this runs outside the sandbox, with its own build cache. An archive appears under its name
only when it is complete. Our own package, which reports on tests (`go_harness.go`) and answers calls
(`go_server.go`), is next to them: complete, and without what plain tests do not need.

A file may share a program with other suites only if loading it runs none of its code: no `init`, and no
package variable that calls, waits or panics. The rule errs on the safe side: a separate program only costs
time.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Collection
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from benchwright.errors import SandboxError
from benchwright.judges.suites.go_toolchain import GoToolchain
from benchwright.judges.suites.toolchain_cache import cache_errors, cache_folder, check_place
from benchwright.lang.go.predeclared import (
    BUILT_IN_TYPES,
    may_redeclare,
    predeclared_uses,
    redeclared,
    what_loading_runs,
)
from benchwright.lang.go.test_cases import ExampleCase, examples, is_example
from benchwright.lang.go.tree import (
    declared_names,
    functions,
    go_imports,
    name_of,
    package,
    parse,
    parse_outline,
)
from benchwright.lang.protocol import Import
from benchwright.lang.source_errors import SyntaxFault
from benchwright.lang.trees import Tree
from benchwright.records import Record

HARNESS = "bwharness"  # its import path; no suite may import it
_HERE = Path(__file__).parent
_COMMON = (_HERE / "go_harness.go", _HERE / "go_server.go")
_WHOLE, _PLAIN = _HERE / "go_whole_suites.go", _HERE / "go_plain_suites.go"
JAILED = "/go-library"  # where the jail shows the archives
NAMES = "packages"  # file with the list of packages that could be compiled
# -dwarf=false: nobody debugs these programs, and linking takes a third less time.
_COMPILE = ("list", "-deps", "-export", "-trimpath", "-gcflags=all=-dwarf=false")
_EACH = ("-f", "{{.ImportPath}}={{.Export}}")
_WHAT = "Go's standard library"
_LIMIT_S = 1800


class Library(Record, frozen=True, kw_only=True):
    """The cached archives: `folder`/<import path>.a for those of `packages` that were needed so far."""

    folder: str
    packages: frozenset[str]
    harness: str  # the archive's name in the folder, without its suffix
    plain: str = ""  # that of the harness for programs of plain tests

    @property
    def public(self) -> frozenset[str]:
        """Return the packages that code outside the standard library may import."""
        return frozenset(name for name in self.packages if is_public(name))

    @property
    def compiled(self) -> frozenset[str]:
        """Return the packages that are compiled now."""
        folder = Path(self.folder)
        names = {str(path.relative_to(folder))[:-2] for path in folder.rglob("*.a")}
        return frozenset(names & self.packages)

    def config(self, names: frozenset[str] | None = None, *, plain: bool = False) -> str:
        """Return an importcfg with the paths of these packages in the jail; of all compiled ones by
        default. `plain`: with the harness for plain tests."""
        packages = self.compiled if names is None else names
        places = {**{name: name for name in packages}, HARNESS: self.plain if plain else self.harness}
        return "".join(f"packagefile {name}={JAILED}/{places[name]}.a\n" for name in sorted(places))


def is_public(name: str) -> bool:
    """Return whether any code may import a package: False for internal ones, and for our own package."""
    parts = name.split("/")
    return "internal" not in parts and parts[0] not in ("vendor", "cmd", HARNESS)


def prepare_library(toolchain: GoToolchain) -> Library:
    """Return the library of a toolchain, with the harness and its imports.

    Raises SandboxError if Go cannot compile it, PrerequisiteError if it cannot be cached.
    """
    folder = library_folder(toolchain)
    sources = [path.read_bytes() for path in (*_COMMON, _WHOLE, _PLAIN)]
    harness = f"{HARNESS}-{sha256(b''.join(sources)).hexdigest()[:12]}"
    plain = f"{harness}-plain"
    with cache_errors(_WHAT, folder.parent):
        if not folder.is_dir():  # an existing one may belong to another user
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o755)
        packages = _packages(toolchain, folder)
        library = Library(folder=str(folder), packages=packages, harness=harness, plain=plain)
        absent = [name for name in (harness, plain) if not (folder / f"{name}.a").is_file()]
        if absent:
            imports = (each for source in sources for each in read_source(source.decode()).imports)
            provide(library, toolchain, {each.module for each in imports})
        for name in absent:
            _make_harness(toolchain, library, name)
    return library


def library_folder(toolchain: GoToolchain) -> Path:
    """Return the folder of a toolchain's archives."""
    return cache_folder() / f"go-{toolchain.version}-{_key(toolchain)}"


def check_library(toolchain: GoToolchain) -> None:
    """Raise PrerequisiteError if a missing library could not be cached."""
    check_place(_WHAT, library_folder(toolchain))


def provide(library: Library, toolchain: GoToolchain, names: Collection[str]) -> None:
    """Compile the missing ones of these packages and of everything that they import.

    Raises SandboxError if Go cannot compile one, PrerequisiteError if it cannot be cached. Two processes may
    do this at the same time: Go compiles a package to the same bytes each time.
    """
    folder = Path(library.folder)
    absent = sorted(name for name in library.packages & set(names) if not _archive(folder, name).is_file())
    if not absent:
        return
    with cache_errors(_WHAT, folder.parent):
        for name, archive in _compiled(toolchain, folder, absent):
            _put(archive, _archive(folder, name))


def _archive(folder: Path, name: str) -> Path:
    return folder / f"{name}.a"


def _packages(toolchain: GoToolchain, folder: Path) -> frozenset[str]:
    """Return the packages of the standard library, read once. The compiler itself implements `unsafe`."""
    listing = folder / NAMES
    if not listing.is_file():
        with tempfile.TemporaryDirectory(prefix="go-", dir=folder.parent) as scratch:
            names = _go(toolchain, ["list", "std"], folder=Path(scratch), cache=_cache(folder))
            written = Path(scratch, NAMES)
            written.write_text(names)
            written.replace(listing)
    return frozenset(listing.read_text().split()) - {"unsafe"}


def _compiled(toolchain: GoToolchain, folder: Path, names: list[str]) -> list[tuple[str, Path]]:
    """Yield each package with the archive that Go made of it, after all packages that it imports."""
    with tempfile.TemporaryDirectory(prefix="go-", dir=folder.parent) as scratch:
        output = _go(toolchain, [*_COMPILE, *_EACH, *names], folder=Path(scratch), cache=_cache(folder))
    pairs = (line.partition("=") for line in output.splitlines())
    return [(name, Path(archive)) for name, _, archive in pairs if archive]


def _put(archive: Path, place: Path) -> None:
    """Link the archive from Go's cache, which drops its own after days without use."""
    if place.is_file():
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    archive.chmod(0o644)  # the jail may run as another user
    try:
        os.link(archive, place)
    except FileExistsError:
        return  # another process was faster, and its archive is the same


def _cache(folder: Path) -> Path:
    """Return Go's build cache, next to the library, where the jail does not show it."""
    return folder.with_name(f"{folder.name}-cache")


def _key(toolchain: GoToolchain) -> str:
    """Return a key: two toolchains of one version may differ in architecture and in a distribution's
    patches."""
    digest = sha256()
    for part in (toolchain.root, toolchain.tools, *_COMPILE):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:12]


def _make_harness(toolchain: GoToolchain, library: Library, name: str) -> None:
    """Compile our own package next to the standard library; an older one stays for processes that use it."""
    folder = Path(library.folder)
    with tempfile.TemporaryDirectory(prefix="go-", dir=folder.parent) as place:
        scratch = Path(place)
        config = scratch / "importcfg"
        config.write_text("".join(f"packagefile {each}={folder}/{each}.a\n" for each in library.compiled))
        sources = (*_COMMON, _PLAIN if name == library.plain else _WHOLE)
        _compile_harness(toolchain, scratch, config, sources)
        (scratch / "harness.a").rename(folder / f"{name}.a")


def _compile_harness(toolchain: GoToolchain, scratch: Path, config: Path, sources: tuple[Path, ...]) -> None:
    environment = go_environment(toolchain, cache=str(scratch / "cache"), home=str(scratch))
    flags = ["-p", HARNESS, "-importcfg", str(config), "-pack", "-complete", "-dwarf=false"]
    flags += ["-trimpath", str(_HERE)]
    command = [f"{toolchain.tools}/compile", "-o", "harness.a", *flags, *map(str, sources)]
    _run(command, environment, folder=scratch)


def _go(toolchain: GoToolchain, arguments: list[str], *, folder: Path, cache: Path) -> str:
    """Run the go command in a module without code, and return its output."""
    (folder / "go.mod").write_text("module none\n")
    environment = go_environment(toolchain, cache=str(cache), home=str(folder))
    return _run([toolchain.go, *arguments], environment, folder=folder)


def go_environment(toolchain: GoToolchain, *, cache: str, home: str) -> dict[str, str]:
    """Return variables under which the go command reads no user settings and contacts no server."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": home,
        "GOROOT": toolchain.root,
        "GOPATH": f"{home}/gopath",
        "GOCACHE": cache,
        "GOENV": "off",
        "GOFLAGS": "-mod=mod",
        "GOPROXY": "off",
        "GOTOOLCHAIN": "local",
        "GOTELEMETRY": "off",
        "CGO_ENABLED": "0",
    }


def _run(command: list[str], environment: dict[str, str], *, folder: Path) -> str:
    result = subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, timeout=_LIMIT_S, check=False
    )
    if result.returncode != 0:
        last = (result.stderr.strip().splitlines() or [f"exit status {result.returncode}"])[-1]
        raise SandboxError(f"cannot compile Go's standard library: {last}", hint=" ".join(command[:2]))
    return result.stdout


# packages whose import gives a suite its own program: they reach beyond their own package
_OWN_PROGRAM = (
    *("C", "unsafe", "embed", "os/exec", "os/signal", "syscall", "plugin", "flag", "runtime", "log/slog"),
)
_DIRECTIVE = re.compile(r"^//(?:go:(?!generate)\w+|export |line |\s*\+build|go:build)", re.MULTILINE)
_LINKNAME = re.compile(r"^//go:linkname[ \t]+\S+[ \t]+(?:testing|os|syscall|bwharness)\b", re.MULTILINE)
# reveals that a program is shared, except for comparing, which shows no path
_REFLECTS = re.compile(r"\breflect\b(?!\.DeepEqual\b)")
_QUIET = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`[^`]*`", re.DOTALL)
_TRUTHS = ("true", "false", "nil")
_SMALL = 1 << 16  # characters of a text that is worth caching
_FUZZ = re.compile(r"Fuzz(?![a-z])\w*\Z")


class GoSource(Record, frozen=True, kw_only=True):
    """Facts about one file. `fault`: it cannot be read, so nothing else is known; `unbounded`: because it
    takes too much, not because it is invalid. `alone`: why it may not share a program, empty if it may.
    `sign`: why its reports cannot be trusted. `reflects`: it may use more of `reflect` than DeepEqual.
    `redeclares`: predeclared names that it declares for its package."""

    package: str = ""
    imports: list[Import] = []
    functions: frozenset[str] = frozenset()
    examples: list[ExampleCase] = []
    fault: str = ""
    unbounded: bool = False
    alone: str = ""
    sign: str = ""
    reflects: bool = False
    redeclares: frozenset[str] = frozenset()
    selected: frozenset[str] = frozenset()  # used names of package testing; "." for a dot import

    @property
    def fuzzes(self) -> list[str]:
        """Return whether it has fuzz targets, which `go test` runs on their seeds."""
        return sorted(name for name in self.functions if _FUZZ.match(name))


def read_source(text: str) -> GoSource:
    """Return the facts of one file. Raises PrerequisiteError if the parser is not installed."""
    return _known(text) if len(text) <= _SMALL else _read(text)


@lru_cache(maxsize=1024)  # a suite is run several times with the same files
def _known(text: str) -> GoSource:
    return _read(text)


def _read(text: str) -> GoSource:
    tree = parse_outline(text)
    if isinstance(tree, SyntaxFault):
        return GoSource(fault=str(tree), unbounded=tree.reason == "too_large", alone="it cannot be read")
    imports = go_imports(tree)
    if tree.fault:
        return GoSource(
            package=package(tree),
            imports=imports,
            alone="it does not parse",
            sign=_sign(tree, text),
            redeclares=frozenset(redeclared(tree)),
        )
    function_names = frozenset(name_of(tree, node) for node in functions(tree))
    whole = parse(text) if may_redeclare(tree) or any(map(is_example, function_names)) else tree
    whole = tree if isinstance(whole, SyntaxFault) else whole
    return GoSource(
        package=package(tree),
        imports=imports,
        functions=function_names,
        examples=examples(whole),
        alone=_alone(tree, text, function_names),
        sign=_sign(tree, text),
        reflects=_reflects(imports, text),
        redeclares=frozenset(redeclared(whole)),
        selected=_selected(imports, text),
    )


def _selected(imports: list[Import], text: str) -> frozenset[str]:
    """Return the names of package testing that a file uses. Names in comments and strings do not count."""
    found: set[str] = set()
    for each in (each for each in imports if each.module == "testing"):
        name = each.alias or "testing"
        selectors = re.findall(rf"\b{name}\s*\.\s*(\w+)", _QUIET.sub(" ", text))
        found |= {"."} if each.names else set(selectors)
    return frozenset(found)


def uses(text: str, names: frozenset[str]) -> set[str]:
    """Return which of these predeclared names a file uses, so that a redeclaration in its package changes
    it."""
    tree = parse(text)
    return set() if isinstance(tree, SyntaxFault) else predeclared_uses(tree, names)


def _reflects(imports: list[Import], text: str) -> bool:
    """Return whether the text contains the name: a name in a comment errs on the safe side."""
    found = [each for each in imports if each.module == "reflect"]
    return bool(found) and (len(found) > 1 or not _is_plain(found[0]) or len(_REFLECTS.findall(text)) != 1)


def _is_plain(imported: Import) -> bool:
    """Return whether the package is imported under its own name."""
    return not imported.alias and not imported.names


def _sign(tree: Tree, text: str) -> str:
    if _LINKNAME.search(text):
        return "reaches into the test runner with //go:linkname"
    for name in sorted(declared_names(tree)):
        if name in _TRUTHS:
            return f"declares a {name!r} of its own for the whole package"
    return ""


def _alone(tree: Tree, text: str, function_names: frozenset[str]) -> str:
    for name in ("init", "TestMain"):
        if name in function_names:
            return f"it has a function {name}"
    if _DIRECTIVE.search(text):
        return "it has a directive for the compiler"
    imports = go_imports(tree)
    for path in _OWN_PROGRAM:
        if any(each.module == path or each.module.startswith(f"{path}/") for each in imports):
            return f"it imports {path}"
    for name in sorted(BUILT_IN_TYPES & declared_names(tree)):
        return f"it declares a {name} of its own"
    errors = any(each.module == "errors" and _is_plain(each) for each in imports)
    return what_loading_runs(tree, errors=errors)
