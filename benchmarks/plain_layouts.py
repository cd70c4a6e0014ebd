"""Where the two files of a row lie so that a plain tool finds them: by their paths in their repository.

This is written apart from the layouts of `benchwright.lang`, which it checks: those begin with what the test
imports, these with the paths that the row names.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import NamedTuple

_GO_IMPORT = re.compile(r'^\s*(?:import\s+)?(?:[\w.]+\s+)?"([\w.-]+\.[\w-]+(?:/[\w.~-]+)+)"', re.MULTILINE)
_GO_PACKAGE = re.compile(r"^package\s+(\w+)", re.MULTILINE)
_RELATIVE = re.compile(r"^\s*from\s+\.", re.MULTILINE)


class Pair(NamedTuple):
    """Both files of a row, with their paths in the repository that they come from."""

    lang: str
    focal_path: str
    focal: str
    test_path: str
    test: str


def problem(pair: Pair) -> str:
    """Why a pair cannot be laid out by its paths; empty when it can."""
    for path in (pair.focal_path, pair.test_path):
        parts = PurePosixPath(path).parts
        if not path or path.startswith("/") or "\0" in path or ".." in parts or len(path) > 300:
            return f"{path!r} is no path in a repository"
    if pair.focal_path == pair.test_path:
        return "both files have one path"
    return ""


def write(folder: Path, path: str, text: str) -> None:
    """A file of a stranger's name below a folder of ours that holds nothing else."""
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode("utf-8", "surrogatepass"))


def lay_out_python(folder: Path, pair: Pair) -> list[str]:
    """Both files at their paths, with packages around; the folders for PYTHONPATH. Packages are empty, but
    for one that the test imports the focal file's names from: it hands them on. So does one whose module is
    named like a function in it that the test takes from the package."""
    top, through = python_root(pair)
    packages = set(_folders(pair.focal_path)) - {top, *_folders(f"{top}/x")}
    if _RELATIVE.search(pair.test):  # then the test is of a package itself
        packages |= set(_folders(pair.test_path)) - {top}
    for each in packages:
        write(folder, f"{each}/__init__.py", "")
    if through:
        below = PurePosixPath(pair.focal_path).with_suffix("").relative_to(through).parts
        write(folder, f"{through}/__init__.py", f"from .{'.'.join(below)} import *\n")
    elif name := namesake(pair):
        package = str(PurePosixPath(pair.focal_path).parent)
        write(folder, f"{package}/__init__.py", f"from .{name} import *\nfrom .{name} import {name}\n")
    write(folder, pair.focal_path, pair.focal)
    write(folder, pair.test_path, pair.test)
    return list(dict.fromkeys([str(folder / top), str(folder)]))


def namesake(pair: Pair) -> str:
    """The focal file's name, where the test takes it from the package and then uses what is in the file by
    that name, and not the file: after `from pkg import parse` it says `parse(x)`, not `parse.other(x)`."""
    path = PurePosixPath(pair.focal_path)
    name, parent = re.escape(path.stem), re.escape(path.parent.name)
    listed = rf"^\s*from\s+(?:[\w.]*\.)?{parent}\s+import\s+(?:\([^)]*|[^\n(]*)\b{name}\b"
    defined = re.search(rf"^(?:async\s+def|def|class)\s+{name}\b", pair.focal, re.MULTILINE)
    rest, taken = re.subn(listed, "", pair.test, flags=re.MULTILINE)
    used = re.search(rf"(?<![\w.\"']){name}\b(?!\s*[.\"'])", rest)
    return path.stem if parent and defined and taken and used else ""


def python_root(pair: Pair) -> tuple[str, str]:
    """The folder from which the test's own words lead to the focal file, such as "src", and the package on
    the way where they lead only so far; the focal file's own folder where they lead nowhere."""
    parts = list(PurePosixPath(pair.focal_path).with_suffix("").parts)
    if parts[-1] == "__init__":
        parts.pop()
    for end in range(len(parts), 0, -1):
        for cut in range(end):
            if _is_imported(parts[cut:end], pair.test):
                return "/".join(parts[:cut]), "/".join(parts[:end]) if end < len(parts) else ""
    return ("" if _RELATIVE.search(pair.test) else "/".join(parts[:-1])), ""


def _is_imported(parts: list[str], test: str) -> bool:
    name, parent = re.escape(".".join(parts)), re.escape(".".join(parts[:-1]))
    if re.search(rf"^\s*(?:from|import)\s+{name}\b", test, re.MULTILINE):
        return True
    last = re.escape(parts[-1])
    listed = rf"^\s*from\s+{parent}\s+import\s+(?:\([^)]*|[^\n(]*)\b{last}\b"
    return bool(parent and re.search(listed, test, re.MULTILINE))


def _folders(path: str) -> list[str]:
    return [str(each) for each in PurePosixPath(path).parents if str(each) not in (".", "/")]


def lay_out_go(folder: Path, pair: Pair) -> str:
    """Both files in one folder, which is the module's root; the module's path for `go mod init`."""
    write(folder, PurePosixPath(pair.focal_path).name, pair.focal)
    write(folder, PurePosixPath(pair.test_path).name, pair.test)
    return go_module(pair)


def go_module(pair: Pair) -> str:
    """The import of the test that leads to the focal file's package; a made one where the test is of it."""
    clause = _GO_PACKAGE.search(pair.test)
    focal = _GO_PACKAGE.search(pair.focal)
    name = focal[1] if focal else "pair"
    if clause and clause[1] != f"{name}_test":
        return f"example.org/{name}"
    folder = str(PurePosixPath(pair.focal_path).parent)
    found = [each for each in _GO_IMPORT.findall(pair.test) if not each.startswith("golang.org/x/")]
    found.sort(key=lambda each: (not each.endswith(f"/{folder}"), name not in each.rpartition("/")[2]))
    return found[0] if found else f"example.org/{name}"


def lay_out_java(folder: Path, pair: Pair) -> list[str]:
    """Both files in one folder, as javac takes them; their names."""
    names = [PurePosixPath(path).name for path in (pair.focal_path, pair.test_path)]
    for name, text in zip(names, (pair.focal, pair.test), strict=True):
        write(folder, name, text)
    return names
