"""The HTML file: style, script, content security policy, and writing it whole or not at all.

The Content-Security-Policy allows the file's one script and one style by their hashes and nothing else:
no request, no inline handler, no HTML from strings. So even a fault in escaping would run nothing.
"""

from __future__ import annotations

import base64
import hashlib
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_path, quoted
from benchwright.display.html import page_environment, page_style, theme_variables
from benchwright.display.palette import GRADED, GROUP_OF
from benchwright.display.wording import outcome_label
from benchwright.errors import RunError, UsageError
from benchwright.records import Outcome
from benchwright.report.answer_packing import PackedAnswers
from benchwright.store.compiled_templates import CompiledTemplates
from benchwright.store.writing import replacing, write_error
from benchwright.version import VERSION

SCRIPTS = (
    "visible.js",
    "python.js",
    "diff.js",
    "unpack.js",
    "reader.js",
    "beside.js",
    "tables.js",
    "search.js",
    "download.js",
    "tabs.js",
    "main.js",
)
GRADED_SCRIPTS = (*SCRIPTS[:-1], "graded.js", SCRIPTS[-1])  # of pages with graded answers
OWN = "benchwright.report"
SIDE_POLICY = "'strict-dynamic'"  # only the report's own script may load the files of answers


class Assets(NamedTuple):
    """The style sheet and the script of a report."""

    style: str
    script: str


@cache
def assets(*, graded: bool = False) -> Assets:
    """Style sheet and script, equal for all reports, so that their hashes are too.

    `graded`: those of pages with graded answers.
    """
    folder = files(OWN) / "assets"
    parts = [_read(folder / name) for name in (GRADED_SCRIPTS if graded else SCRIPTS)]
    script = "(() => {\n'use strict';\n" + "\n".join(parts) + "})();\n"
    style = page_style()
    if graded:
        style += theme_variables(GRADED) + _read(folder / "graded.css")
    return Assets(style, script)


def _read(asset: Traversable) -> str:
    return asset.read_text(encoding="utf-8")


def policy(*, side: str, graded: bool = False) -> str:
    """The Content-Security-Policy of a report; with `side`, of one whose answers are in separate files."""
    style, script = assets(graded=graded)
    scripts = f"'{_hash(script)}'" + (f" {SIDE_POLICY}" if side else "")
    types = "benchwright" if side else "'none'"
    return (
        f"default-src 'none'; script-src {scripts}; style-src '{_hash(style)}'; img-src data:; "
        f"base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types {types}"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def meta(
    models: Sequence[str],
    tasks: Sequence[str],
    *,
    side: str,
    readable: bool,
    several: bool = False,
    graded: bool = False,
) -> dict[str, Any]:
    """The data that the page's script needs, without the answers; `several`: the page has several tracks."""
    return {
        "models": list(models),
        "tasks": list(tasks),
        "side": side,
        "several": several,
        "noProgram": ""
        if readable
        else "The data set was not available, so programs cannot be extracted again.",
        "outcomes": {
            outcome.value: {
                "label": outcome_label(outcome.value),
                "group": GROUP_OF[outcome].name,
                "sign": GROUP_OF[outcome].sign,
            }
            for outcome in Outcome
            if graded or outcome.value not in GRADED
        },
    }


def render(context: Mapping[str, Any], answers: Iterable[PackedAnswers], *, side: str) -> Iterator[bytes]:
    """The file in pieces. Answers are packed while it is written, so that few are in memory."""
    packages = [each.package for each in context["sections"]]
    return render_template("page.html", {**context, "answers": answers}, side=side, packages=packages)


def diff_lines(diff: str) -> list[tuple[str, str]]:
    """The lines of a diff, each with its CSS class."""
    return [(line, {"+": "added", "-": "removed"}.get(line[:1], "")) for line in diff.split("\n") if diff]


def render_template(
    name: str, context: Mapping[str, Any], *, side: str = "", packages: Iterable[str] = ()
) -> Iterator[bytes]:
    """A page in the report's style, with its script and policy.

    The template is searched in the folders `templates` of these packages, then in that of the report.
    """
    graded = bool(context.get("graded"))
    style, script = assets(graded=graded)
    allowed = policy(side=side, graded=graded)
    pieces = (
        page_environment(list(dict.fromkeys((*packages, OWN))), CompiledTemplates())
        .get_template(name)
        .stream(context, style=style, script=script, policy=allowed, side=side, version=VERSION)
    )
    pieces.enable_buffering(64)
    for piece in pieces:
        yield piece.encode("utf-8", "replace")


def check_target(path: Path) -> None:
    """Raise an error if the path is not writable as a regular file.

    Called before any work; a link to a regular file is accepted.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        _check_folder(path.parent)
        return
    except (OSError, ValueError) as error:  # ValueError: a NUL byte in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"{escaped_path(path)} cannot be written: {reason}", hint="--out report.html"
        ) from None
    if not stat.S_ISREG(mode):
        raise UsageError(
            f"{escaped_path(path)} is not a regular file and is not overwritten",
            hint="choose another name with --out",
        )


def _check_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise RunError(f"{escaped_path(folder)} is not a folder", hint=f"mkdir -p {quoted(folder)}")


def make_folder(path: Path) -> None:
    """Create a folder and its parents, unless it exists."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise UsageError(
            f"{escaped_path(path)} is a file, not a folder", hint="choose another name"
        ) from None
    except OSError as error:
        raise write_error(error, path) from None


def write_file(path: Path, pieces: Iterable[bytes]) -> None:
    """Write the pieces; the file appears when all of them are written."""
    check_target(path)
    with replacing(path) as file:
        for piece in pieces:
            file.write(piece)


# Answers in separate files, one for each task, for runs too large to be one file. A page opened from disk
# cannot read other files, but can load them as scripts. So each file is one call with one argument, a base64
# string, which contains no text of an answer.


def write_side(folder: Path, packed: Iterable[PackedAnswers]) -> None:
    """Write the answers to each task. Files left by a larger report are ignored."""
    make_folder(folder)
    for number, text in packed:
        line = f'benchwrightAnswers({number}, "{text}");\n'
        write_file(folder / f"{number:05d}.js", [line.encode("ascii")])
