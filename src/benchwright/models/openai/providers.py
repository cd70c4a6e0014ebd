"""The providers with names: address, name of the key, and interface.

Most have OpenAI's interface, so they are presets: an address and the name of a key. Anthropic and Gemini are
asked by their own interfaces, since their OpenAI-compatible ones omit how answers ended and the reasoning.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple
from urllib.parse import quote, urlsplit

Interface = Literal["openai", "anthropic", "gemini"]
_OPENAI_PATHS = {"chat": "/chat/completions", "completions": "/completions"}
# Of each interface what people paste behind the base, longest first.
_TAILS: Mapping[Interface, tuple[str, ...]] = {
    "openai": tuple(_OPENAI_PATHS.values()),
    "anthropic": ("/v1/messages", "/v1"),
    "gemini": ("/v1beta/models", "/v1beta"),
}


class Provider(NamedTuple):
    """A scheme of models behind HTTP."""

    scheme: str
    base_url: str  # where nobody names another
    key: str  # environment variable
    place: str = ""  # environment variable that names another server
    interface: Interface = "openai"
    needs_key: bool = True  # at its own address

    def path(self, model: str, api: str) -> str:
        """Return the path after the base URL."""
        if self.interface == "anthropic":
            return "/v1/messages"
        if self.interface == "gemini":
            return f"/v1beta/models/{quote(model.removeprefix('models/'), safe='')}:generateContent"
        return _OPENAI_PATHS[api]

    def base(self, url: str) -> str:
        """Return the URL without a trailing slash and without a pasted path of the interface."""
        url = url.rstrip("/")
        for tail in _TAILS[self.interface]:
            url = url.removesuffix(tail)
        return url.rstrip("/")

    def headers(self, key: str) -> dict[str, str]:
        """Return the headers with the key, and other headers of the interface."""
        if self.interface == "anthropic":
            return {"anthropic-version": "2023-06-01", **({"x-api-key": key} if key else {})}
        if not key:
            return {}
        return {"x-goog-api-key": key} if self.interface == "gemini" else {"authorization": f"Bearer {key}"}

    def is_at_home(self, url: str) -> bool:
        """Whether a URL belongs to the provider's own server."""
        return urlsplit(url).hostname == urlsplit(self.base_url).hostname


OPENAI = Provider("openai", "https://api.openai.com/v1", "OPENAI_API_KEY", "OPENAI_BASE_URL")
OLLAMA = Provider("ollama", "http://127.0.0.1:11434/v1", "OLLAMA_API_KEY", needs_key=False)
VLLM = Provider("vllm", "http://127.0.0.1:8000/v1", "VLLM_API_KEY", needs_key=False)
OPENROUTER = Provider("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY")
ANTHROPIC = Provider(
    "anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "anthropic"
)
GEMINI = Provider("gemini", "https://generativelanguage.googleapis.com", "GEMINI_API_KEY", interface="gemini")
