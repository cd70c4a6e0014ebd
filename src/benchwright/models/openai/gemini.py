"""Gemini's interface: requests to :generateContent and their replies.

Format: https://ai.google.dev/api/generate-content
"""

from __future__ import annotations

from typing import Any

import msgspec

from benchwright.asking.parameters import TEMPERATURE
from benchwright.contracts import Asking, Prompt
from benchwright.models.openai.messages import Form, ReplyContent, encoded, malformed, parsed, said_in
from benchwright.models.openai.messages import token_count as count

_GEMINI_REASONS = {"STOP": "stop", "MAX_TOKENS": "length"}
_ROLES = {"user": "user", "assistant": "model"}
CONFIG = "generationConfig"


class _Part(msgspec.Struct):
    text: Any = None
    thought: Any = None


class _Content(msgspec.Struct):
    parts: list[_Part] = []


class _Candidate(msgspec.Struct, rename="camel"):
    content: _Content | None = None
    finish_reason: Any = None


class _GeminiUsage(msgspec.Struct, rename="camel"):
    prompt_token_count: Any = None
    candidates_token_count: Any = None
    thoughts_token_count: Any = None


class _Feedback(msgspec.Struct, rename="camel"):
    block_reason: Any = None


class _GeminiReply(msgspec.Struct, rename="camel"):
    candidates: list[_Candidate] | None = None
    prompt_feedback: _Feedback | None = None
    model_version: Any = None
    usage_metadata: _GeminiUsage | None = None
    error: Any = None


class GeminiForm(Form):
    """Encodes prompts and decodes replies."""

    def __init__(self, name: str, asking: Asking) -> None:
        super().__init__(name, asking)
        own = {
            "temperature": TEMPERATURE if asking.temperature is None else asking.temperature,
            "topP": asking.top_p,
            "maxOutputTokens": asking.max_tokens,
        }
        further = dict(asking.body)
        config = {**own, **further.pop(CONFIG, {})}
        self._config = {field: value for field, value in config.items() if value is not None}
        self._further = {
            field: value for field, value in further.items() if value is not None and field != "seed"
        }

    def body(self, prompt: Prompt) -> bytes:
        """Return the request's body. The system message has its own field."""
        system = [{"text": each.content} for each in prompt.history if each.role == "system"]
        contents = [
            {"role": _ROLES[each.role], "parts": [{"text": each.content}]}
            for each in prompt.history
            if each.role != "system"
        ]
        contents.append({"role": "user", "parts": [{"text": prompt.text}]})
        seed = self.seed(prompt)
        config = {**self._config, **({} if seed is None else {"seed": seed})}
        instruction = {"systemInstruction": {"parts": system}} if system else {}
        return encoded({**self._further, **instruction, "contents": contents, CONFIG: config})

    def read(self, data: bytes, *, model: str) -> ReplyContent:
        """Return the answer in a reply with status 200. Raises Failed for an unusable one.

        A refused prompt has an empty answer, which counts as the model's; the reason is stored.
        """
        reply = parsed(data, _GeminiReply)
        if reply.error:
            raise malformed("error-in-reply", said_in(reply.error))
        usage = reply.usage_metadata or _GeminiUsage()
        tokens = (count(usage.prompt_token_count), _tokens_out(usage))
        blocked = reply.prompt_feedback.block_reason if reply.prompt_feedback else None
        if not reply.candidates and not blocked:
            raise malformed("wrong-shape", "it has no candidates")
        first = reply.candidates[0] if reply.candidates else _Candidate(finish_reason=blocked)
        parts = first.content.parts if first.content else []
        return self.content(
            _join_parts(parts, thought=False),
            reasoning=_join_parts(parts, thought=True),
            reason=_GEMINI_REASONS.get(str(first.finish_reason), first.finish_reason),
            tokens=tokens,
            named=(model, reply.model_version),
        )


def _join_parts(parts: list[_Part], *, thought: bool) -> str:
    texts = [part.text for part in parts if bool(part.thought) is thought and part.text is not None]
    if not all(isinstance(text, str) for text in texts):
        raise malformed("wrong-shape", "a part of its content has a text that is no string")
    return "".join(texts)


def _tokens_out(usage: _GeminiUsage) -> int | None:
    """Return the tokens of answer and reasoning: both are billed. None where they are not counted."""
    said, thought = count(usage.candidates_token_count), count(usage.thoughts_token_count)
    return None if said is None and thought is None else (said or 0) + (thought or 0)
