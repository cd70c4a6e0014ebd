"""The imports of a Go file."""

from __future__ import annotations

import re
from collections.abc import Collection

from benchwright.lang.found import Import
from benchwright.lang.go.known import STANDARD
from benchwright.lang.go.tree import import_path, import_specs, name_of
from benchwright.lang.trees import Node, Tree

_VERSION = re.compile(r"v[0-9]+")


def go_imports(tree: Tree, roots: Collection[str] = ()) -> list[Import]:
    """All imports in the file's order."""
    return [_record(tree, spec, roots) for spec in import_specs(tree)]


def kind_of(path: str, roots: Collection[str] = ()) -> str:
    """The kind of an import path. Paths of modules that can be fetched begin with a host, so with a dot."""
    if any(path == root or path.startswith(f"{root}/") for root in roots):
        return "project"
    if path in STANDARD:
        return "standard"
    if path.startswith("."):
        return "relative"
    return "third_party" if "." in path.partition("/")[0] else "project"


def module_of(path: str) -> str:
    """The module that a package path is likely in: of known hosts, host, owner and repository."""
    parts = path.split("/")
    hosted = parts[0] in ("github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "gitee.com")
    return "/".join(parts[: 3 if hosted else 2 if "." in parts[0] else 1])


def package_names(path: str) -> list[str]:
    """Names that the package at a path may have: its last part, without a version or `go-` around it."""
    parts = [part for part in path.split("/") if part]
    if len(parts) > 1 and _VERSION.fullmatch(parts[-1]):
        parts.pop()
    last = re.sub(r"\.v[0-9]+$", "", parts[-1]) if parts else ""
    bare = re.sub(r"^go[-.]|[-.]go$", "", last)
    found = [last, bare, last.replace("-", "_"), bare.replace("-", ""), *re.split(r"[-.]", last)]
    return [name for name in dict.fromkeys(found) if name.isidentifier()]


def _record(tree: Tree, spec: Node, roots: Collection[str]) -> Import:
    path, name = import_path(tree, spec), name_of(tree, spec)
    return Import(
        module=path,
        kind=kind_of(path, roots),
        line=spec.first_line,
        names=["*"] if name == "." else [],
        alias="" if name == "." else name,
    )
