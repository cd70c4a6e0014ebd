"""The model judges of a run: opened from their specs, named by all that decides what they say.

openai:NAME           asked at --judge-base-url, or where the environment says
openai:NAME@URL       asked at this URL
replay:FOLDER         every judge of another run folder, by the replies that it keeps
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchwright.asking.parameters import TEMPERATURE, check_asking
from benchwright.contracts import AssessableTrack, ConversationalModel, Model, RequestOptions, Track
from benchwright.contracts.assessing import JUDGE_LANGUAGES, rubrics_of
from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import RunError, UsageError, command_name
from benchwright.judges.rubric.rubrics import find_rubric
from benchwright.models.recorded_replies import RecordedReplies
from benchwright.models.spec import parse_model
from benchwright.running.options import JudgeOptions, RunOptions, check_name
from benchwright.store.keys import JUDGES, content_key
from benchwright.store.runfolder import RunFolder

READING = 1  # raised whenever the same reply may be read in another way than before
MOST_VOTES = 99
_URL = re.compile(r"@(?=https?://)")
_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")


class ModelJudge(NamedTuple):
    """A model and everything that decides its assessments. `name` is part of file names."""

    name: str
    model: Model
    asking: RequestOptions
    identity: dict[str, Any]

    @property
    def votes(self) -> int:
        """The number of requests for one answer."""
        return int(self.identity["votes"])

    @property
    def by_schema(self) -> bool:
        """Whether requests include the JSON schema of the reply."""
        return bool(self.identity["schema"])

    @property
    def called(self) -> str:
        """The name of its model at the server."""
        return _model_name(self.identity)


def settle_judges(run: RunOptions, track: Track) -> tuple[ModelJudge, ...]:
    """Return the judges of a run's answers. Raises UsageError where there is nothing to judge."""
    options = run.judges
    if not options.specs:
        if options.votes is not None:
            message = f"--votes {options.votes}: --votes needs a model judge"
            raise UsageError(message, hint="add --judge openai:NAME")
        return ()
    if not run.keep_tasks:
        message = "--judge and --without-tasks are mutually exclusive: a judge's replies quote the tasks"
        raise UsageError(message, hint="use only one of these options")
    if not isinstance(track, AssessableTrack):
        message = f"--judge: answers to {track.name} are judged without a model"
        raise UsageError(message, hint="leave --judge out")
    return open_judges(options, rubrics_of(track, run.profiles[0]))


def open_judges(options: JudgeOptions, rubrics: Sequence[str]) -> tuple[ModelJudge, ...]:
    """Open each named judge once, by these rubrics. Raises UsageError, DataError or RunError."""
    check_asking(options.asking)
    found: dict[str, ModelJudge] = {}
    for spec in options.specs:
        check_name("--judge", spec)
        scheme, _, rest = spec.partition(":")
        for judge in (
            _stored_judges(rest, options, rubrics)
            if scheme == "replay"
            else [_live_judge(spec, options, rubrics)]
        ):
            if judge.name in found:
                raise UsageError(f"--judge {escaped_name(spec)}: it is given twice", hint="name it once")
            found[judge.name] = judge
    return tuple(found.values())


def _live_judge(spec: str, options: JudgeOptions, rubrics: Iterable[str]) -> ModelJudge:
    """Return a judge that is asked."""
    votes = _vote_count(options.votes)
    model_spec, *place = _URL.split(spec, maxsplit=1)
    asking = options.asking if not place else msgspec.structs.replace(options.asking, base_url=place[0])
    if asking.temperature is None:
        asking = msgspec.structs.replace(asking, temperature=0.0 if votes == 1 else TEMPERATURE)
    if model_spec.partition(":")[0] in ("gold", "stub"):
        message = f"--judge {model_spec}: it has the answers of a data set and cannot judge others"
        raise UsageError(message, hint="--judge openai:NAME, or replay:FOLDER of a run with judges")
    model = parse_model(model_spec, asking=asking)
    if model.deterministic and votes > 1:
        message = f"--votes {votes}: at temperature 0 all votes would be equal"
        raise UsageError(message, hint=f"--judge-temperature {TEMPERATURE}")
    identity = {
        "model": dict(model.identity()),
        "votes": votes,
        "schema": options.schema and isinstance(model, ConversationalModel) and "schema" in model.takes,
        **_rules(rubrics),
    }
    return ModelJudge(_name(identity), model, asking, identity)


