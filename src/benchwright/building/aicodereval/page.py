"""The page of a build of AICoderEval: statistics as charts and tables, in one file that loads nothing.

The charts are those of every benchmark of this kind (domains, success rates, code size, libraries) and
those of a build: the funnel, rejections and costs of gates, and the mutants that tests kill.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.building.aicodereval.build_statistics import BuildStatistics, DraftFacts, UncertifiedEntry
from benchwright.display.escape import escaped_code, visible_name
from benchwright.display.wording import counted
from benchwright.report.chart_canvas import Canvas, Drawing, Tip, label_margin, round_ticks
from benchwright.report.chart_files import Figure, check_installed, draw_figure, save_charts
from benchwright.report.chart_layout import GAP, LETTER, Size, shortened_text
from benchwright.report.page import check_target, diff_lines, make_folder, render_template, write_file

_RATES = ("0 %", "1 to 33 %", "34 to 66 %", "67 to 99 %", "100 %")
_LINES = (5, 10, 15, 20, 30, 50)  # upper bounds of the bins of code lines
_TENTHS = ("below 50 %", "50 to 59 %", "60 to 69 %", "70 to 79 %", "80 to 89 %", "90 to 99 %", "100 %")
PACKAGE = "benchwright.building.aicodereval"  # has the template
LISTED = 200  # uncertified entries; the rest is in the release's admissions.jsonl
_OF_CHANGE = ("call", "solution", "mutant")
NO_LIBRARY = "standard library alone"
SECONDS = "seconds"  # the one unit that is not counted


class WrittenStatistics(NamedTuple):
    """The page, the files of the charts, and charts that could not be saved, with reasons."""

    page: Path
    charts: list[Path]
    left_out: list[str]


class Tally(NamedTuple):
    """Counts by name under a title: the rows of a chart and of its table."""

    key: str  # of the files
    title: str
    unit: str  # of the counts
    rows: list[tuple[str, float]]


def tallies(found: BuildStatistics) -> list[Tally]:
    """All charts in page order; those without rows are omitted."""
    entries, drafts = found.released, found.drafts
    rates = [each.success_rate for each in drafts if each.success_rate is not None]
    scores = [each.mutation_score for each in drafts if each.mutation_score is not None]
    every = [
        Tally("domains", "Entries by domain", "entries", _counts(each.domain for each in entries)),
        Tally(
            "success-rates",
            "Drafts by the share of their levels that pass",
            "drafts",
            _binned(rates, _rate, _RATES),
        ),
        Tally("code-size", "Entries by lines of code", "entries", _sizes(entries)),
        Tally("libraries", "Entries by library", "entries", _libraries(entries)),
        Tally("tiers", "Drafts by tier", "drafts", _counts(each.tier for each in drafts)),
        Tally(
            "funnel", "Records kept by stage", "records", [(each.stage, each.kept) for each in found.funnel]
        ),
        Tally("refusals", "Refusals by reason", "drafts", _refusals(found)),
        Tally(
            "mutation-scores",
            "Drafts by the share of mutants that their tests kill",
            "drafts",
            _binned(scores, _tenth, _TENTHS),
        ),
        Tally("gate-costs", "Processor seconds by gate", SECONDS, _costs(found)),
    ]
    return [_visible(each) for each in every if each.rows]


def _visible(tally: Tally) -> Tally:
    return tally._replace(rows=[(visible_name(name), value) for name, value in tally.rows])


def _counts(names: Iterable[str]) -> list[tuple[str, float]]:
    return sorted(Counter(names).items(), key=lambda each: (-each[1], each[0]))


def _binned(
    values: Sequence[float], bin_of: Callable[[float], str], bins: Sequence[str]
) -> list[tuple[str, float]]:
    """A row for each bin, including empty ones; no rows without values."""
    counts = Counter(map(bin_of, values))
    return [(name, counts[name]) for name in bins] if values else []


def _rate(share: float) -> str:
    if share in (0, 1):
        return _RATES[-1 if share else 0]
    return _RATES[1 + (share > 1 / 3) + (share > 2 / 3 - 1e-9)]


def _tenth(share: float) -> str:
    return _TENTHS[-1] if share >= 1 else _TENTHS[max(0, int(share * 10) - 4)]


def _sizes(entries: Sequence[DraftFacts]) -> list[tuple[str, float]]:
    bins = [f"up to {bound}" for bound in _LINES] + [f"over {_LINES[-1]}"]
    counts = Counter(sum(each.code_lines > bound for bound in _LINES) for each in entries)
    return [(name, counts[number]) for number, name in enumerate(bins)] if entries else []


def _libraries(entries: Sequence[DraftFacts]) -> list[tuple[str, float]]:
    return _counts(name for each in entries for name in each.libraries or [NO_LIBRARY])


def _refusals(found: BuildStatistics) -> list[tuple[str, float]]:
    counts: Counter[str] = Counter()
    for gate in found.gates:
        counts.update(gate.refused)
    return [
        (reason.replace("_", " "), count)
        for reason, count in sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    ]


def _costs(found: BuildStatistics) -> list[tuple[str, float]]:
    return sorted(((each.name, each.cpu_s) for each in found.gates if each.cpu_s), key=lambda each: -each[1])


def drawing_of(tally: Tally) -> Drawing:
    """A bar chart with a number after each bar."""
    most = max(tally.rows, key=lambda each: each[1])
    describe = (
        f"{counted(len(tally.rows), 'bar')}; the longest is {most[0]} with {number(most[1])} {tally.unit}."
    )
    return Drawing(tally.key, tally.title, describe, _bars(tally))


def number(value: float) -> str:
    """Counts as integers, seconds with two decimals."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def _bars(tally: Tally) -> Callable[[Size], Canvas]:
    top = max(value for _, value in tally.rows) or 1

    def make(size: Size) -> Canvas:
        labels = shortened_text([name for name, _ in tally.rows], size.room / LETTER)
        canvas = Canvas(size, height=26 * len(labels), left=label_margin(labels))
        room = max(LETTER * 0.7 * len(number(value)) for _, value in tally.rows) + GAP  # behind a bar
        scale = max(1, canvas.width - room) / top
        ticks = round_ticks(canvas.width / scale, 4, whole=tally.unit != SECONDS)
        canvas.x_axis([(scale * each, _tick(each)) for each in ticks], tally.unit)
        for y, (name, value) in zip(canvas.names_axis(labels), tally.rows, strict=True):
            tip = Tip(f"{name}: {number(value)} {tally.unit}")
            canvas.rect(0, y - 9, scale * value, 18, "model-0", tip)
            canvas.text(scale * value + 4, y, number(value), ink="ink")
        return canvas

    return make


