"""Recipes on issues and pull requests: answers to issues, and iterations with their outcomes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from benchwright.building.alignment.exports.material import (
    MAX_TEXT,
    STRONG,
    Material,
    row_for,
    strongest_links,
)
from benchwright.building.alignment.records import DevelopmentTrajectory, Feedback, Iteration
from benchwright.interop.training.row_types import TrainingRow, assistant, user
from benchwright.records import Drop
from benchwright.sources.events import RepoEvent

ANSWERING = ("owner", "member", "collaborator")  # roles whose comments count as answers


def issue_answers(material: Material) -> Iterator[TrainingRow | Drop]:
    """An issue as the prompt, the comment of a maintainer as the completion: one row for each comment."""
    issues = {(each.repo, each.subject): each for each in material.events() if each.kind == "issue_opened"}
    for each in material.events():
        if each.kind != "comment":
            continue
        issue = next((issues[key] for name in each.parents if (key := (each.repo, name)) in issues), None)
        if issue is None:
            continue  # a comment on a pull request or on another comment
        reason = _answer_refusal(issue, each)
        if reason:
            yield Drop(unit=each.id, reason=reason)
            continue
        yield row_for(
            material, each, prompt=[user(issue.text.strip())], completion=[assistant(each.text.strip())]
        )


def _answer_refusal(issue: RepoEvent, answer: RepoEvent) -> str:
    if answer.bot or issue.bot:
        return "bot"
    if answer.role not in ANSWERING:
        return "not_a_maintainer"
    if answer.actor and answer.actor == issue.actor:
        return "by_the_asker"
    if not issue.text.strip() or not answer.text.strip():
        return "no_text"
    return "" if max(len(issue.text), len(answer.text)) <= MAX_TEXT else "too_long"


def iterations(material: Material) -> Iterator[TrainingRow | Drop]:
    """The description of a pull request, then its iterations as steps, each with a label.

    A step is right if it was the merged one, and wrong if a check failed on it or a remark on it led to a
    change. Where an iteration has neither, its outcome is unknown and the trajectory is left out.
    """
    opened = {
        (each.repo, each.pull or each.subject): each
        for each in material.events()
        if each.kind == "pull_opened"
    }
    commits = {
        (each.repo, each.subject.removeprefix("commit:")): each
        for each in material.events()
        if each.kind == "commit"
    }
    failed = _failed_heads(material)
    objected = _objected_heads(material)
    for each in material.trajectories():
        description = opened.get((each.repo, each.pull))
        steps = [_step(material, each.repo, step, commits) for step in each.iterations]
        labels = _labels(each, failed | objected)
        reason = _iterations_refusal(each, description, steps, labels)
        if reason or description is None:
            yield Drop(unit=each.id, reason=reason)
            continue
        yield row_for(
            material,
            each,
            prompt=[user(description.text.strip())],
            steps=steps,
            labels=[label is True for label in labels],
            commits=[sha for step in each.iterations for sha in step.commits],
            sha=each.iterations[-1].head,
            url=description.url,
            at=each.opened_at,
        )


def _failed_heads(material: Material) -> frozenset[tuple[str, str]]:
    kinds = ("check", "test_result")
    return frozenset(
        (each.repo, head)
        for each in material.events()
        if each.kind in kinds and each.state in ("failure", "failed")
        for head in each.heads
    )


def _objected_heads(material: Material) -> frozenset[tuple[str, str]]:
    """The heads with a remark that led to a change."""
    strong = {name for name, link in strongest_links(material).items() if link.rung in STRONG}
    remarked: Iterator[Feedback] = (each for each in material.feedback() if each.id in strong)
    return frozenset((each.repo, each.commit) for each in remarked if each.commit)


def _step(
    material: Material, repo: str, step: Iteration, commits: Mapping[tuple[str, str], RepoEvent]
) -> str:
    """The changes of an iteration: the message and the patches of its commits; empty if one is missing."""
    texts = []
    for sha in step.commits:
        commit = commits.get((repo, sha))
        patches = [material.patch(repo, sha, file.path) for file in commit.files] if commit else []
        if commit is None or not patches or not all(patches):
            return ""
        texts += [commit.text.strip(), *(patch.rstrip() for patch in patches)]
    return "\n\n".join(texts)


def _labels(each: DevelopmentTrajectory, wrong: frozenset[tuple[str, str]]) -> list[bool | None]:
    """Whether each iteration was right; None: unknown."""
    labels: list[bool | None] = [
        False if (each.repo, step.head) in wrong else None for step in each.iterations
    ]
    if labels and labels[-1] is None and each.outcome == "merged":
        labels[-1] = True
    return labels


def _iterations_refusal(
    each: DevelopmentTrajectory,
    opened: RepoEvent | None,
    steps: Sequence[str],
    labels: Sequence[bool | None],
) -> str:
    if len(each.iterations) < 2:
        return "one_iteration"
    if opened is None or not opened.text.strip():
        return "no_text"
    if any(step.gap for step in each.iterations):
        return "lost_head"
    if not all(step.strip() for step in steps):
        return "no_patch"
    if None in labels:
        return "outcome_unknown"
    return "" if sum(map(len, steps)) <= 4 * MAX_TEXT else "too_long"


def sessions(material: Material) -> dict[tuple[str, str], list[RepoEvent]]:
    """The events of each session in the order of the release."""
    found: dict[tuple[str, str], list[RepoEvent]] = defaultdict(list)
    for each in material.events():
        if each.pull.startswith("session:"):
            found[each.repo, each.pull].append(each)
    return dict(found)