def _vote_count(votes: int | None) -> int:
    if votes is not None and not 1 <= votes <= MOST_VOTES:
        raise UsageError(f"--votes {votes}: must be from 1 to {MOST_VOTES}", hint="--votes 3")
    return votes or 1


def _stored_judges(rest: str, options: JudgeOptions, rubrics: Iterable[str]) -> list[ModelJudge]:
    """Return the judges of another run folder, whose replies are stored."""
    if not rest:
        raise UsageError("`replay:` needs a run folder", hint="--judge replay:runs/mine")
    folder = RunFolder.read(Path(rest))
    identities: Mapping[str, Any] = folder.manifest.get(JUDGES) or {}
    if not identities:
        hint = f"name a folder that `{command_name()} run … --judge openai:NAME` made"
        raise RunError(f"{escaped_path(rest)} has no replies of a judge", hint=hint)
    return [_replay_judge(folder, name, identity, options, rubrics) for name, identity in identities.items()]


def _replay_judge(
    folder: RunFolder, name: str, identity: Any, options: JudgeOptions, rubrics: Iterable[str]
) -> ModelJudge:
    place, rules = escaped_path(folder.path), _rules(rubrics)
    if not isinstance(identity, dict) or not isinstance(identity.get("model"), dict):
        raise RunError(f"{place}: run.json does not state how {escaped_name(name)} judged", hint=_AGAIN)
    if options.votes not in (None, identity.get("votes")):
        message = f"--votes {options.votes}: {escaped_name(name)} was asked {identity.get('votes')} times"
        raise UsageError(message, hint="leave --votes out")
    if not _judged_by(rules, identity):
        raise RunError(
            f"{place}: {escaped_name(name)} judged by rubrics that this version does not have", hint=_AGAIN
        )
    path = folder.replies(name).answers_path
    if _name(identity) != name or not path.exists():
        raise RunError(f"{place} lacks the replies of {escaped_name(name)}", hint=_AGAIN)
    model = RecordedReplies(path, identity["model"], deterministic=identity["votes"] == 1)
    return ModelJudge(name, model, options.asking, identity)


_AGAIN = "name another folder, or let the judge judge again: --judge openai:NAME"


def _rules(rubrics: Iterable[str]) -> dict[str, Any]:
    """Return the identity of the rubric and of the parser of replies."""
    keys = {f"{name}.{each}": find_rubric(name, each).key for name in rubrics for each in JUDGE_LANGUAGES}
    return {"rubrics": keys, "reading": READING}


def _judged_by(rules: Mapping[str, Any], identity: Mapping[str, Any]) -> bool:
    """Whether recorded rules equal the current ones. Earlier versions had rubrics in fewer languages."""
    recorded = identity.get("rubrics")
    if not isinstance(recorded, dict) or identity.get("reading") != rules["reading"]:
        return False
    return bool(recorded) and recorded.items() <= rules["rubrics"].items()


def _name(identity: Mapping[str, Any]) -> str:
    """Return the model's name and the key of everything that decides its replies."""
    plain = _UNFIT.sub("-", _model_name(identity).rpartition("/")[2]).strip("-.")[:40]
    return f"{plain or 'judge'}-{content_key(identity)[:8]}"


def _model_name(identity: Mapping[str, Any]) -> str:
    model = identity["model"]
    return str(model.get("name") or model.get("scheme") or "judge")