def _tick(value: float) -> str:
    return f"{value / 1000:g}k" if value >= 1000 else f"{value:g}"


def write_build_page(found: BuildStatistics, out: Path, *, charts: Path | None = None) -> WrittenStatistics:
    """Write the page to `out`, and each chart as SVG and PNG into the folder `charts`.

    Equal builds give equal bytes. A chart that cannot be saved is listed. Raises PrerequisiteError if none
    can be saved, before anything is written.
    """
    check_target(out)
    if charts is not None:
        check_installed()
    all_tallies = tallies(found)
    figures = [draw_figure(drawing_of(each)) for each in all_tallies]
    write_file(
        out, render_template("build.html", page_context(found, all_tallies, figures), packages=[PACKAGE])
    )
    if charts is None:
        return WrittenStatistics(out, [], [])
    make_folder(charts)
    return WrittenStatistics(out, *save_charts(map(drawing_of, all_tallies), charts))


def page_context(found: BuildStatistics, shown: Sequence[Tally], figures: Sequence[Figure]) -> dict[str, Any]:
    """The data of the template."""
    return {
        "title": f"Build {visible_name(Path(found.folder).name)}",
        "lede": lede(found),
        "parts": [
            (each, [(name, number(value)) for name, value in each.rows], figure)
            for each, figure in zip(shown, figures, strict=True)
        ],
        "funnel": [
            (each, ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in each.dropped.items()))
            for each in found.funnel
        ],
        "gates": [
            (
                each.name,
                ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in each.refused.items()),
                f"{each.cpu_s:.2f}",
            )
            for each in found.gates
        ],
        "uncertified": [_uncertified(each) for each in found.uncertified[:LISTED]],
        "unlisted": max(0, len(found.uncertified) - LISTED),
    }


def _uncertified(entry: UncertifiedEntry) -> dict[str, Any]:
    """An entry with the reasons of each gate, and the changes that its tests miss."""
    return {
        "name": visible_name(entry.task_id),
        "tier": entry.tier,
        "reasons": [
            {
                "reason": each.reason,
                "detail": escaped_code(each.detail),
                "changes": [
                    {
                        **{name: escaped_code(getattr(one, name)) for name in _OF_CHANGE},
                        "diff": diff_lines(escaped_code(one.diff)),
                    }
                    for one in each.changes
                ],
            }
            for each in entry.reasons
        ],
    }


def lede(found: BuildStatistics) -> str:
    """The build in one sentence."""
    tiers = Counter(each.tier for each in found.released)
    tier_counts = ", ".join(f"{count} {tier}" for tier, count in tiers.most_common())
    lines = [each.code_lines for each in found.released]
    mean = f"; {sum(lines) / len(lines):.1f} lines of code on average" if lines else ""
    return f"{counted(len(found.released), 'entry', 'entries')} released: {tier_counts or 'none'}{mean}."
