"""Anthropic's interface: requests to /v1/messages and their replies.

It has no seeds, so repetitions differ by temperature alone. Format:
https://docs.anthropic.com/en/api/messages
"""

from __future__ import annotations

from typing import Any

import msgspec

from benchwright.asking.parameters import TEMPERATURE
from benchwright.contracts import Asking, Prompt
from benchwright.models.openai.messages import Form, ReplyContent, encoded, malformed, parsed, said_in
from benchwright.models.openai.messages import token_count as count

# Why an answer ended, in the words that all other parts know; others stay as they are.
_ANTHROPIC_REASONS = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length"}


class _Block(msgspec.Struct):
    type: Any = None
    text: Any = None
    thinking: Any = None


class _AnthropicUsage(msgspec.Struct):
    input_tokens: Any = None
    output_tokens: Any = None
    cache_creation_input_tokens: Any = None
    cache_read_input_tokens: Any = None


class _AnthropicReply(msgspec.Struct):
    content: list[_Block] | None = None
    model: Any = None
    stop_reason: Any = None
    usage: _AnthropicUsage | None = None
    error: Any = None


class AnthropicForm(Form):
    """Encodes prompts and decodes replies."""

    def __init__(self, name: str, asking: Asking) -> None:
        super().__init__(name, asking)
        own = {
            "model": name,
            "max_tokens": asking.max_tokens,
            "temperature": TEMPERATURE if asking.temperature is None else asking.temperature,
            "top_p": asking.top_p,
        }
        self._own = {field: value for field, value in {**own, **asking.body}.items() if value is not None}

    def seed(self, prompt: Prompt) -> int | None:
        """Return None: the interface has no seed."""
        return None

    def body(self, prompt: Prompt) -> bytes:
        """Return the request's body. The system message has its own field."""
        said = [{"role": each.role, "content": each.content} for each in prompt.history]
        system = "\n\n".join(each["content"] for each in said if each["role"] == "system")
        messages = [each for each in said if each["role"] != "system"]
        messages.append({"role": "user", "content": prompt.text})
        return encoded({**self._own, **({"system": system} if system else {}), "messages": messages})

    def read(self, data: bytes, *, model: str) -> ReplyContent:
        """Return the answer in a reply with status 200. Raises Failed for an unusable one."""
        reply = parsed(data, _AnthropicReply)
        if reply.error:
            raise malformed("error-in-reply", said_in(reply.error))
        if reply.content is None:
            raise malformed("wrong-shape", "it has no content")
        usage = reply.usage or _AnthropicUsage()
        return self.content(
            _join_blocks(reply.content, "text"),
            reasoning=_join_blocks(reply.content, "thinking"),
            reason=_ANTHROPIC_REASONS.get(str(reply.stop_reason), reply.stop_reason),
            tokens=(_tokens_in(usage), count(usage.output_tokens)),
            named=(model, reply.model),
        )


def _join_blocks(blocks: list[_Block], kind: str) -> str:
    texts = [getattr(block, kind) for block in blocks if block.type == kind]
    if not all(isinstance(text, str) for text in texts):
        raise malformed("wrong-shape", "a block of its content has no text")
    return "".join(texts)


def _tokens_in(usage: _AnthropicUsage) -> int | None:
    """Return all tokens of the prompt; the interface counts cached ones separately."""
    first = count(usage.input_tokens)
    cached = [count(usage.cache_creation_input_tokens), count(usage.cache_read_input_tokens)]
    return None if first is None else first + sum(filter(None, cached))
