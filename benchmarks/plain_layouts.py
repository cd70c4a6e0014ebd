"""Where the two files of a row lie so that a plain tool finds them: by their paths in their repository.

This is written apart from the layouts of `benchwright.lang`, which it checks: those begin with what the test
imports, these with the paths that the row names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

_GO_IMPORT = re.compile(r'^\s*(?:import\s+)?(?:[\w.]+\s+)?"([\w.-]+\.[\w-]+(?:/[\w.~-]+)+)"', re.MULTILINE)
_GO_PACKAGE = re.compile(r"^package\s+(\w+)", re.MULTILINE)
_GO_MODULE = re.compile(r"^\s*module\s+\"?([^\s\"]+)", re.MULTILINE)
_GO_FOREIGN = re.compile(r'^\s*(?:import\s+)?(?:[\w.]+\s+)?"([\w-]+\.[\w.-]+/[^"]+)"', re.MULTILINE)
_GO_REQUIRES = re.compile(r"^(?:require|replace)\s+(?:\([^)]*\)|.*)$|^toolchain .*$", re.MULTILINE)
_JAVA_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)
_RELATIVE = re.compile(r"^\s*from\s+\.", re.MULTILINE)


class Pair(NamedTuple):
    """Both files of a row, with their paths in the repository that they come from.

    `beside`: what else lies there by path, be it what the row says of its layout or a whole project.
    """

    lang: str
    focal_path: str
    focal: str
    test_path: str
    test: str
    beside: Mapping[str, bytes] = {}


def problem(pair: Pair) -> str:
    """Why a pair cannot be laid out by its paths; empty when it can."""
    for path in (pair.focal_path, pair.test_path):
        parts = PurePosixPath(path).parts
        if not path or path.startswith("/") or "\0" in path or ".." in parts or len(path) > 300:
            return f"{path!r} is no path in a repository"
    if pair.focal_path == pair.test_path:
        return "both files have one path"
    return ""


def write(folder: Path, path: str, text: str | bytes) -> None:
    """A file of a stranger's name below a folder of ours that holds nothing else."""
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))


def write_beside(folder: Path, pair: Pair) -> None:
    """The pair at its paths among what lies beside it."""
    for path, data in {**pair.beside, pair.focal_path: pair.focal, pair.test_path: pair.test}.items():
        write(folder, path, data)


def lay_out_python(folder: Path, pair: Pair) -> list[str]:
    """The folders for PYTHONPATH; the files lie as their project has them, or as `_alone` makes them."""
    if not pair.beside:
        return _alone(folder, pair)
    write_beside(folder, pair)
    top, _ = python_root(pair)
    return list(dict.fromkeys([str(folder / top), str(folder / "src"), str(folder)]))


def _alone(folder: Path, pair: Pair) -> list[str]:
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


def lay_out_go(folder: Path, pair: Pair) -> tuple[str, str]:
    """The folder of the package below `folder`, and the module's path for `go mod init`: "" where there is a
    `go.mod`. A pair alone is a module of one folder."""
    if pair.beside:
        return _go_project(folder, pair)
    write(folder, PurePosixPath(pair.focal_path).name, pair.focal)
    write(folder, PurePosixPath(pair.test_path).name, pair.test)
    return ".", go_module(pair)


def _go_project(folder: Path, pair: Pair) -> tuple[str, str]:
    """Among the project's files. Tests of other files that want another module, and the modules that are
    required, go: neither is here, and the pair imports none of them."""
    write_beside(folder, pair)
    home = PurePosixPath(pair.test_path).parent
    root = next((each for each in (home, *home.parents) if str(each / "go.mod") in pair.beside), None)
    if root is None:
        return str(home), go_module(pair)
    settings = pair.beside[str(root / "go.mod")].decode("utf-8", "replace")
    write(folder, str(root / "go.mod"), _GO_REQUIRES.sub("", settings))
    module = _GO_MODULE.search(settings)
    for path, data in pair.beside.items():
        if path.endswith("_test.go") and PurePosixPath(path).parent == home and path != pair.test_path:
            foreign = _GO_FOREIGN.findall(data.decode("utf-8", "replace"))
            if any(not each.startswith(module[1] if module else " ") for each in foreign):
                (folder / path).unlink()
    return str(home), ""


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


def lay_out_java(folder: Path, pair: Pair) -> tuple[list[str], list[str]]:
    """What javac compiles, and the folders in which it finds what these name: a pair alone lies in one."""
    if pair.beside:
        beside = {path: data for path, data in pair.beside.items() if not path.endswith("module-info.java")}
        pair = pair._replace(beside=beside)  # descriptions of modules hide JUnit
        write_beside(folder, pair)
        names = [pair.focal_path, pair.test_path]
        texts = {**{path: data.decode("utf-8", "replace") for path, data in pair.beside.items()}}
        texts |= {pair.focal_path: pair.focal, pair.test_path: pair.test}
        roots = {_java_root(path, text) for path, text in texts.items() if path.endswith(".java")}
        return names, sorted(each or "." for each in roots)
    names = [PurePosixPath(path).name for path in (pair.focal_path, pair.test_path)]
    for name, text in zip(names, (pair.focal, pair.test), strict=True):
        write(folder, name, text)
    return names, []


def _java_root(path: str, text: str) -> str:
    """The folder that a file's package begins in."""
    found = _JAVA_PACKAGE.search(text)
    parts, below = path.split("/")[:-1], found[1].split(".") if found else []
    return "/".join(parts[: len(parts) - len(below)])


def java_class(pair: Pair) -> str:
    """The full name of the test's class, which is its file's."""
    found = _JAVA_PACKAGE.search(pair.test)
    return ".".join([*([found[1]] if found else []), PurePosixPath(pair.test_path).stem])
