"""A Go pair among the packages of its module that either of the two leads to."""

from __future__ import annotations

from collections.abc import Iterator

from benchwright.contracts import Suite
from benchwright.lang.companions import Companions, PairTexts, ProjectLayout
from benchwright.lang.faults import SyntaxFault
from benchwright.lang.go.importing import STANDARD, go_imports
from benchwright.lang.go.project_names import MODULE, MODULE_FILE
from benchwright.lang.go.tree import parse


def go_in_project(pair: PairTexts, near: Companions, suite: Suite) -> ProjectLayout:
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


def _module_root(path: str, near: Companions) -> str | None:
    """Return the folder of the nearest `go.mod` above a file, with a slash; None if there is none."""
    folder = path.rpartition("/")[0]
    while True:
        root = f"{folder}/" if folder else ""
        if f"{root}{MODULE_FILE}" in near.paths:
            return root
        if not folder:
            return None
        folder = folder.rpartition("/")[0]


def _package(folder: str, near: Companions, own: dict[str, str]) -> Iterator[tuple[str, str]]:
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
