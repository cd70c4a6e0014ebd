"""The formats of Anthropic's, Gemini's and Bedrock's interfaces, and the choice of a format."""

from __future__ import annotations

from typing import Any

import msgspec

from benchwright.asking.parameters import TEMPERATURE
from benchwright.contracts import Prompt, RequestOptions
from benchwright.errors import UsageError
from benchwright.models.http.endpoint import Interface
from benchwright.models.http.messages import (
    Form,
    ReplyContent,
    encode_body,
    error_text,
    malformed_reply,
    parse_reply,
)
from benchwright.models.http.messages import token_count as count

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

    def __init__(self, name: str, asking: RequestOptions) -> None:
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
        history = [{"role": each.role, "content": each.content} for each in prompt.history]
        system = "\n\n".join(each["content"] for each in history if each["role"] == "system")
        messages = [each for each in history if each["role"] != "system"]
        messages.append({"role": "user", "content": prompt.text})
        return encode_body({**self._own, **({"system": system} if system else {}), "messages": messages})

    def read(self, data: bytes, *, model: str) -> ReplyContent:
        """Return the answer in a reply with status 200. Raises RequestFailure for an unusable one."""
        reply = parse_reply(data, _AnthropicReply)
        if reply.error:
            raise malformed_reply("error-in-reply", error_text(reply.error))
        if reply.content is None:
            raise malformed_reply("wrong-shape", "it has no content")
        usage = reply.usage or _AnthropicUsage()
        return self.content(
            _join_blocks(reply.content, "text"),
            reasoning=_join_blocks(reply.content, "thinking"),
            reason=_ANTHROPIC_REASONS.get(str(reply.stop_reason), reply.stop_reason),
            tokens=(_tokens_in(usage), count(usage.output_tokens)),
            model_names=(model, reply.model),
        )


def _join_blocks(blocks: list[_Block], kind: str) -> str:
    texts = [getattr(block, kind) for block in blocks if block.type == kind]
    if not all(isinstance(text, str) for text in texts):
        raise malformed_reply("wrong-shape", "a block of its content has no text")
    return "".join(texts)


def _tokens_in(usage: _AnthropicUsage) -> int | None:
    """Return all tokens of the prompt; the interface counts cached ones separately."""
    first = count(usage.input_tokens)
    cached = [count(usage.cache_creation_input_tokens), count(usage.cache_read_input_tokens)]
    return None if first is None else first + sum(filter(None, cached))


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

    def __init__(self, name: str, asking: RequestOptions) -> None:
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
        return encode_body({**self._further, **instruction, "contents": contents, CONFIG: config})

    def read(self, data: bytes, *, model: str) -> ReplyContent:
        """Return the answer in a reply with status 200. Raises RequestFailure for an unusable one.

        A refused prompt has an empty answer, which counts as the model's; the reason is stored.
        """
        reply = parse_reply(data, _GeminiReply)
        if reply.error:
            raise malformed_reply("error-in-reply", error_text(reply.error))
        usage = reply.usage_metadata or _GeminiUsage()
        tokens = (count(usage.prompt_token_count), _tokens_out(usage))
        blocked = reply.prompt_feedback.block_reason if reply.prompt_feedback else None
        if not reply.candidates and not blocked:
            raise malformed_reply("wrong-shape", "it has no candidates")
        first = reply.candidates[0] if reply.candidates else _Candidate(finish_reason=blocked)
        parts = first.content.parts if first.content else []
        return self.content(
            _join_parts(parts, thought=False),
            reasoning=_join_parts(parts, thought=True),
            reason=_GEMINI_REASONS.get(str(first.finish_reason), first.finish_reason),
            tokens=tokens,
            model_names=(model, reply.model_version),
        )


def _join_parts(parts: list[_Part], *, thought: bool) -> str:
    texts = [part.text for part in parts if bool(part.thought) is thought and part.text is not None]
    if not all(isinstance(text, str) for text in texts):
        raise malformed_reply("wrong-shape", "a part of its content has a text that is not a string")
    return "".join(texts)


def _tokens_out(usage: _GeminiUsage) -> int | None:
    """Return the tokens of answer and reasoning: both are billed. None where they are not counted."""
    answer_tokens, reasoning_tokens = count(usage.candidates_token_count), count(usage.thoughts_token_count)
    return (
        None
        if answer_tokens is None and reasoning_tokens is None
        else (answer_tokens or 0) + (reasoning_tokens or 0)
    )


_BEDROCK_REASONS = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length"}
INFERENCE = "inferenceConfig"


class _ReasoningText(msgspec.Struct):
    text: Any = None


class _Reasoning(msgspec.Struct, rename="camel"):
    reasoning_text: _ReasoningText | None = None


class _ConverseBlock(msgspec.Struct, rename="camel"):
    text: Any = None
    reasoning_content: _Reasoning | None = None


