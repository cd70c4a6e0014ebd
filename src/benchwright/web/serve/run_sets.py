"""Sets of comparable runs: equal track, data, profile, form, judging rules and other settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from benchwright.store.keys import content_key
from benchwright.web.serve.index_records import IndexedRun

KEY = 12  # characters of a set's key in addresses


class RunSet(NamedTuple):
    """Runs that can be ranked together, the latest first."""

    key: str
    track: str
    data: str
    profile: str
    form: str
    judging: int
    variant: int  # number among the sets that differ in other settings only; 0: there are no others
    runs: tuple[IndexedRun, ...]

    @property
    def models(self) -> int:
        """The number of models."""
        return len({run.model for run in self.runs})


Identity = tuple[str, str, str, str, int]


def run_sets(runs: Iterable[IndexedRun]) -> list[RunSet]:
    """The sets of all runs that have a score, by track, the largest first.

    A run whose prompts are unknown, as those of stored answers, is in the largest set with its settings.
    """
    scored = sorted((run for run in runs if run.has_score), key=lambda run: (run.date, run.key), reverse=True)
    grouped: dict[tuple[Identity, str, str], list[IndexedRun]] = {}
    prompts = _largest_prompts(scored)
    for run in scored:
        known = run.prompts or prompts.get((_identity(run), run.settings), "")
        grouped.setdefault((_identity(run), run.settings, known), []).append(run)
    alike = Counter(identity for identity, _, _ in grouped)
    order = sorted(grouped, key=lambda key: (key[0], -len(grouped[key]), key[1:]))
    numbers: Counter[Identity] = Counter()
    sets = []
    for key in order:
        numbers[key[0]] += 1
        variant = numbers[key[0]] if alike[key[0]] > 1 else 0
        sets.append(RunSet(content_key(*map(list, key))[:KEY], *key[0], variant, tuple(grouped[key])))
    return sorted(sets, key=lambda each: (each.track, -len(each.runs), each.key))


def _identity(run: IndexedRun) -> Identity:
    return run.track, run.data, run.profile, run.form, run.judging


def _largest_prompts(runs: Iterable[IndexedRun]) -> Mapping[tuple[Identity, str], str]:
    """The most frequent known prompts of each settings."""
    counts = Counter((_identity(run), run.settings, run.prompts) for run in runs if run.prompts)
    return {
        (identity, settings): prompts for (identity, settings, prompts), _ in reversed(counts.most_common())
    }
