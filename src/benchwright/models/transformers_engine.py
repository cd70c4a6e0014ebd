"""The engine for local weights: the one module that imports torch and transformers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jinja2
import torch
import transformers

from benchwright.contracts import RequestOptions
from benchwright.display.escape import escaped_path
from benchwright.errors import DataError
from benchwright.models.engine import LocalCompletion


class LocalEngine:
    """A tokenizer and a causal language model on the best available device."""

    def __init__(self, folder: Path, *, asking: RequestOptions, temperature: float) -> None:
        transformers.logging.set_verbosity_error()  # its advice would tear the progress bar
        transformers.logging.disable_progress_bar()
        self._options, self._temperature = asking, temperature
        self._tokenizer, self._model = _load(folder)
        self._context: int | None = getattr(self._model.config, "max_position_embeddings", None)
        self._ends = _end_tokens(self._model, self._tokenizer)
        # The folder's own sampling defaults (top_k, penalties) would bend what the caller has asked for.
        self._model.generation_config = transformers.GenerationConfig(
            eos_token_id=self._ends or None, pad_token_id=self._ends[0] if self._ends else 0
        )

    def draw(self, text: str, *, seed: int) -> LocalCompletion:
        """Generate one text with this seed. Raises ValueError where the prompt fills the context."""
        encoded = self._encode(text)
        size = encoded["input_ids"].shape[1]
        limit = self._options.max_tokens
        if self._context is not None:
            limit = min(limit, self._context - size)
            if limit < 1:
                raise ValueError(f"the prompt has {size} tokens, and the model's context {self._context}")
        torch.manual_seed(seed)
        with torch.inference_mode():
            whole = self._model.generate(**encoded, **self._sampling(), **self._stopping(size, limit))
        token_ids = whole[0, size:].tolist()
        complete = len(token_ids) < limit or token_ids[-1] in self._ends
        return LocalCompletion(self._decode(token_ids), size, len(token_ids), complete)

    def _encode(self, text: str) -> dict[str, Any]:
        """Encode a conversation for a chat interface and a model with a template; else the plain text."""
        if self._options.api == "chat" and self._tokenizer.chat_template is not None:
            encoded = self._converse(text)
        else:
            encoded = self._tokenizer(text, return_tensors="pt")
        device = self._model.device
        return {name: encoded[name].to(device) for name in ("input_ids", "attention_mask")}

    def _converse(self, text: str) -> Any:
        try:
            return self._tokenizer.apply_chat_template(
                [{"role": "user", "content": text}],
                add_generation_prompt=True,
                return_tensors="pt",
                return_dict=True,
            )
        except jinja2.TemplateError as error:  # a template may refuse a conversation
            raise ValueError(f"the model's chat template: {error}") from None

    def _sampling(self) -> dict[str, Any]:
        if self._temperature == 0:
            return {"do_sample": False}
        top_p = 1.0 if self._options.top_p is None else self._options.top_p
        return {"do_sample": True, "temperature": self._temperature, "top_p": top_p, "top_k": 0}

    def _stopping(self, size: int, limit: int) -> dict[str, Any]:
        """Return the token limit, and for base models stop strings, where the text is cut later.

        Not for chat: a stop string in a model's reasoning would leave no answer.
        """
        stops = [stop for stop in self._options.stop if stop and self._options.api == "completions"]
        if not stops:
            return {"max_new_tokens": limit}
        # A token covers at least one byte, so the last tokens of this number cover the longest stop.
        window = max(len(stop.encode()) for stop in stops) + 4

        def stopped(ids: Any, scores: Any, **_: Any) -> Any:
            recent = self._decode(ids[0, max(size, ids.shape[1] - window) :].tolist())
            return torch.tensor([any(stop in recent for stop in stops)], device=ids.device)

        return {"max_new_tokens": limit, "stopping_criteria": [stopped]}

    def _decode(self, ids: list[int]) -> str:
        """Decode without clean-up of spaces: that of some tokenizers changes programs."""
        text: str = self._tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return text


def _load(folder: Path) -> tuple[Any, Any]:
    options = {"local_files_only": True, "trust_remote_code": False}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **options)
        # Only safetensors: the older format is a pickle, and reading one can run what is in it.
        model = transformers.AutoModelForCausalLM.from_pretrained(
            folder, use_safetensors=True, dtype="auto", **options
        )
    except (OSError, ValueError, KeyError, ImportError, RuntimeError) as error:
        reason = str(error).strip().partition("\n")[0][:300]
        message = f"transformers cannot load it: {reason}"
        hint = "the folder needs config.json, a tokenizer and *.safetensors; code of its own is not run"
        raise DataError(message, path=escaped_path(folder), hint=hint) from None
    return tokenizer, model.to("cuda" if torch.cuda.is_available() else "cpu").eval()


def _end_tokens(model: Any, tokenizer: Any) -> list[int]:
    """Return all tokens that end a text, by the model's generation settings and the tokenizer."""
    found = model.generation_config.eos_token_id
    ends = [] if found is None else [found] if isinstance(found, int) else list(found)
    if tokenizer.eos_token_id is not None and tokenizer.eos_token_id not in ends:
        ends.append(tokenizer.eos_token_id)
    return ends
