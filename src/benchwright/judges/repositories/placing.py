"""Place a program in its file: between two contexts as MERA does, or in place of lines."""

from __future__ import annotations

import re

from benchwright.contracts import RepositorySpec

_LINE = re.compile(r"[^\n]*\n|[^\n]+")  # str.splitlines would also split at form feeds


def placed(spec: RepositorySpec, program: str, original: str) -> str:
    """Return the text of the file with the program in it.

    The line ends between the parts are those of `repotest` (`change_file_realcode`), and for lines those of
    YABLoCo's `run_single_example`.
    """
    if spec.placing == "lines":
        lines = _LINE.findall(original)
        return "".join([*lines[: spec.first - 1], "\n", program, "\n", *lines[spec.last :]])
    right = spec.right.rstrip("\n")
    if spec.placing == "python":
        return f"{spec.left}\n{program}\n{right}"
    before = "" if spec.left.endswith("\n") or program.startswith("\n") else "\n"
    after = "" if program.endswith("\n") or right.startswith("\n") else "\n"
    return f"{spec.left}{before}{program}{after}{right}"


def misplaced(spec: RepositorySpec, original: str) -> str:
    """Return why the row does not belong to this version of the file; empty if it does."""
    if spec.placing == "lines":
        count = len(_LINE.findall(original))
        return (
            "" if spec.last <= count else f"{spec.path} has {count} lines; the function ends in {spec.last}"
        )
    contexts = {"left_context": spec.left, "right_context": spec.right.rstrip("\n")}
    absent = [name for name, text in contexts.items() if text not in original]
    return f"{spec.path} does not contain {absent[0]} of the row at this commit" if absent else ""
