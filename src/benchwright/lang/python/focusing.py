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
    """Return the focal file of this test, if the test takes names of only one file; else None."""
    tree = parse(test_code)
    if isinstance(tree, SyntaxFault):
        return None
    homes = {home for each in python_imports(tree) for home in _homes(each, test_path, near)}
    if len(homes) != 1 or homes == {""}:
        return None
    home = homes.pop()
    return Completed(home, near.read(home), test_code)


def focal_of(test_path: str, test_code: str, near: Companions) -> str:
    """Return the file that defines most of what a test file imports, also through packages; "" for none."""
    tree = parse(test_code)
    if isinstance(tree, SyntaxFault):
        return ""
    found = Counter(home for each in python_imports(tree) for home in _homes(each, test_path, near))
    found.pop("", None)
    return min(found, key=lambda path: (-found[path], path), default="")


def _homes(each: Import, test_path: str, near: Companions) -> Iterator[str]:
    """Yield the files that define the names of an import; "" for unknown ones. Nothing for other packages."""
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
    """Return a module as a path without suffix; relative modules from the folder of the importing file."""
    level = len(module) - len(module.lstrip("."))
    rest = module.lstrip(".").replace(".", "/")
    if not level:
        return rest
    folder = path.split("/")[:-1]
    return "/".join([*folder[: len(folder) - level + 1], *([rest] if rest else [])])


def _file_of(module: str, near: Companions) -> str:
    """Return the file of a module, below any folder, the one nearest to the top; "" for none."""
    ends = (f"{module}.py", f"{module}/__init__.py")
    found = [path for path in near.paths for end in ends if path == end or path.endswith(f"/{end}")]
    return min(found, key=lambda path: (path.count("/"), path), default="") if module else ""


def _defining(path: str, name: str, near: Companions) -> str:
    """Return the file that defines a name, followed through packages that re-export it; "" if it is lost."""
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
