"""Models from local weights, by the transformers library. The engine loads only when a prompt is asked."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from benchwright.asking.parameters import TEMPERATURE, check_asking, seed_of
from benchwright.contracts import Model, Prompt, RequestOptions, Track
from benchwright.display.escape import escaped_path
from benchwright.errors import DataError, PrerequisiteError, UsageError, install_command
from benchwright.models.engine import Engine
from benchwright.records import Answer, Task, TaskId
from benchwright.store.files import BUFFER
from benchwright.text.normalisation import cut_at_stop

LIBRARIES = ("torch", "transformers")


class LocalModel:
    """A model whose weights are loaded for the first answer."""

    def __init__(
        self, folder: Path, *, asking: RequestOptions, temperature: float, load: Callable[[], Engine]
    ) -> None:
        self.spec = f"transformers:{folder}"
        self.deterministic = temperature == 0
        self._options, self._temperature, self._load = asking, temperature, load
        self._name = f"transformers:{folder.resolve().name}"
        self._hash = folder_hash(folder)

    def identity(self) -> Mapping[str, Any]:
        """Return the hash of the folder, and all parameters that decide a text."""
        asking = self._options
        return {
            "scheme": "transformers",
            "sha256": self._hash,
            "api": asking.api,
            "temperature": self._temperature,
            "top_p": asking.top_p,
            "max_tokens": asking.max_tokens,
            "stop": list(asking.stop),
            "seed": asking.seed,
        }

    def samples(self, task: Task) -> int | None:
        """Return None: as many as asked."""
        return None

    def answer(self, prompts: Iterable[Prompt], tasks: Mapping[TaskId, Task]) -> Iterator[Answer]:
        """Yield one answer for each prompt, in order; an error where the model cannot take it."""
        engine: Engine | None = None
        for prompt in prompts:
            engine = engine or self._load()  # a finished run is continued without loading anything
            yield self._answer(engine, prompt)

    def _answer(self, engine: Engine, prompt: Prompt) -> Answer:
        seed = seed_of(self._options.seed, prompt.key)
        answer = Answer(
            key=prompt.key,
            task_id=prompt.task_id,
            sample=prompt.sample,
            model=self._name,
            text="",
            prompt=prompt.variant,
            seed=seed,
        )
        try:
            completion = engine.draw(prompt.text, seed=seed)
        except FAILURES as error:
            return replace(answer, error=f"{type(error).__name__}: {error}"[:500])
        text, tail = cut_at_stop(completion.text, self._options.stop)
        return replace(
            answer,
            text=text,
            tail=tail,
            finish_reason="stop" if tail or completion.complete else "length",
            tokens_in=completion.tokens_in,
            tokens_out=completion.tokens_out,
        )


def folder_hash(folder: Path) -> str:
    """Return SHA-256 over names and contents of a model's files.

    Weights are read completely, about a second a gigabyte: a fine-tuned model has the same names, sizes and
    headers as its base model.
    """
    digest = sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if any(part.startswith(".") for part in path.relative_to(folder).parts):
            continue  # a clone's .git, a downloader's .cache
        digest.update(
            f"{path.relative_to(folder).as_posix()}\0{path.stat().st_size}\0".encode("utf-8", "replace")
        )
        with path.open("rb") as stream:
            while chunk := stream.read(BUFFER):
                digest.update(chunk)
    return digest.hexdigest()


def open_model(
    rest: str, *, asking: RequestOptions | None = None, track: Track | None = None, **_: Any
) -> Model:
    """Open a model as `save_pretrained` writes it. Raises PrerequisiteError without the extra."""
    options = asking or RequestOptions()
    folder = _folder(rest)
    _check(options)
    missing = [name for name in LIBRARIES if find_spec(name) is None]
    if missing:
        message = f"`transformers:` needs {' and '.join(missing)}"
        raise PrerequisiteError(message, hint=install_command("transformers"))
    temperature = options.temperature
    if temperature is None:
        temperature = track.temperature if track is not None else TEMPERATURE

    def load() -> Engine:
        from benchwright.models.transformers_engine import LocalEngine  # noqa: PLC0415 (torch: seconds)

        return LocalEngine(folder, asking=options, temperature=temperature)

    return LocalModel(folder, asking=options, temperature=temperature, load=load)


def _folder(rest: str) -> Path:
    if not rest:
        raise UsageError("`transformers:` needs a folder", hint="write `transformers:path/to/model`")
    folder = Path(rest)
    if not os.path.isdir(folder):
        hint = f"download it first: hf download {rest} --local-dir {folder.name or 'model'}"
        raise UsageError(f"no folder at {escaped_path(rest)}: models are not fetched", hint=hint)
    if not (folder / "config.json").is_file():
        hint = "name the folder that `save_pretrained` wrote"
        raise DataError(
            "the folder has no config.json, so it holds no model", path=escaped_path(folder), hint=hint
        )
    return folder


def _check(asking: RequestOptions) -> None:
    """Raise UsageError for options of servers: ignoring them would silently make another run."""
    check_asking(asking)
    if asking.body:
        names = ", ".join(asking.body)
        raise UsageError(f"`transformers:` sends no request, so it cannot take {names}", hint="leave it out")
    if asking.model_id is not None:
        raise UsageError(
            "`transformers:` is known by the content of its folder and has no --model-id", hint="leave it out"
        )
    if asking.base_url is not None:
        raise UsageError(
            "`transformers:` runs here and has no --base-url",
            hint=f"write `openai:NAME --base-url {asking.base_url}`",
        )


# Exceptions for one prompt of a generation: no memory, numbers no sampler takes, a template's refusal.
FAILURES = (RuntimeError, ValueError, IndexError)
