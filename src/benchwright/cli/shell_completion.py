"""Shell completion: click's `shell_complete` callbacks, and the command that prints the script.

Each completion starts a process, so this module imports nothing that `cli.main` does not need, and reads
folder entries but no file of a run.
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
ANSWERS = (".jsonl", ".jsonl.gz", ".json", ".gz")  # suffixes of files with stored answers
MAX_ENTRIES = 2000  # limit of folder entries: a larger number would block the shell


class Bash(BashComplete):
    """Bash, which splits `replay:an` into three words: they are joined here, and bash gets the last part.

    Removing the colon from COMP_WORDBREAKS, the usual solution, would change the user's whole shell.
    """

    def get_completion_args(self) -> tuple[list[str], str]:
        """Words before the cursor, and the word under it."""
        args, incomplete = super().get_completion_args()
        words: list[str] = []
        joins_next = False
        for word in [*args, incomplete]:
            if words and (word == ":" or (joins_next and word)):
                words[-1] += word
            else:
                words.append(word)
            joins_next = word == ":"
        self._before_colon = words[-1].rpartition(":")[0]
        return words[:-1], words[-1]

    def format_completion(self, item: CompletionItem) -> str:
        """One line of the reply, without the part before the colon, which is already typed."""
        if self._before_colon and item.type == "plain":
            item = CompletionItem(item.value.removeprefix(f"{self._before_colon}:"))
        return super().format_completion(item)


def install() -> None:
    """Register this class for bash with click."""
    add_completion_class(Bash)


def files(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete a file."""
    return [CompletionItem(incomplete, type="file")]


def data_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of data sets, without those given."""
    from benchwright.store.named_data import known_data  # noqa: PLC0415 (rarely needed)

    given = ctx.params.get("names") or ()
    return [
        CompletionItem(name) for name in known_data() if name.startswith(incomplete) and name not in given
    ]


def data_or_file(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of data sets, and files."""
    return [*data_names(ctx, param, incomplete), *files(ctx, param, incomplete)]


def run_folders(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Run folders up to DEPTH levels down; any folder if there is none."""
    found = [CompletionItem(path) for path in sorted(_runs(incomplete))]
    return found or [CompletionItem(incomplete, type="dir")]


def tracks(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Tracks, including those of other packages."""
    return [CompletionItem(name) for name in registry.names("track") if name.startswith(incomplete)]


def executors(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Executors, those of other packages too."""
    return [CompletionItem(name) for name in registry.names("executor") if name.startswith(incomplete)]


def agents(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Agents, those of other packages too."""
    return [CompletionItem(name) for name in registry.names("agent") if name.startswith(incomplete)]


def models(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Schemes of models with their colon; after `replay:`, files of answers."""
    scheme, colon, path = incomplete.partition(":")
    if colon and scheme == "replay":
        return _stored_answer_files(scheme, path)
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
    words = {ctx.params.get("track"), *ctx.args}  # `args`: words after an option without value
    tracks = list(registry.built_in_tracks())
    return [track for track in tracks if track.name in words] or tracks


def gates(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Gates of other packages, without those given. A build always applies the built-in gates."""
    left_out = {*registry.GATES, *(ctx.params.get("gates") or ())}
    found = (name for name in registry.names("gate") if name not in left_out)
    return [CompletionItem(name) for name in found if name.startswith(incomplete)]


def schema_names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Rows and files that have a schema."""
    known = (*(track.name for track in registry.built_in_tracks() if track.row), *registry.SCHEMAS)
    return [CompletionItem(name) for name in known if name.startswith(incomplete)]


def finding_codes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Weights and codes of an audit's findings, without those given."""
    from benchwright.auditing.findings import CODES, WEIGHTS  # noqa: PLC0415 (rarely needed)

    given = ctx.params.get("fail_on") or ()
    known = (*WEIGHTS, *CODES)
    return [CompletionItem(code) for code in known if code.startswith(incomplete) and code not in given]


def _stored_answer_files(scheme: str, path: str) -> list[CompletionItem]:
    """Files of stored answers and folders that match the typed path.

    Each has the scheme as a prefix: told to complete a file, a shell would look for names that begin with
    `replay:`.
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


def _runs(prefix: str) -> Iterator[str]:
    folder, begin = os.path.split(prefix)
    waiting, entry_count = deque([(os.path.join(folder, "") if folder else "", begin, DEPTH)]), 0
    while waiting and entry_count < MAX_ENTRIES:
        base, begin, depth = waiting.popleft()
        for name in _folders(base):
            entry_count += 1
            if not name.startswith(begin) or (name.startswith(".") and not begin):
                continue
            if os.path.isfile(os.path.join(base, name, "run.json")):
                yield base + name
            elif depth > 1:
                waiting.append((os.path.join(base, name, ""), "", depth - 1))


def _folders(base: str) -> Iterator[str]:
    """Names of the folders in a folder."""
    yield from (name for name, is_folder in _entries(base) if is_folder)


def _entries(base: str) -> Iterator[tuple[str, bool]]:
    """Names in a folder and whether each is a folder; skips names that would break a shell's lines."""
    try:
        with os.scandir(base or ".") as entries:
            for entry in islice(entries, MAX_ENTRIES):
                if entry.name.isprintable():
                    yield entry.name, entry.is_dir()
    except OSError:  # missing or unreadable
        return


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script for a shell.

    It completes commands, options and their choices, run folders, tracks, model schemes and gates of other
    packages. The command `benchwright` must be on your PATH.

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
