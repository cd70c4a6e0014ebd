"""Which module of a project a single Python test is about: the one that defines all names it takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from benchwright.lang.answers import Import
from benchwright.lang.companions import Companions, Completed
from benchwright.lang.faults import SyntaxFault
from benchwright.lang.python.evidence import defined_names
from benchwright.lang.python.importing import python_imports
from benchwright.lang.python.tree import parse

MOST_PASSED_ON = 5  # packages through which a name is followed


def complete_python(focal_path: str, test_path: str, test_code: str, near: Companions) -> Completed | None:
    """The focal file of this test alone, where it takes names of one file only; else None."""
    tree = parse(test_code)
    if isinstance(tree, SyntaxFault):
        return None
    homes = {home for each in python_imports(tree) for home in _homes(each, test_path, near)}
    if len(homes) != 1 or homes == {""}:
        return None
    home = homes.pop()
    return Completed(home, near.read(home), test_code)


def focal_of(test_path: str, test_code: str, near: Companions) -> str:
    """The file that defines most of what a test file imports, be it passed on by a package; "" for none."""
    tree = parse(test_code)
    if isinstance(tree, SyntaxFault):
        return ""
    found = Counter(home for each in python_imports(tree) for home in _homes(each, test_path, near))
    found.pop("", None)
    return min(found, key=lambda path: (-found[path], path), default="")


def _homes(each: Import, test_path: str, near: Companions) -> Iterator[str]:
    """The files that define what an import takes; "" for what is not found. Nothing for other packages."""
    if each.typing_only or each.fallback or each.kind == "standard":
        return
    module = _absolute(each.module, test_path)
    own = _file_of(module, near)
    if not own and each.kind == "third_party":
        return
    for name in each.names or [""]:
        below = _file_of(f"{module}/{name}", near) if name else ""
        yield below or _defining(own, name, near)


def _absolute(module: str, path: str) -> str:
    """A module as a path without suffix; relative ones from the folder of the file that imports them."""
    level = len(module) - len(module.lstrip("."))
    rest = module.lstrip(".").replace(".", "/")
    if not level:
        return rest
    folder = path.split("/")[:-1]
    return "/".join([*folder[: len(folder) - level + 1], *([rest] if rest else [])])


def _file_of(module: str, near: Companions) -> str:
    """The file that a module is, below any folder, the one nearest to the top; "" for none."""
    ends = (f"{module}.py", f"{module}/__init__.py")
    found = [path for path in near.paths for end in ends if path == end or path.endswith(f"/{end}")]
    return min(found, key=lambda path: (path.count("/"), path), default="") if module else ""


def _defining(path: str, name: str, near: Companions) -> str:
    """The file that defines a name, followed through packages that pass it on; "" where it is lost."""
    for _ in range(MOST_PASSED_ON):
        if not path or not name:
            return path
        code = near.read(path)
        defined = defined_names(code)
        if name in defined.own or not path.endswith("/__init__.py"):
            return path if name in defined.own or defined.is_open else ""
        path = _passed_on(path, code, name, near)
    return ""


def _passed_on(path: str, code: str, name: str, near: Companions) -> str:
    tree = parse(code)
    if isinstance(tree, SyntaxFault):
        return ""
    stars = []
    for each in python_imports(tree):
        target = _file_of(_absolute(each.module, path), near)
        if name in each.names and target:
            return target
        if each.names == ["*"] and target and target != path:
            stars.append(target)
    return next((target for target in stars if name in defined_names(near.read(target)).own), "")
