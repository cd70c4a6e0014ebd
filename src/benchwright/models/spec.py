"""Open a model by its spec, `scheme:rest`, such as `replay:samples.jsonl` or `gold:`."""

from __future__ import annotations

import os
from typing import Any

from benchwright.contracts import Model
from benchwright.errors import UsageError, nearest
from benchwright.registry import find, names

_STORED = (".jsonl", ".json", ".gz")  # how files of answers are called


def parse_model(spec: str, **options: Any) -> Model:
    """Return the model of a spec. `options` are passed to the opener of its scheme.

    Raises UsageError, with the nearest scheme, for an unknown one.
    """
    scheme, colon, rest = spec.partition(":")
    if not colon:
        raise UsageError(f"the model {spec!r} has no scheme", hint=_hint(spec))
    model: Model = find("model", scheme)(rest, **options)
    return model


def _hint(spec: str) -> str:
    schemes = names("model")
    if near := nearest(spec, schemes):
        return f"did you mean `{near}:`?"
    return f"write `scheme:rest`, such as `{_likely(spec)}`; the schemes are: {', '.join(schemes)}"


def _likely(spec: str) -> str:
    """Return the likely spec of a name without a scheme: a file, a folder of weights, or a server's model."""
    if os.path.isfile(spec) or spec.endswith(_STORED):
        return f"replay:{spec}"
    return f"transformers:{spec}" if os.path.isdir(spec) else f"openai:{spec}"
