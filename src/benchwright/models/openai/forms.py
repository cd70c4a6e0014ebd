"""The format of prompts and replies, by the interface of a provider."""

from __future__ import annotations

from benchwright.contracts import Asking
from benchwright.errors import UsageError
from benchwright.models.openai.anthropic import AnthropicForm
from benchwright.models.openai.gemini import CONFIG, GeminiForm
from benchwright.models.openai.messages import Form
from benchwright.models.openai.providers import Interface

_FORMS: dict[Interface, type[Form]] = {"openai": Form, "anthropic": AnthropicForm, "gemini": GeminiForm}
_OURS: dict[Interface, frozenset[str]] = {
    "openai": frozenset(),  # `messages.check_body` knows them
    "anthropic": frozenset({"system", "stop_sequences"}),
    "gemini": frozenset({"contents", "systemInstruction"}),
}


def check_fields(interface: Interface, asking: Asking) -> None:
    """Raise UsageError for a body field that this interface sets itself."""
    for name in asking.body:
        if name in _OURS[interface]:
            hint = "leave it out of --body; prompts come from the data set"
            raise UsageError(f"the request's field {name!r} is Benchwright's own", hint=hint)
    config = asking.body.get(CONFIG, {})
    if interface == "gemini" and not isinstance(config, dict):
        hint = "--body generationConfig='{\"topK\": 40}'"
        raise UsageError(f"the request's field {CONFIG!r} must be an object", hint=hint)


def form_of(interface: Interface, name: str, asking: Asking) -> Form:
    """Return the encoder of prompts and decoder of replies."""
    return _FORMS[interface](name, asking)
