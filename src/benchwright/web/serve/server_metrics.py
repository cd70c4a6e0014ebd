"""`/health` for load balancers and containers, and `/metrics` for Prometheus.

Neither starts a search for runs: a figure is that of the last search, whose age is one of the figures.
"""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from litestar import Response
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from benchwright.version import VERSION
from benchwright.web.core.clock import SECOND_MS
from benchwright.web.core.database import DatabaseUnavailable
from benchwright.web.core.site import SiteRequest, site_of
from benchwright.web.serve.index_records import RUNNING
from benchwright.web.serve.serve_parts import serve_parts
from benchwright.web.submissions.heartbeats import judges_alive
from benchwright.web.submissions.intake import SubmissionParts
from benchwright.web.submissions.tables import CLAIMED, STATES, Submission

LEAST_FREE = 1 << 30  # bytes of a disk; below it, pushes and runs soon fail
OK, FAILING = "ok", "failing"
TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8"
Labels = Sequence[tuple[str, str]]


class MetricFamily(NamedTuple):
    """A metric with its samples: labels and value of each."""

    name: str
    kind: str  # "gauge" or "counter"
    meaning: str
    samples: Sequence[tuple[Labels, float]]


def exposition(families: Sequence[MetricFamily]) -> str:
    """Metrics in Prometheus' text format: https://prometheus.io/docs/instrumenting/exposition_formats/."""
    return "".join(f"{line}\n" for family in families for line in _lines(family))


def _lines(family: MetricFamily) -> Iterator[str]:
    name = f"benchwright_{family.name}"
    yield f"# HELP {name} {family.meaning}"
    yield f"# TYPE {name} {family.kind}"
    for labels, value in family.samples:
        label_text = ",".join(f'{label}="{_escaped(content)}"' for label, content in labels)
        yield f"{name}{{{label_text}}} {value}" if label_text else f"{name} {value}"


def _escaped(content: str) -> str:
    return content.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


async def health(request: SiteRequest) -> Response[dict[str, Any]]:
    """Report whether the database answers, disks have space, and a judging process is alive."""
    checks = {"database": OK, "disk": OK}
    free = await asyncio.to_thread(_free_bytes, _disks(request))
    if any(left < LEAST_FREE for left in free.values()):
        checks["disk"] = FAILING
    site, has_queue = site_of(request), _submissions(request) is not None
    try:
        judges = await site.database.read(lambda session: judges_alive(session, site.now()))
        if has_queue:
            checks["judges"] = OK if judges else FAILING
    except DatabaseUnavailable:
        checks["database"] = FAILING
    is_well = set(checks.values()) == {OK}
    document = {"status": OK if is_well else FAILING, "checks": checks, "version": VERSION}
    return Response(document, status_code=200 if is_well else 503)


async def metrics(request: SiteRequest) -> Response[str]:
    """Report requests, the queue, judging processes, runs, the age of the index, and disk space."""
    site, has_queue = site_of(request), _submissions(request) is not None
    queue = await site.database.read(lambda session: _queue(session, site.now())) if has_queue else []
    free = await asyncio.to_thread(_free_bytes, _disks(request))
    families = [
        MetricFamily("info", "gauge", "Version of the server.", [([("version", VERSION)], 1)]),
        _requests(request),
        *queue,
        *_runs(request),
        MetricFamily(
            "disk_free_bytes",
            "gauge",
            "Free bytes of the disk of a folder.",
            [([("folder", name)], left) for name, left in free.items()],
        ),
    ]
    return Response(exposition(families), media_type=TEXT_FORMAT)


def _requests(request: SiteRequest) -> MetricFamily:
    counted: Counter[tuple[str, int]] = request.app.state.requests
    samples = [
        ([("method", method), ("status", str(status))], number)
        for (method, status), number in sorted(counted.items())
    ]
    return MetricFamily("requests_total", "counter", "Responses by method and status.", samples)


def _runs(request: SiteRequest) -> Iterator[MetricFamily]:
    index = serve_parts(request).runs
    if index.age_s is None:
        return
    states = Counter(run.state for run in index.state.runs.values())
    samples = [([("state", state)], number) for state, number in sorted(states.items())]
    yield MetricFamily("runs", "gauge", "Runs by state at the last search.", samples)
    yield _single("runs_live", "Runs that were running at the last search.", states[RUNNING])
    yield _single("index_age_seconds", "Time since the last search.", index.age_s)


def _single(name: str, meaning: str, value: float) -> MetricFamily:
    return MetricFamily(name, "gauge", meaning, [((), value)])


def _queue(session: Session, now: int) -> list[MetricFamily]:
    counts = select(Submission.state, func.count().label("number")).group_by(Submission.state)
    found = {row.state: row.number for row in session.execute(counts)}
    waiting = (Submission.state == CLAIMED) & (Submission.lease_until_ms <= now)
    length, oldest = session.execute(
        select(func.count(), func.min(Submission.created_ms)).where(waiting)
    ).one()
    age = 0.0 if oldest is None else (now - oldest) / SECOND_MS
    states = [([("state", state)], found.get(state, 0)) for state in STATES]
    return [
        MetricFamily("submissions", "gauge", "Pushed runs by state.", states),
        _single("queue_length", "Claims that no process judges.", length),
        _single("queue_oldest_seconds", "Age of the oldest of them.", age),
        _single("judges", "Judging processes alive.", judges_alive(session, now)),
    ]


def _submissions(request: SiteRequest) -> SubmissionParts | None:
    parts: SubmissionParts | None = getattr(request.app.state, "submissions", None)
    return parts


def _disks(request: SiteRequest) -> dict[str, Path]:
    """The folders in which the server writes."""
    database, parts = site_of(request).database, _submissions(request)
    found = {}
    if database.kind == "sqlite":
        found["database"] = Path(str(database.engine.url.database)).absolute().parent
    if parts is not None:
        found["submissions"] = parts.folders.top
    return found


def _free_bytes(disks: dict[str, Path]) -> dict[str, int]:
    return {name: shutil.disk_usage(folder).free for name, folder in disks.items()}
