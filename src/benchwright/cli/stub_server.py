"""`benchwright stub-server`: serve scripted answers and faults."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.arguments import as_path, not_empty
from benchwright.display.wording import counted

if TYPE_CHECKING:
    from benchwright.stub_server.service import ServerSetup


@click.command(context_settings={"show_default": True})
@click.option(
    "--script",
    callback=as_path,
    metavar="FILE",
    help='JSON Lines of {"contains": TEXT, "completions": [TEXT, …]}.  [default: echo the prompt]',
)
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="KIND[:SETTING=N,…]",
    help="Fault to inject; repeatable. Settings: first, every, one_in, seconds, size, contains.",
)
@click.option("--list-faults", is_flag=True, help="List kinds of faults and exit.")
@click.option(
    "--model", "models", multiple=True, default=("stub",), help="Model name in /v1/models; repeatable."
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port; 0 selects a free one.")
@click.option("--host", default="127.0.0.1", callback=not_empty, help="Address to listen on.")
@click.option("--api-key", callback=not_empty, metavar="KEY", help="Reject requests without this key.")
def command(
    script: Path | None,
    faults: tuple[str, ...],
    list_faults: bool,
    models: tuple[str, ...],
    port: int,
    host: str,
    api_key: str | None,
) -> None:
    """Serve scripted answers and faults, to test clients.

    Serves OpenAI's chat and completions interfaces. The base URL is the first line on stdout. Stop the server
    with Ctrl-C. GET /_stats returns counts of requests.

    \b
    benchwright stub-server --script answers.jsonl --port 8100
    benchwright stub-server --fault 429:first=1 --fault slow:one_in=10,seconds=2
    benchwright run ruhumaneval --data rows.jsonl --model openai:stub --base-url http://127.0.0.1:8100/v1
    """
    if list_faults:
        _list()
        return
    from benchwright.stub_server.behaviour import Script, read_faults  # noqa: PLC0415
    from benchwright.stub_server.service import ServerSetup  # noqa: PLC0415

    read = Script.read(script) if script is not None else Script()
    checked = read_faults(faults)
    _serve(ServerSetup(script=read, faults=checked, models=models, port=port, host=host, api_key=api_key))


def _serve(setup: ServerSetup) -> None:
    import asyncio  # noqa: PLC0415 (as above)
    import signal  # noqa: PLC0415

    from benchwright.stub_server.service import serve  # noqa: PLC0415

    async def interrupted() -> None:
        """Wait for Ctrl-C, which is the regular end of a server."""
        end = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, end.set)
        await end.wait()

    counts = asyncio.run(serve(setup, click.echo, interrupted)).counts
    click.echo(f"{counted(counts.requests, 'request')}, {counts.successes} answered in full", err=True)


def _list() -> None:
    from benchwright.stub_server.behaviour import KINDS  # noqa: PLC0415

    for kind, description in KINDS.items():
        click.echo(f"{kind:<15} {description}")
