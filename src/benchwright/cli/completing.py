"""What a shell is offered while a command is typed, as click's `shell_complete` callbacks.

Each press of a key starts a process, so nothing is imported here that the command line's front door does
not need, and only folder entries are looked at: no file of a run is read.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain, islice

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, get_completion_class

from benchwright import registry

DEPTH = 3  # `runs/mine` is two folders down, `out/demo/demo-weak-1234abcd` three
ANSWERS = (".jsonl", ".jsonl.gz", ".json", ".gz")  # what stored answers are called
MAX_ENTRIES = 2000  # looked at: beyond that a shell would seem to hang


class Bash(BashComplete):
    """Bash, which takes `replay:an` for three words: they are put together again, and it gets the last one.

    The usual way out is to take the colon out of COMP_WORDBREAKS, which would change the user's whole shell.
    """

    def get_completion_args(self) -> tuple[list[str], str]:
        """What is typed before the cursor, and the word under it."""
        args, incomplete = super().get_completion_args()
        words: list[str] = []
        glued = False
        for word in [*args, incomplete]:
            if words and (word == ":" or (glued and word)):
                words[-1] += word
            else:
                words.append(word)
            glued = word == ":"
        self._before_colon = words[-1].rpartition(":")[0]
        return words[:-1], words[-1]

    def format_completion(self, item: CompletionItem) -> str:
        """A line of the answer, without what stands before the colon already."""
        if self._before_colon and item.type == "plain":
            item = CompletionItem(item.value.removeprefix(f"{self._before_colon}:"))
        return super().format_completion(item)


def install() -> None:
    """Let click answer bash in this way."""
    add_completion_class(Bash)


def files(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Whatever the shell itself offers for a file."""
    return [CompletionItem(incomplete, type="file")]


def data_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Data sets that have names, the ones already given left out."""
    from benchwright.store.named_data import known_data  # noqa: PLC0415 (most completions are of others)

    given = ctx.params.get("names") or ()
    return [
        CompletionItem(name) for name in known_data() if name.startswith(incomplete) and name not in given
    ]


def data_or_file(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Data sets by name, and whatever the shell itself offers for a file."""
    return [*data_names(ctx, param, incomplete), *files(ctx, param, incomplete)]


def run_folders(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Run folders that begin so, here or a little further down; where there is none, any folder."""
    found = [CompletionItem(path) for path in sorted(_runs(incomplete))]
    return found or [CompletionItem(incomplete, type="dir")]


def tracks(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Tracks, those of other packages too."""
    return [CompletionItem(name) for name in registry.names("track") if name.startswith(incomplete)]


def agents(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Agents, those of other packages too."""
    return [CompletionItem(name) for name in registry.names("agent") if name.startswith(incomplete)]


def models(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The schemes of models with their colon; after `replay:`, files of answers."""
    scheme, colon, path = incomplete.partition(":")
    if colon and scheme == "replay":
        return _stored(scheme, path)
    schemes = (f"{name}:" for name in registry.names("model"))
    return [CompletionItem(scheme) for scheme in schemes if scheme.startswith(incomplete)]


def profiles(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Scoring profiles of the track on the command line, or of all built-in tracks, without those given."""
    known = dict.fromkeys(chain.from_iterable(track.profiles for track in _typed_tracks(ctx)))
    given = ctx.params.get("profiles") or ()
    return [CompletionItem(name) for name in known if name.startswith(incomplete) and name not in given]


def forms(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Forms of the track on the command line, or of all built-in tracks that offer a choice."""
    known = form_choices(_typed_tracks(ctx))
    return [CompletionItem(name) for name in known if name.startswith(incomplete)]


def form_choices(tracks: Iterable[registry.TrackDeclaration]) -> list[str]:
    """Forms of the tracks that have more than one."""
    several = (track.forms for track in tracks if len(track.forms) > 1)
    return list(dict.fromkeys(chain.from_iterable(several)))


def _typed_tracks(ctx: click.Context) -> list[registry.TrackDeclaration]:
    """The built-in track on the command line; all built-in tracks if there is none."""
    typed = {ctx.params.get("track"), *ctx.args}  # `args`: what follows an option without value
    tracks = list(registry.built_in_tracks())
    return [track for track in tracks if track.name in typed] or tracks


def gates(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Gates of other packages, the ones already given left out: a build applies the built-in ones anyway."""
    left_out = {*registry.GATES, *(ctx.params.get("gates") or ())}
    found = (name for name in registry.names("gate") if name not in left_out)
    return [CompletionItem(name) for name in found if name.startswith(incomplete)]


def schema_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Rows and files that have a schema."""
    known = (*(track.name for track in registry.built_in_tracks() if track.row), *registry.SCHEMAS)
    return [CompletionItem(name) for name in known if name.startswith(incomplete)]


def finding_codes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Weights and codes of an audit's findings, without those given."""
    from benchwright.auditing.findings import CODES, WEIGHTS  # noqa: PLC0415 (most completions are of others)

    given = ctx.params.get("fail_on") or ()
    known = (*WEIGHTS, *CODES)
    return [CompletionItem(code) for code in known if code.startswith(incomplete) and code not in given]


def _stored(scheme: str, path: str) -> list[CompletionItem]:
    """Files of stored answers, and folders on the way to one, that go on from what is typed.

    Named one by one with the scheme before them: a shell that is told "any file" would look for a file whose
    name begins with `replay:`.
    """
    base, begin = os.path.split(path)
    base = os.path.join(base, "") if base else ""
    found = [
        f"{scheme}:{base}{name}" + ("/" if is_folder else "")
        for name, is_folder in _entries(base)
        if name.startswith(begin)
        and (begin or not name.startswith("."))
        and (is_folder or name.endswith(ANSWERS))
    ]
    return [CompletionItem(each) for each in sorted(found)]


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
    """The folders below one."""
    yield from (name for name, is_folder in _entries(base) if is_folder)


def _entries(base: str) -> Iterator[tuple[str, bool]]:
    """What is in a folder and whether it is one itself, but for names that would break a shell's lines."""
    try:
        with os.scandir(base or ".") as entries:
            for entry in islice(entries, MAX_ENTRIES):
                if entry.name.isprintable():
                    yield entry.name, entry.is_dir()
    except OSError:  # not there, or not ours to read: nothing to offer
        return


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script for a shell.

    It completes commands, options and their choices, run folders, tracks, schemes of models and gates of
    other packages, for the command `benchwright`, which must be on your PATH.

    \b
    bash: benchwright completion bash >> ~/.bashrc
    zsh:  benchwright completion zsh >> ~/.zshrc
    fish: benchwright completion fish > ~/.config/fish/completions/benchwright.fish
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"no completion for {shell}")
    root = click.get_current_context().find_root().command
    click.echo(kind(root, {}, "benchwright", "_BENCHWRIGHT_COMPLETE").source())
