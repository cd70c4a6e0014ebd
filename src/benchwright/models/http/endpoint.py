"""The address of a model server, its key, and the providers that have names."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Literal, NamedTuple
from urllib.parse import quote, urlsplit

from benchwright.display.escape import escaped_name
from benchwright.errors import PrerequisiteError, UsageError

Interface = Literal["openai", "anthropic", "gemini", "bedrock"]
BatchKind = Literal["", "openai", "anthropic"]  # the batch interface of a provider, if it has one
_OPENAI_PATHS = {"chat": "/chat/completions", "completions": "/completions"}
# Of each interface what people paste behind the base, longest first.
_TAILS: Mapping[Interface, tuple[str, ...]] = {
    "openai": tuple(_OPENAI_PATHS.values()),
    "anthropic": ("/v1/messages", "/v1"),
    "gemini": ("/v1beta/models", "/v1beta"),
    "bedrock": (),
}
_AZURE_TAIL = re.compile(r"/openai(/.*)?$")
_VARIABLE = re.compile(r"\{(\w+)\}")
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,99}")  # a region, a project: a part of an address


class Provider(NamedTuple):
    """A scheme of models behind HTTP."""

    scheme: str
    base_url: str  # the default address; {NAME} is the value of an environment variable
    key: str  # environment variable
    place: str = ""  # environment variable that names another server
    interface: Interface = "openai"
    needs_key: bool = True  # at its own address
    batches: BatchKind = ""
    domain: str = ""  # of the provider's own servers, where the address differs for each user
    has_aliases: bool = False  # the name that is asked is the user's, so another model may answer
    version: str = ""  # environment variable with the version of the interface

    def path(self, model: str, api: str, version: str = "") -> str:
        """Return the path after the base URL."""
        if self.scheme == "azure":
            path = f"/openai/v1{_OPENAI_PATHS[api]}"
            if version:
                place = f"/openai/deployments/{quote(model, safe='')}"
                path = f"{place}{_OPENAI_PATHS[api]}?api-version={quote(version, safe='')}"
            return path
        if self.interface == "bedrock":
            return f"/model/{quote(model, safe='')}/converse"
        if self.interface == "anthropic":
            return "/v1/messages"
        if self.interface == "gemini":
            return f"/v1beta/models/{quote(model.removeprefix('models/'), safe='')}:generateContent"
        return _OPENAI_PATHS[api]

    def base(self, url: str) -> str:
        """Return the URL without a trailing slash and without a pasted path of the interface."""
        url = url.rstrip("/")
        if self.scheme == "azure":
            url = _AZURE_TAIL.sub("", url)
        for tail in _TAILS[self.interface]:
            url = url.removesuffix(tail)
        return url.rstrip("/")

    def headers(self, key: str) -> dict[str, str]:
        """Return the headers with the key, and other headers of the interface."""
        if self.interface == "anthropic":
            return {"anthropic-version": "2023-06-01", **({"x-api-key": key} if key else {})}
        if not key:
            return {}
        if self.scheme == "azure":
            return {"api-key": key}
        return {"x-goog-api-key": key} if self.interface == "gemini" else {"authorization": f"Bearer {key}"}

    def is_at_home(self, url: str) -> bool:
        """Whether a URL belongs to the provider's own server."""
        host = urlsplit(url).hostname or ""
        if self.domain:
            return host.endswith(f".{self.domain}")
        return host == urlsplit(self.base_url).hostname

    def home(self, environment: Mapping[str, str]) -> str:
        """Return the provider's address. Raises PrerequisiteError if it needs a variable that is not set."""
        if not self.base_url:
            raise self._lacking(self.place)

        def value(found: re.Match[str]) -> str:
            name = found[1]
            setting = environment.get(name, environment.get(_FALLBACKS.get(name, ""), "")).strip()
            if not setting:
                raise self._lacking(name)
            if not _PLAIN.fullmatch(setting):
                message = f"{name} {escaped_name(setting)!r}: not a part of an address"
                raise UsageError(message, hint=f"export {name}={_EXAMPLES[name]}")
            return setting

        return _VARIABLE.sub(value, self.base_url).replace("://global-", "://")

    def _lacking(self, name: str) -> PrerequisiteError:
        hint = f"export {name}={_EXAMPLES[name]}, or name the server with `--base-url URL`"
        return PrerequisiteError(f"{self.scheme}: needs an address, and {name} is not set", hint=hint)


_FALLBACKS = {"AWS_REGION": "AWS_DEFAULT_REGION"}
_EXAMPLES = {
    "AWS_REGION": "us-east-1",
    "AZURE_OPENAI_ENDPOINT": "https://NAME.openai.azure.com",
    "GOOGLE_CLOUD_LOCATION": "global",
    "GOOGLE_CLOUD_PROJECT": "my-project",
}