class _ConverseMessage(msgspec.Struct):
    content: list[_ConverseBlock] = []


class _ConverseOutput(msgspec.Struct):
    message: _ConverseMessage | None = None


class _ConverseUsage(msgspec.Struct, rename="camel"):
    input_tokens: Any = None
    output_tokens: Any = None
    cache_read_input_tokens: Any = None
    cache_write_input_tokens: Any = None


class _ConverseReply(msgspec.Struct, rename="camel"):
    output: _ConverseOutput | None = None
    stop_reason: Any = None
    usage: _ConverseUsage | None = None


class ConverseForm(Form):
    """Encodes prompts and decodes replies of Bedrock's Converse. The path names the model, not the body."""

    def __init__(self, name: str, asking: RequestOptions) -> None:
        super().__init__(name, asking)
        own = {
            "temperature": TEMPERATURE if asking.temperature is None else asking.temperature,
            "topP": asking.top_p,
            "maxTokens": asking.max_tokens,
        }
        config = {**own, **asking.body.get(INFERENCE, {})}
        self._further = {
            field: value
            for field, value in asking.body.items()
            if value is not None and field not in (INFERENCE, "seed")
        }
        self._config = {field: value for field, value in config.items() if value is not None}

    def seed(self, prompt: Prompt) -> int | None:
        """Return None: the interface has no seed."""
        return None

    def body(self, prompt: Prompt) -> bytes:
        """Return the request's body. The system message has its own field."""
        history = [(each.role, [{"text": each.content}]) for each in prompt.history]
        system = [part for role, parts in history if role == "system" for part in parts]
        messages = [{"role": role, "content": parts} for role, parts in history if role != "system"]
        messages.append({"role": "user", "content": [{"text": prompt.text}]})
        first = {"system": system} if system else {}
        return encode_body({**self._further, **first, "messages": messages, INFERENCE: self._config})

    def read(self, data: bytes, *, model: str) -> ReplyContent:
        """Return the answer in a reply with status 200. Raises RequestFailure for an unusable one."""
        reply = parse_reply(data, _ConverseReply)
        if reply.output is None or reply.output.message is None:
            raise malformed_reply("wrong-shape", "it has no message")
        blocks, usage = reply.output.message.content, reply.usage or _ConverseUsage()
        thoughts = [each.reasoning_content.reasoning_text for each in blocks if each.reasoning_content]
        return self.content(
            _texts([each.text for each in blocks]),
            reasoning=_texts([each.text for each in thoughts if each is not None]),
            reason=_BEDROCK_REASONS.get(str(reply.stop_reason), reply.stop_reason),
            tokens=(_converse_tokens_in(usage), count(usage.output_tokens)),
            model_names=(model, None),
        )


def _texts(texts: list[Any]) -> str:
    strings = [text for text in texts if text is not None]
    if not all(isinstance(text, str) for text in strings):
        raise malformed_reply("wrong-shape", "a block of its content has a text that is not a string")
    return "".join(strings)


def _converse_tokens_in(usage: _ConverseUsage) -> int | None:
    """Return all tokens of the prompt; the interface counts cached ones separately."""
    first = count(usage.input_tokens)
    cached = [count(usage.cache_read_input_tokens), count(usage.cache_write_input_tokens)]
    return None if first is None else first + sum(filter(None, cached))


_FORMS: dict[Interface, type[Form]] = {
    "openai": Form,
    "anthropic": AnthropicForm,
    "gemini": GeminiForm,
    "bedrock": ConverseForm,
}
_OURS: dict[Interface, frozenset[str]] = {
    "openai": frozenset(),  # `messages.check_body` knows them
    "anthropic": frozenset({"system", "stop_sequences"}),
    "gemini": frozenset({"contents", "systemInstruction"}),
    "bedrock": frozenset({"system"}),
}


def check_fields(interface: Interface, asking: RequestOptions) -> None:
    """Raise UsageError for a body field that this interface sets itself."""
    for name in asking.body:
        if name in _OURS[interface]:
            hint = "leave it out of --body; prompts come from the data set"
            raise UsageError(f"the request's field {name!r} is Benchwright's own", hint=hint)
    field, example = _CONFIGS.get(interface, ("", ""))
    if field and not isinstance(asking.body.get(field, {}), dict):
        hint = f"--body {field}='{example}'"
        raise UsageError(f"the request's field {field!r} must be an object", hint=hint)


_CONFIGS: dict[Interface, tuple[str, str]] = {
    "gemini": (CONFIG, '{"topK": 40}'),
    "bedrock": (INFERENCE, '{"stopSequences": ["END"]}'),
}


def form_of(interface: Interface, name: str, asking: RequestOptions) -> Form:
    """Return the encoder of prompts and decoder of replies."""
    return _FORMS[interface](name, asking)
