"""`benchwright nodes`: the nodes of a cluster, probed, and whether they may judge."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import click
from rich.markup import escape

from benchwright.cli.arguments import json_option, print_json
from benchwright.cli.terminal import console, print_whole
from benchwright.cluster.node_table import READY, NodeRow, probed_nodes
from benchwright.cluster.probe import NodeFacts
from benchwright.cluster.session import open_session
from benchwright.display.escape import escaped
from benchwright.display.text_table import text_table
from benchwright.records import full_document

CLOCK_S = 10.0  # differences from this on are printed; a loaded node answers a second late
_COLUMNS = ("node", "host", "cores", "isolation", "Python", "toolchains", "version", "canary", "state")


@click.command()
@click.argument("address", required=False)
@click.option("--trust-cluster", is_flag=True, help="Connect to a cluster without token authentication.")
@json_option
def command(address: str | None, trust_cluster: bool, as_json: bool) -> None:
    """Probe the nodes of a Ray cluster, and report which ones may judge.

    ADDRESS is ray://HOST:PORT with the port of `ray start --head`. Without it, a private cluster on this
    machine is started, probed and ended. A node is refused if a layer of its sandbox failed, if a
    self-check program ends wrongly, if its disk is full, or if its versions are not those of this machine. A
    node without a toolchain gets no job that needs it.

    Exit code 0 if at least one node may judge, else 3.

    \b
    benchwright nodes
    benchwright nodes ray://head:6379
    """
    with open_session(address, trust=trust_cluster) as session:
        rows = probed_nodes(session)
    if as_json:
        print_json({"nodes": [_document(row) for row in rows]})
    else:
        _print(rows)
    sys.exit(0 if any(row.state == READY for row in rows) else 3)


def _document(row: NodeRow) -> dict[str, object]:
    document = full_document(row)
    return {**document.pop("address"), **document}


def _print(rows: Sequence[NodeRow]) -> None:
    table = text_table()
    for name in _COLUMNS:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*map(escape, _cells(row)))
    print_whole(console(), table)
    for row in rows:
        for note in _notes(row):
            console().print(f"{escape(escaped(row.address.host))}: {escape(escaped(note))}", soft_wrap=True)


def _cells(row: NodeRow) -> Iterator[str]:
    address, facts = row.address, row.facts
    yield from (address.node_id[:8], escaped(address.host), str(address.cores))
    yield from _fact_cells(facts) if facts else [""] * 5
    yield row.state


def _fact_cells(facts: NodeFacts) -> Iterator[str]:
    versions = (f"{lang} {next(iter(parts.values()), '')}" for lang, parts in facts.toolchains.items())
    yield escaped(f"{facts.isolation} ({facts.jail})" if facts.jail else str(facts.isolation))
    yield escaped(facts.python)
    yield escaped(", ".join(each for each in versions if not each.startswith("Python ")))
    yield escaped(facts.version)
    yield "failed" if facts.canary else "passed" if not any(facts.layers.values()) else "not run"


def _notes(row: NodeRow) -> Iterator[str]:
    if row.reason:
        yield f"{row.state}: {row.reason}"
    if row.clock_s is not None and abs(row.clock_s) >= CLOCK_S:
        yield f"its clock differs by {row.clock_s:+.0f} s; verdicts do not depend on it"
    for lang, reason in row.facts.missing.items() if row.facts else ():
        yield f"no {lang}: {reason}"
