"""Demo of the alignment data set: mine a small history with recorded replies of GitHub."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from rich.console import Console

from benchwright.cli.arguments import need_builders
from benchwright.cli.terminal import print_whole
from benchwright.display.escape import markup
from benchwright.display.wording import counted
from benchwright.errors import PrerequisiteError
from benchwright.progress import Watcher
from benchwright.records import Record
from benchwright.running.run_folders import short_key
from benchwright.store.data_files import data_hash
from benchwright.version import VERSION

if TYPE_CHECKING:
    from benchwright.building.alignment.pipeline import AlignmentBuild


class AlignmentDemo(Record, frozen=True, kw_only=True):
    """The built release, and its links by rung or state. `unbuilt` is the reason if there is no release."""

    built: AlignmentBuild | None = None
    links: dict[str, int] = {}
    unbuilt: str = ""

    @property
    def card(self) -> str:
        """Path of the release's card; empty without a release."""
        return str(Path(self.built.release, "README.md")) if self.built else ""

    def document(self) -> dict[str, Any]:
        """The JSON document."""
        built = msgspec.to_builtins(self.built)
        return {"built": built, "links": self.links, "card": self.card or None, "unbuilt": self.unbuilt}


def run_alignment(folder: Path, out: Path, *, watcher: Watcher) -> AlignmentDemo:
    """Make the clone of the folder's history, and build a release of it and of the recorded replies.

    If a package for building is missing, the result contains the reason.
    """
    watcher.note("alignment: a clone, a reviewed pull request and an issue")
    try:
        return _built_in(folder, out, watcher)
    except PrerequisiteError as error:
        return AlignmentDemo(unbuilt="; ".join(filter(None, (error.message, error.hint))))


def _built_in(folder: Path, out: Path, watcher: Watcher) -> AlignmentDemo:
    with need_builders("the alignment data set of the demo"):
        from benchwright.building.alignment.card import tally_of_links  # noqa: PLC0415
        from benchwright.building.alignment.exports.release_tables import AlignmentRelease  # noqa: PLC0415
        from benchwright.building.alignment.options import AlignmentOptions  # noqa: PLC0415
        from benchwright.building.alignment.pipeline import build  # noqa: PLC0415
        from benchwright.demo.git_history import NAME, make_clone  # noqa: PLC0415

    place = out / f"alignment-{_key(folder)}"
    clone = place.with_suffix(".git")
    make_clone(folder / "history.json", clone)
    sources = (str(clone), f"github-replies:{NAME}={folder / 'replies'}")
    built = build(AlignmentOptions(sources=sources, licence_unknown="keep"), place, watch=watcher)
    return AlignmentDemo(built=built, links=tally_of_links(AlignmentRelease(Path(built.release)).links()))


def _key(folder: Path) -> str:
    """Key of the build folder; other data, another place of them or another version is another build."""
    data = {str(path): data_hash(str(path)) for path in sorted(folder.rglob("*.json"))}
    return short_key({"data": data, "version": VERSION})


def alignment_line(found: AlignmentDemo) -> str:
    """The size of the release, and its links by rung of evidence; empty without a release.

    Links whose state is unknown, or that show the author's own revision, are on no rung.
    """
    if found.built is None:
        return ""
    tables = found.built.manifest["tables"]
    size = [
        counted(tables["repositories"], "repository", "repositories"),
        counted(tables["events"], "event"),
        counted(tables["links"], "link"),
    ]
    rungs = {rung: count for rung, count in found.links.items() if rung.isdecimal()}
    if none := tables["links"] - sum(rungs.values()):
        rungs["none"] = none
    by_rung = ", ".join(f"{rung}:{count}" for rung, count in rungs.items())
    return f"Alignment · {' · '.join(size)} (rung {by_rung})"


def print_alignment(target: Console, found: AlignmentDemo) -> None:
    """Print the funnel and the size of the release."""
    target.print()
    if found.built is None:
        target.print(f"The alignment data set was not built: {markup(found.unbuilt)}", soft_wrap=True)
        return
    from benchwright.cli.build_options import funnel_table  # noqa: PLC0415 (another distribution)

    print_whole(target, funnel_table(found.built.levels))
    target.print(f"[bold]{alignment_line(found)}[/]; card: {markup(found.card)}", soft_wrap=True)
