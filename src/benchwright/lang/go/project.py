"""Which other files of its module a Go pair uses, and the pair among the packages that it imports."""

from __future__ import annotations

import re
from collections.abc import Iterator

from benchwright.contracts import Suite
from benchwright.lang.go.inlining import declares, lacking, members_used, methods_of, package_of
from benchwright.lang.go.layout import bound_in, local_names, selectors
from benchwright.lang.go.tree import STANDARD, go_imports, parse
from benchwright.lang.protocol import PairNeeds, PairTexts, ProjectLayout, ProjectTexts
from benchwright.lang.source_errors import SyntaxFault

MODULE = re.compile(r"^\s*module\s+\"?([^\s\"]+)", re.MULTILINE)
_EMBED = re.compile(r"^//go:embed\s+(\S+)", re.MULTILINE)
MODULE_FILE = "go.mod"


def go_needs(pair: PairTexts, near: ProjectTexts) -> PairNeeds:
    """Return the files that a pair takes names from; Go tests need no plug-ins."""
    found = {*_beside(pair, near), *_of_packages(pair, near), *_embedded(pair)}
    return PairNeeds(frozenset(found - {pair.focal_path, pair.test_path}))


def _beside(pair: PairTexts, near: ProjectTexts) -> Iterator[str]:
    """Yield files of the same folder that declare a name which either file lacks, or a method that one
    calls."""
    codes = (pair.focal_code, pair.test_code)
    own = {(package_of(code), name) for code in codes for name in declares(code)}
    methods = {method for code in codes for method in methods_of(code)}
    members = frozenset[str]().union(*(members_used(code) for code in codes))
    outside = _taken_from_outside(pair.test_code)
    for path, text in near.beside(pair.focal_path, ".go").items():
        clause = package_of(text)
        wanted = {name for code in codes if package_of(code) == clause for name in _free(code)}
        wanted |= outside if clause != package_of(pair.test_code) and not path.endswith("_test.go") else set()
        given = {name for name in declares(text) if (clause, name) not in own}
        called = {
            name for kind, name in methods_of(text) - methods if (clause, kind) in own and name in members
        }
        if path != pair.test_path and (called or not given.isdisjoint(wanted)):
            yield path


def _free(code: str) -> frozenset[str]:
    """Return the names that a file uses and neither declares nor binds anywhere."""
    tree = parse(code)
    return frozenset() if isinstance(tree, SyntaxFault) else lacking(code) - bound_in(tree)


def _taken_from_outside(test_code: str) -> set[str]:
    """Return the names that a test takes from packages outside the standard library, under any local name."""
    tree = parse(test_code)
    if isinstance(tree, SyntaxFault):
        return set()
    imported = {path: names for path, names in local_names(tree).items() if path not in STANDARD}
    holders = {name for names in imported.values() for name in names}
    used_names = {name for holder, name in selectors(tree) if holder in holders}
    return used_names | (_free(test_code) if "." in holders else set())


def _of_packages(pair: PairTexts, near: ProjectTexts) -> Iterator[str]:
    """Yield files of other packages of the project, by the module paths in its `go.mod` files."""
    modules = {
        match[1]: path.rpartition("/")[0]
        for path in near.paths
        if path.rpartition("/")[2] == MODULE_FILE and (match := MODULE.search(near.read(path)))
    }
    home = pair.focal_path.rpartition("/")[0]
    for code in (pair.focal_code, pair.test_code):
        tree = parse(code)
        for each in [] if isinstance(tree, SyntaxFault) else go_imports(tree):
            if each.module in STANDARD:
                continue
            for module, root in modules.items():
                if each.module == module or each.module.startswith(f"{module}/"):
                    folder = "/".join(filter(None, [root, each.module.removeprefix(module).strip("/")]))
                    if folder != home:
                        yield f"{folder}/" if folder else "./"


def _embedded(pair: PairTexts) -> Iterator[str]:
    """Yield files that the compiler embeds into the program."""
    for path, code in ((pair.focal_path, pair.focal_code), (pair.test_path, pair.test_code)):
        folder = path.rpartition("/")[0]
        yield from ("/".join(filter(None, [folder, name])) for name in _EMBED.findall(code))
        if re.search(r'^\s*(?:import\s+)?"C"', code, re.MULTILINE):
            yield f"{path} (cgo)"


def go_in_project(pair: PairTexts, near: ProjectTexts, suite: Suite) -> ProjectLayout:
    """Return the folder of the pair with the packages that it imports of the module, relative to the module's
    root.

    Tests of other files are included if they import nothing from elsewhere: they may contain helpers.
    """
    root = _module_root(pair.focal_path, near)
    settings = near.read(f"{root}{MODULE_FILE}") if root is not None else suite.files[MODULE_FILE]
    home = pair.focal_path.rpartition("/")[0]
    root = root if root is not None else f"{home}/" if home else ""
    module = found[1] if (found := MODULE.search(settings)) else ""
    own = {pair.focal_path: pair.focal_code, pair.test_path: pair.test_code}
    files, waiting, seen = {MODULE_FILE: settings}, [home], {home}
    while waiting:
        for path, text in _package(waiting.pop(), near, own):
            below = list(_folders(text, module, root))
            if path in own or not path.endswith("_test.go") or None not in below:
                files[path.removeprefix(root)] = text
                fresh = [each for each in below if each is not None and each not in seen]
                seen.update(fresh)
                waiting += fresh
    return ProjectLayout(files, pair.focal_path.removeprefix(root), pair.test_path.removeprefix(root))


def _module_root(path: str, near: ProjectTexts) -> str | None:
    """Return the folder of the nearest `go.mod` above a file, with a slash; None if there is none."""
    folder = path.rpartition("/")[0]
    while True:
        root = f"{folder}/" if folder else ""
        if f"{root}{MODULE_FILE}" in near.paths:
            return root
        if not folder:
            return None
        folder = folder.rpartition("/")[0]


def _package(folder: str, near: ProjectTexts, own: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the Go files of a folder; test files only of the pair's own folder."""
    home = next(iter(own)).rpartition("/")[0]
    for path in {**own, **dict.fromkeys(near.paths)}:
        is_wanted = path.endswith(".go") and path.rpartition("/")[0] == folder
        if is_wanted and (folder == home or not path.endswith("_test.go")):
            yield path, own[path] if path in own else near.read(path)


def _folders(text: str, module: str, root: str) -> Iterator[str | None]:
    """Yield the folders of the module that a file imports; None for imports from neither the module nor the
    library."""
    tree = parse(text)
    for each in [] if isinstance(tree, SyntaxFault) else go_imports(tree):
        if module and (each.module == module or each.module.startswith(f"{module}/")):
            yield f"{root}{each.module.removeprefix(module).strip('/')}".rstrip("/")
        elif each.module not in STANDARD:
            yield None
