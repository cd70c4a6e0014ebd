"""What a shell is offered while a command is typed, as click's `shell_complete` callbacks.

Each press of a key starts a process, so nothing is imported here that the command line's front door does
not need, and only folder entries are looked at: no file of a run is read.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from itertools import islice

import click
from click.shell_completion import CompletionItem

from benchwright import registry

DEPTH = 3  # `runs/mine` is two folders down, `out/demo/demo-weak-1234abcd` three
MAX_ENTRIES = 2000  # looked at: beyond that a shell would seem to hang


def files(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Whatever the shell itself offers for a file."""
    return [CompletionItem(incomplete, type="file")]


def run_folders(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Run folders that begin so, here or a little further down; where there is none, any folder."""
    found = [CompletionItem(path) for path in sorted(_runs(incomplete))]
    return found or [CompletionItem(incomplete, type="dir")]


def tracks(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Tracks, those of other packages too."""
    return [CompletionItem(name) for name in registry.names("track") if name.startswith(incomplete)]


def models(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The schemes of models with their colon; what follows it differs for each of them."""
    schemes = (f"{name}:" for name in registry.names("model"))
    return [CompletionItem(scheme) for scheme in schemes if scheme.startswith(incomplete)]


def _runs(typed: str) -> Iterator[str]:
    folder, begin = os.path.split(typed)
    waiting, looked_at = deque([(os.path.join(folder, "") if folder else "", begin, DEPTH)]), 0
    while waiting and looked_at < MAX_ENTRIES:
        base, begin, depth = waiting.popleft()
        for name in _folders(base):
            looked_at += 1
            if not name.startswith(begin) or (name.startswith(".") and not begin):
                continue
            if os.path.isfile(os.path.join(base, name, "run.json")):
                yield base + name
            elif depth > 1:
                waiting.append((os.path.join(base, name, ""), "", depth - 1))


def _folders(base: str) -> Iterator[str]:
    """The folders below one, but for names that would break the lines in which a shell is answered."""
    try:
        with os.scandir(base or ".") as entries:
            for entry in islice(entries, MAX_ENTRIES):
                if entry.name.isprintable() and entry.is_dir():
                    yield entry.name
    except OSError:  # not there, or not ours to read: nothing to offer
        return
