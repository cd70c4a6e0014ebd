"""Options under headings: a command with thirty of them is read by the heading one needs."""

from __future__ import annotations

from typing import Any

import click

REST = "Options"


class Option(click.Option):
    """An option that may name the section of --help it belongs to."""

    def __init__(self, *args: Any, section: str = REST, **rest: Any) -> None:
        super().__init__(*args, **rest)
        self.section = section


class SectionedCommand(click.Command):
    """A command whose --help shows its options by section, in the order in which they are declared."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each section with its options."""
        sections: dict[str, list[tuple[str, str]]] = {REST: []}  # what every run needs comes first
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                sections.setdefault(getattr(param, "section", REST), []).append(record)
        for name, records in sections.items():
            with formatter.section(name):
                formatter.write_dl(records)
