"""A model provider: `--model ollama-generate:NAME` asks an Ollama server by its own interface.

[project.entry-points."benchwright.models"]
ollama-generate = "ollama_model:open_model"
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import httpx

from benchwright.contracts import Prompt, RequestOptions
from benchwright.errors import UsageError
from benchwright.records import Answer, Task, TaskId


class OllamaModel:
    """One model of one server. What fails is a missing answer, which the next run asks for again."""

    deterministic = False

    def __init__(self, name: str, asking: RequestOptions) -> None:
        self.spec, self._name, self._asking = f"ollama-generate:{name}", name, asking
        self._options = {"temperature": asking.temperature or 0.0, "num_predict": asking.max_tokens}

    def identity(self) -> Mapping[str, Any]:
        """All that decides the answers; not the address, for a server may move."""
        return {"scheme": "ollama-generate", "model": self._name, "seed": self._asking.seed, **self._options}

    def samples(self, task: Task) -> int | None:
        """None: as many as asked."""

    def answer(self, prompts: Iterable[Prompt], tasks: Mapping[TaskId, Task]) -> Iterator[Answer]:
        """Each answer is yielded, and so stored, before the next prompt is taken."""
        url = self._asking.base_url or "http://127.0.0.1:11434"
        with httpx.Client(base_url=url, timeout=self._asking.timeout_s) as client:
            for prompt in prompts:
                seed = (self._asking.seed + int(prompt.key[:8], 16)) % 2**31  # a key a repetition
                try:
                    got = self._ask(client, prompt.text, seed)
                except (httpx.HTTPError, ValueError, KeyError) as error:
                    got = {"text": "", "error": f"{type(error).__name__}: {error}"}
                got |= {"key": prompt.key, "task_id": prompt.task_id, "sample": prompt.sample, "seed": seed}
                yield Answer(model=self.spec, prompt=prompt.variant, **got)

    def _ask(self, client: httpx.Client, text: str, seed: int) -> dict[str, Any]:
        settings = {**self._options, "seed": seed}
        body = {"model": self._name, "prompt": text, "options": settings, "stream": False}
        reply = client.post("/api/generate", json=body).raise_for_status().json()
        return {"text": str(reply["response"]), "finish_reason": reply.get("done_reason")}


def open_model(rest: str, *, asking: RequestOptions | None = None, **_: Any) -> OllamaModel:
    if asking and asking.top_p is not None:  # what would be ignored is refused
        raise UsageError("`ollama-generate:` has no top_p here", hint="leave out --top-p")
    return OllamaModel(rest, asking or RequestOptions())
