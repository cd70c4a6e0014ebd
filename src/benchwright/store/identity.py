"""When two identities mean one run: the rule by which a run folder goes on.

An identity names all that decides the answers and the verdicts of a run. It differs without being another run

- in where a model is served (`base_url`), which folders of earlier versions name and which decides nothing;
- in the rules of judging (`judging`, `python`): they decide verdicts and no answer, so the answers are kept
  and judged anew. Only rules later than this version's are refused, since nothing here knows them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchwright.display.escape import escaped_name

ADDRESS = "base_url"
RULES = ("judging", "python")


def differences(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """What makes `wanted` another run than `found`, as `name: was …, now …`; empty for one run."""
    fields = _differing(without_rules(found), without_rules(wanted), "")
    return [*fields, *_later_rules(found, wanted)]


def rules_of(identity: Mapping[str, Any]) -> dict[str, Any]:
    """By which rules verdicts are made."""
    return {name: identity.get(name) for name in RULES}


def without_rules(identity: Mapping[str, Any]) -> dict[str, Any]:
    """All of an identity that is the same whichever version judges."""
    return {name: value for name, value in identity.items() if name not in RULES}


def address_of(manifest: Mapping[str, Any]) -> str:
    """Where a run's model was last served; empty where that is not known.

    Earlier versions wrote it into the identity.
    """
    model = manifest["identity"].get("model")
    named = manifest.get(ADDRESS) or (model.get(ADDRESS) if isinstance(model, dict) else None)
    return named if isinstance(named, str) else ""


def _differing(found: Any, wanted: Any, field: str) -> Iterator[str]:
    if isinstance(found, dict) and isinstance(wanted, dict):
        for name in sorted({*found, *wanted}):
            if name != ADDRESS or name in wanted:
                yield from _differing(found.get(name), wanted.get(name), f"{field}.{name}".lstrip("."))
    elif found != wanted:
        yield f"`{field}` was {escaped_name(repr(found))}, now {escaped_name(repr(wanted))}"


def _later_rules(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    was, now = found.get("judging"), wanted.get("judging")
    if isinstance(was, int) and isinstance(now, int) and was > now:
        return [f"`judging` was {was}, which a later version of this program made, now {now}"]
    return []
