"""The errors that end a run of asking, each with what to do. What was answered until then is kept."""

from __future__ import annotations

from benchwright.contracts import Prompt
from benchwright.errors import RunError
from benchwright.models.openai.endpoint import Endpoint
from benchwright.models.openai.retry import Failed
from benchwright.records import TaskId

GONE_PROMPTS, GONE_TASKS = 20, 3
_KEPT = "what was answered is kept, and the same command goes on from there"


def ending(failed: Failed, endpoint: Endpoint) -> RunError:
    """The server refuses these requests whatever they ask."""
    said = endpoint.quoted(failed.text)
    return RunError(f"{endpoint.base_url} refuses to answer: {said}", hint=_hint(failed.reason))


def _hint(status: str | int) -> str:
    hints: dict[str | int, str] = {
        401: "set OPENAI_API_KEY to a key of this server",
        402: f"pay the server's bill; {_KEPT}",
        403: "check that the key in OPENAI_API_KEY may use this model",
        404: "check the model's name, and that the base URL ends where the interface begins, often in `/v1`",
        405: "check that the base URL ends where the interface begins, often in `/v1`",
        407: "check the proxy in HTTPS_PROXY or HTTP_PROXY",
        429: f"the account has no credit left; {_KEPT}",
    }
    return hints.get(status, "check `--base-url`")


def nobody(failed: Failed, endpoint: Endpoint, *, heard: bool) -> RunError:
    """Nobody is at the address, or no longer."""
    said = endpoint.quoted(failed.text)
    if heard:
        return RunError(f"{endpoint.base_url} no longer answers: {said}", hint=f"start it again; {_KEPT}")
    hint = "start the server, or name another with `--base-url URL` or OPENAI_BASE_URL"
    return RunError(f"nothing answers at {endpoint.base_url}: {said}", hint=hint)


class Silence:
    """Prompts in a row that got no answer after all their tries.

    A server that has died behind its gateway would otherwise cost minutes of waiting for each prompt that
    is left. Refusals of single prompts do not count, and one task alone ends nothing: its prompt may be
    what the server stumbles over.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._prompts, self._tasks = 0, set[TaskId]()
        self._last = ""

    def add(self, prompt: Prompt, failed: Failed) -> None:
        """One more prompt was given up."""
        self._prompts += 1
        self._tasks.add(prompt.task_id)
        self._last = self._endpoint.quoted(failed.text)

    def broken(self) -> None:
        """There was an answer."""
        if self._prompts:
            self._prompts = 0
            self._tasks.clear()

    def check(self) -> None:
        """Raise RunError when it has lasted too long."""
        if self._prompts >= GONE_PROMPTS and len(self._tasks) >= GONE_TASKS:
            message = (
                f"{self._endpoint.base_url}: the last {self._prompts} prompts got no answer: {self._last}"
            )
            raise RunError(message, hint=f"look at the server; {_KEPT}")
