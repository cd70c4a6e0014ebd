"""`benchwright push RUN --to URL`: submit a run to a server that judges it again."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import click

from benchwright.cli.arguments import as_path, json_option, not_empty, print_json
from benchwright.cli.shell_completion import run_folders
from benchwright.display.escape import escaped_name
from benchwright.interop.pushing import (
    CLAIMED,
    PushClient,
    PushOptions,
    PushReply,
    PushTarget,
    check_target,
    pack,
    read_token,
)

REFUSED = "refused"


@click.command(context_settings={"show_default": True})
@click.argument("run", callback=not_empty, metavar="RUN", shell_complete=run_folders)
@click.option("--to", "url", required=True, callback=not_empty, metavar="URL", help="Address of a space.")
@click.option(
    "--token-file",
    callback=as_path,
    metavar="FILE",
    help="File with the token, readable by its owner alone.  [default: BENCHWRIGHT_TOKEN]",
)
@click.option("--answers-only", is_flag=True, help="Leave out verdicts and scores: for hidden tests.")
@click.option("--data", default="", metavar="NAME", help="The server's data set, for a file of answers.")
@click.option("--model", default="", metavar="NAME", help="The model's name, for a file of answers.")
@click.option("--wait/--no-wait", "waits", default=True, help="Wait until the server has judged it.")
@json_option
def command(
    run: str,
    url: str,
    token_file: Path | None,
    answers_only: bool,
    data: str,
    model: str,
    waits: bool,
    as_json: bool,
) -> None:
    """Push a run to a space of `benchwright serve`, which judges its answers again.

    RUN is a run folder, a MERA archive, or a JSONL file of answers. A run is claimed until the server has
    judged it, then verified or refused. The same command resumes an interrupted push: a server recognises
    equal content. Exit code 1: the run is refused.

    \b
    benchwright push runs/mine --to https://bench.example.org/spaces/SPACE
    benchwright push runs/mine --to https://bench.example.org/spaces/SPACE --answers-only
    benchwright push answers.jsonl --to https://bench.example.org/spaces/SPACE --data humaneval --model mine
    """
    check_target(url)
    client = PushClient(PushTarget(url, read_token(token_file)))
    try:
        with tempfile.TemporaryFile() as body:
            pack(Path(run), body, answers_only=answers_only)
            reply = client.push(body, PushOptions(data, model, answers_only), _progress(as_json))
        submission = str(reply.document["submission"])
        if not as_json:
            click.echo(f"pushed: submission {escaped_name(submission, 60)}", err=True)
        if waits and reply.document["state"] == CLAIMED:
            reply = client.wait(submission, lambda _: None)
    finally:
        client.close()
    if as_json:
        print_json(reply.document)
    else:
        _print(reply)
    is_given_up = reply.document.get("given_up") is True
    sys.exit(1 if is_given_up or reply.document["state"] == REFUSED else 0)


def _progress(as_json: bool) -> Callable[[int, int], None]:
    is_visible = sys.stderr.isatty() and not as_json

    def print_progress(done: int, total: int) -> None:
        if is_visible:
            click.echo(f"\rsent {done:,} of {total:,} bytes", err=True, nl=done == total)

    return print_progress


def _print(reply: PushReply) -> None:
    document = reply.document
    click.echo(escaped_name(str(document["state"]), 40))
    if document.get("given_up") is True:
        click.echo("the server could not judge the run; a maintainer of the space can requeue it", err=True)
    if document.get("reason"):
        reason = f"{document['reason']}: {document.get('detail') or 'no further detail'}"
        click.echo(escaped_name(reason, 500), err=True)
    result = document.get("result")
    metrics = result.get("metrics") if isinstance(result, dict) else None
    for name, metric in (metrics or {}).items():
        if isinstance(metric, dict):
            value, low, high = (_figure(metric.get(each)) for each in ("value", "low", "high"))
            click.echo(escaped_name(f"{name} {value} ({low} to {high}, n = {metric.get('n')})", 200))


def _figure(value: object) -> str:
    """A figure of the server's reply with three decimals."""
    return f"{value:.3f}" if isinstance(value, float | int) else str(value)