OPENAI = Provider(
    "openai", "https://api.openai.com/v1", "OPENAI_API_KEY", "OPENAI_BASE_URL", batches="openai"
)
OLLAMA = Provider("ollama", "http://127.0.0.1:11434/v1", "OLLAMA_API_KEY", needs_key=False)
VLLM = Provider("vllm", "http://127.0.0.1:8000/v1", "VLLM_API_KEY", needs_key=False)
OPENROUTER = Provider("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY")
ANTHROPIC = Provider(
    "anthropic",
    "https://api.anthropic.com",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
    "anthropic",
    batches="anthropic",
)
GEMINI = Provider("gemini", "https://generativelanguage.googleapis.com", "GEMINI_API_KEY", interface="gemini")
# https://learn.microsoft.com/azure/ai-foundry/openai/reference: the path of the first version names the
# deployment and needs `api-version`; that of v1 has the deployment in the body.
AZURE = Provider(
    "azure",
    "",
    "AZURE_OPENAI_API_KEY",
    "AZURE_OPENAI_ENDPOINT",
    domain="azure.com",
    has_aliases=True,
    version="AZURE_OPENAI_API_VERSION",
)
# https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
BEDROCK = Provider(
    "bedrock",
    "https://bedrock-runtime.{AWS_REGION}.amazonaws.com",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
    "bedrock",
    domain="amazonaws.com",
)
# https://cloud.google.com/vertex-ai/generative-ai/docs/migrate/openai/overview
VERTEX = Provider(
    "vertex",
    "https://{GOOGLE_CLOUD_LOCATION}-aiplatform.googleapis.com/v1/projects/{GOOGLE_CLOUD_PROJECT}"
    "/locations/{GOOGLE_CLOUD_LOCATION}/endpoints/openapi",
    "GOOGLE_OAUTH_ACCESS_TOKEN",
    domain="googleapis.com",
)
# https://docs.litellm.ai/docs/providers/litellm_proxy
LITELLM = Provider(
    "litellm",
    "http://127.0.0.1:4000/v1",
    "LITELLM_PROXY_API_KEY",
    "LITELLM_PROXY_API_BASE",
    needs_key=False,
    has_aliases=True,
)


_KEY_EXAMPLES = {"GOOGLE_OAUTH_ACCESS_TOKEN": '"$(gcloud auth print-access-token)"'}
MAX_SAID = 300  # characters of a server's own words in a message


class Endpoint:
    """The URL and the headers of requests. Neither its text nor its URL contains the key."""

    def __init__(
        self,
        base_url: str,
        *,
        api: str,
        key: str,
        provider: Provider = OPENAI,
        model: str = "",
        version: str = "",
    ) -> None:
        self.base_url, self.provider = base_url, provider
        self.url = base_url + provider.path(model, api, version)
        self._key = key

    def headers(self) -> dict[str, str]:
        """Return the headers of every request.

        Requests ask for uncompressed replies: a few compressed bytes could grow to gigabytes.
        """
        headers = {"content-type": "application/json", "accept": "application/json"}
        headers |= {"accept-encoding": "identity", "user-agent": "benchwright"}
        return headers | self.provider.headers(self._key)

    @property
    def can_send_key(self) -> bool:
        """Whether the key has only characters that a header can carry."""
        return self._key.isascii() and self._key.isprintable()

    @property
    def lacks_key(self) -> bool:
        """Whether the key is missing that the provider's own server needs."""
        return not self._key and self.provider.needs_key and self.provider.is_at_home(self.base_url)

    def quoted(self, text: str) -> str:
        """Return a server's words for a message: one short escaped line, without the key that some repeat."""
        if self._key:
            text = text.replace(self._key, "…")
        return escaped_name(" ".join(text[: 20 * MAX_SAID].split()), MAX_SAID)


def find_endpoint(
    base_url: str | None,
    *,
    api: str,
    environment: Mapping[str, str] | None = None,
    provider: Provider = OPENAI,
    model: str = "",
) -> Endpoint:
    """Return the given endpoint, or that of the provider's variable, or the provider's own.

    Raises UsageError for an invalid base URL, and PrerequisiteError for a missing one. The key is taken from
    the environment; `require_key` checks it before anything is asked.
    """
    environment = os.environ if environment is None else environment
    source = "--base-url" if base_url is not None else provider.place
    elsewhere = environment.get(provider.place) if provider.place else None
    address = base_url if base_url is not None else elsewhere or provider.home(environment)
    url = _checked(address.strip(), source, provider)
    key = environment.get(provider.key, "").strip()
    version = environment.get(provider.version, "").strip() if provider.version else ""
    return Endpoint(url, api=api, key=key, provider=provider, model=model, version=version)


def require_key(endpoint: Endpoint) -> None:
    """Raise PrerequisiteError for an invalid key, and for a missing one at the provider's own server."""
    name = endpoint.provider.key
    if not endpoint.can_send_key:
        hint = "export it again: a key has letters, digits, `-` and `_` only"
        raise PrerequisiteError(f"{name} holds characters that no header can carry", hint=hint)
    if endpoint.lacks_key:
        whose = {"openai": "OpenAI's"}.get(endpoint.provider.scheme, f"the {endpoint.provider.scheme}")
        value = _KEY_EXAMPLES.get(name, "…")
        hint = f"export {name}={value}, or name another server with `--base-url http://localhost:8000/v1`"
        raise PrerequisiteError(f"{whose} server needs a key, and {name} is not set", hint=hint)


def _checked(url: str, source: str, provider: Provider) -> str:
    example = "such as `http://localhost:8000/v1`"
    shown = escaped_name(url, 200)
    try:
        parts = urlsplit(url)
        whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        whole = False
    if not (whole and url.isprintable() and " " not in url):
        raise UsageError(f"{source}: {shown!r} is not the URL of a server", hint=f"write it whole, {example}")
    if parts.username is not None or parts.password is not None:
        message = f"{source}: the URL holds a name or password, which the run folder would store"
        raise UsageError(message, hint=f"leave it out of the URL and set {provider.key} to it")
    if parts.query or parts.fragment or "?" in url or "#" in url:
        message = f"{source}: {shown!r} has a query or fragment after the path"
        raise UsageError(message, hint=f"end it where the interface begins, {example}")
    return provider.base(url)
