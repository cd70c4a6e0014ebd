"""Training exports: recipes by name, and one export from releases and run folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchwright.building.alignment.exports.agent import agent_messages
from benchwright.building.alignment.exports.commits import comment_writing, commit_messages
from benchwright.building.alignment.exports.discussions import issue_answers, iterations
from benchwright.building.alignment.exports.drafts import repaired_drafts
from benchwright.building.alignment.exports.executed import (
    ExecutedTask,
    executed_labels,
    executed_pairs,
    executed_tasks,
    repairs,
    run_source,
)
from benchwright.building.alignment.exports.material import Material
from benchwright.building.alignment.exports.refine import addressed, refine, review
from benchwright.building.alignment.exports.release_tables import AlignmentRelease
from benchwright.errors import DataError, UsageError, command_name, nearest_hint
from benchwright.interop.exports.finished_runs import FinishedRun
from benchwright.interop.training.contract import row_faults
from benchwright.interop.training.export_folder import Configuration, TrainingExport, write_export
from benchwright.interop.training.formats import FORMATS, TrainingFormat
from benchwright.interop.training.row_types import (
    PREFERENCE,
    PROMPT_COMPLETION,
    STEPWISE,
    TOOL_MESSAGES,
    UNPAIRED,
    ChatMessage,
    Form,
    RowType,
    TrainingRow,
    trl_row,
)
from benchwright.records import Drop
from benchwright.store.keys import content_key

RowsOrDrops = Iterator[TrainingRow | Drop]


class ExportRecipe(NamedTuple):
    """One configuration of an export: where its rows come from, and their type."""

    name: str  # FAMILY-METHOD
    about: str
    kind: RowType
    of_release: Callable[[Material], RowsOrDrops] | None = None
    of_runs: Callable[[Iterator[ExecutedTask]], RowsOrDrops] | None = None


RECIPES = {
    each.name: each
    for each in (
        ExportRecipe("refine-sft", "hunk and remark → fixed hunk", PROMPT_COMPLETION, refine),
        ExportRecipe("refine-dpo", "fixed hunk preferred to the hunk objected to", PREFERENCE, refine),
        ExportRecipe("addressed-kto", "hunk → remark; did it lead to a change?", UNPAIRED, addressed),
        ExportRecipe("review-sft", "hunk → review remark", PROMPT_COMPLETION, review),
        ExportRecipe("commit-sft", "diff → commit message", PROMPT_COMPLETION, commit_messages),
        ExportRecipe("comments-sft", "code → code with comments", PROMPT_COMPLETION, comment_writing),
        ExportRecipe("issues-sft", "issue → a maintainer's answer", PROMPT_COMPLETION, issue_answers),
        ExportRecipe("iterations-prm", "pull request → iterations; was each right?", STEPWISE, iterations),
        ExportRecipe("agent-sft", "sessions as messages with calls of tools", TOOL_MESSAGES, agent_messages),
        ExportRecipe(
            "executed-dpo", "passed answer preferred to a failed one", PREFERENCE, None, executed_pairs
        ),
        ExportRecipe("executed-kto", "answer; did it pass?", UNPAIRED, None, executed_labels),
        ExportRecipe(
            "repair-sft", "failed answer → repaired answer", PROMPT_COMPLETION, repaired_drafts, repairs
        ),
        ExportRecipe(
            "repair-dpo", "repaired answer preferred to the failed one", PREFERENCE, repaired_drafts, repairs
        ),
    )
}


class _Sources(NamedTuple):
    releases: list[AlignmentRelease]
    runs: list[FinishedRun]


def export_training(
    sources: Sequence[str | Path],
    out: str | Path,
    *,
    recipes: Sequence[str] = (),
    form: Form = "conversational",
    file_format: str = "trl",
    allow_test: bool = False,
) -> TrainingExport:
    """Write training data from releases of the alignment recipe and from run folders.

    Without `recipes`, all that fit the sources, the form and the format. A family such as "refine" stands for
    its recipes. Rows of test splits are left out, and runs on test tasks refused, unless `allow_test`. Raises
    UsageError, DataError for a damaged release, and RunError for an unusable run or folder.
    """
    opened = _opened(sources)
    written = FORMATS[file_format]
    chosen = _chosen_recipes(recipes, opened, form, written)
    configurations = [_configuration(each, opened, form, allow_test=allow_test) for each in chosen]
    if not any(each.rows for each in configurations):
        raise _nothing(configurations)
    origins = [each.published() for each in opened.releases]
    origins += [msgspec.to_builtins(run_source(each)) for each in opened.runs]
    return write_export(Path(out), configurations, written, sources=origins)


def _opened(sources: Sequence[str | Path]) -> _Sources:
    if not sources:
        raise UsageError("missing RELEASE", hint="name a release of `build alignment`, or a run folder")
    found = _Sources([], [])
    for each in map(Path, sources):
        if (each / "run.json").is_file():
            found.runs.append(FinishedRun(each))
        else:
            found.releases.append(AlignmentRelease(each))
    return found


def _chosen_recipes(
    names: Sequence[str], opened: _Sources, form: Form, file_format: TrainingFormat
) -> list[ExportRecipe]:
    """The recipes by name or family; by default those that fit."""
    if not names:
        return [
            each
            for each in RECIPES.values()
            if form in each.kind.forms
            and (not file_format.holds or each.kind in file_format.holds)
            and _has_source(each, opened)
        ]
    found = [each for name in dict.fromkeys(names) for each in _recipes_of(name)]
    for each in found:
        _check_recipe(each, opened, form, file_format)
    return list({each.name: each for each in found}.values())


def _recipes_of(name: str) -> list[ExportRecipe]:
    if name in RECIPES:
        return [RECIPES[name]]
    family = [each for key, each in RECIPES.items() if key.rpartition("-")[0] == name]
    if not family:
        raise UsageError(f"unknown recipe: {name}", hint=nearest_hint(name, RECIPES))
    return family


def _check_recipe(each: ExportRecipe, opened: _Sources, form: Form, file_format: TrainingFormat) -> None:
    file_format.check(each.kind, each.name)
    if form not in each.kind.forms:
        message = f"--recipe {each.name} has rows of the type {each.kind.name}, which is {each.kind.forms[0]}"
        raise UsageError(message, hint=f"add --form {each.kind.forms[0]}")
    if not _has_source(each, opened):
        if each.of_release:
            hint = "name a release of `build alignment`"
            raise UsageError(f"--recipe {each.name} needs a release", hint=hint)
        raise UsageError(f"--recipe {each.name} needs a run", hint="name a run folder, such as runs/mine")


def _has_source(each: ExportRecipe, opened: _Sources) -> bool:
    return bool((each.of_release and opened.releases) or (each.of_runs and opened.runs))


def _configuration(recipe: ExportRecipe, opened: _Sources, form: Form, *, allow_test: bool) -> Configuration:
    found = _RowCollector(recipe, form, allow_test=allow_test)
    for each in _export_rows(recipe, opened, allow_test=allow_test):
        found.add(each)
    return Configuration(
        recipe.name, recipe.about, recipe.kind, form, list(found.rows.values()), found.dropped
    )


class _RowCollector:
    """The rows of a recipe that may be published, each id and each content once, and drops by reason."""

    def __init__(self, recipe: ExportRecipe, form: Form, *, allow_test: bool) -> None:
        self.rows: dict[str, TrainingRow] = {}
        self.dropped: Counter[str] = Counter()
        self._contents: set[str] = set()
        self._recipe, self._form, self._allow_test = recipe, form, allow_test

    def add(self, row: TrainingRow | Drop) -> None:
        """Keep a row or count a drop. Raises DataError for a row that violates the contract of its type."""
        if isinstance(row, Drop):
            self.dropped[row.reason] += 1
            return
        packed = trl_row(row, self._recipe.kind, self._form)
        content = content_key(packed)
        if reason := self._refusal(row, content):
            self.dropped[reason] += 1
            return
        self._check(row, packed)
        self.rows[row.id] = row
        self._contents.add(content)

    def _check(self, row: TrainingRow, packed: dict[str, Any]) -> None:
        """Raise DataError for a row that no trainer would read: an error of the recipe, not of its data."""
        for fault in row_faults(packed, self._recipe.kind, self._form):
            message = f"row {row.id} of {self._recipe.name}: {fault.message}"
            raise DataError(message, field=fault.column, hint=fault.hint)

    def _refusal(self, row: TrainingRow, content: str) -> str:
        """Why a row is left out; empty if it is not."""
        if row.split == "test" and not self._allow_test:
            return "test_split"
        if row.id in self.rows:
            return "duplicate_id"
        if content in self._contents:
            return "duplicate_text"
        if not all(each.content.strip() or each.tool_calls or each.role == "tool" for each in _texts(row)):
            return "no_text"
        is_equal = self._recipe.kind is PREFERENCE and row.completion == row.rejected
        return "equal_texts" if is_equal else ""


def _export_rows(recipe: ExportRecipe, opened: _Sources, *, allow_test: bool) -> RowsOrDrops:
    if recipe.of_release:
        for release in opened.releases:
            yield from recipe.of_release(release)
    if recipe.of_runs:
        for run in opened.runs:
            yield from recipe.of_runs(executed_tasks(run, allow_test=allow_test))


def _texts(row: TrainingRow) -> list[ChatMessage]:
    return [*row.prompt, *row.completion, *row.rejected]


def _nothing(configurations: Sequence[Configuration]) -> DataError:
    counts: Counter[str] = Counter()
    for each in configurations:
        counts.update(each.dropped)
    listed = ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in counts.most_common())
    hint = "use other recipes, or a release with more evidence"
    if counts["test_split"]:
        hint = f"{command_name()} export benchmark takes the test split; --allow-test exports it for training"
    return DataError(f"no rows to export; left out: {listed or 'nothing'}", hint=hint)
