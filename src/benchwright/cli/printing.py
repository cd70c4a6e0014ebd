"""What commands print: the one JSON document of --json, and text from outside made safe to look at."""

from __future__ import annotations

import click
import msgspec


def print_json(document: object) -> None:
    """Write the document as one line of UTF-8, whatever encoding the terminal has."""
    click.echo(msgspec.json.encode(document))
