"""The one JSON document that a command prints on stdout with --json."""

from __future__ import annotations

import click
import msgspec


def print_json(document: object) -> None:
    """Write the document as one line of UTF-8, whatever encoding the terminal has."""
    click.echo(msgspec.json.encode(document))
