"""OpenID Connect: the code flow with PKCE at one provider, by Authlib.

Sources: OpenID Connect Core 1.0 and Discovery 1.0, RFC 7636 (PKCE), RFC 9207 (`iss` of a reply). Nothing of
a login in progress is stored: state, nonce and verifier are keyed digests of a cookie's secret, so they also
work after a restart and with several server processes.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

from benchwright.display.escape import escaped_name
from benchwright.errors import BenchwrightError, PrerequisiteError, UsageError, install_command
from benchwright.web.core.clock import SECOND_MS, Clock
from benchwright.web.core.secrets import equal_in_constant_time, keyed_digest, new_id

ALGORITHMS = ("RS256", "PS256", "ES256", "EdDSA")  # of signatures; never `none` or a shared secret
LOGIN_MS = 600 * SECOND_MS  # for the whole visit at the provider
LEEWAY_S = 60  # between the clocks of two machines
TIMEOUT_S = 10.0
MAX_DOCUMENT = 1 << 20  # bytes
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class OidcSettings(NamedTuple):
    """The only accepted provider, this site's registration at it, and whose people need no invitation."""

    issuer: str
    client_id: str
    client_secret: str = ""  # empty for a public client
    domains: Sequence[str] = ()  # of verified addresses


class OidcFailure(BenchwrightError):
    """The provider cannot be reached, or its reply is invalid."""


class OidcIdentity(NamedTuple):
    """A person as a valid ID token names them. `email` is empty unless the provider has verified it."""

    issuer: str
    subject: str
    email: str


class LoginAttempt(NamedTuple):
    """A login in progress: the values that the provider gets, and where to go afterwards."""

    state: str
    nonce: str
    verifier: str
    back: str


class _Metadata(msgspec.Struct, frozen=True):
    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str


class _State(msgspec.Struct, frozen=True):
    id: str
    at: int
    back: str


def check_oidc(settings: OidcSettings) -> None:
    """Raise UsageError for an invalid issuer or client, and PrerequisiteError without Authlib."""
    if not _is_safe(settings.issuer) or urlsplit(settings.issuer).query:
        raise UsageError(
            f"{escaped_name(settings.issuer)} is not the https address of an OpenID provider",
            hint="--oidc-issuer https://login.example.org",
        )
    if not settings.client_id:
        raise UsageError("the provider's client is not named", hint="--oidc-client ID")
    try:
        import authlib.integrations.httpx_client  # noqa: F401, PLC0415 (an extra)
        import joserfc  # noqa: F401, PLC0415
    except ImportError as error:
        message = f"OpenID Connect needs Authlib: {error}"
        raise PrerequisiteError(message, hint=install_command("oidc")) from None


def _is_safe(address: str) -> bool:
    """Whether an address uses TLS, or is on this machine."""
    parts = urlsplit(address)
    return bool(parts.hostname) and (
        parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
    )


def new_attempt(secret: str, visit: str, now: int, back: str) -> LoginAttempt:
    """Begin a login of the browser with this cookie."""
    content = msgspec.json.encode(_State(new_id(), now, back))
    payload = base64.urlsafe_b64encode(content).decode().rstrip("=")
    return _attempt(secret, visit, payload, back)


def _attempt(secret: str, visit: str, payload: str, back: str) -> LoginAttempt:
    state, nonce, verifier = (
        keyed_digest(secret, f"oidc-{kind}", visit, payload) for kind in ("state", "nonce", "verifier")
    )
    return LoginAttempt(f"{payload}.{state}", nonce, verifier, back)


def find_attempt(secret: str, visit: str, now: int, state: str) -> LoginAttempt | None:
    """The login that this browser began with this state; None if there is none or it began too long ago."""
    if not visit or not state.isascii():
        return None
    payload, _, _ = state.partition(".")
    expected = _attempt(secret, visit, payload, "")
    if not equal_in_constant_time(expected.state, state):
        return None
    try:
        content = base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))
        found = msgspec.json.decode(content, type=_State)
    except (binascii.Error, msgspec.MsgspecError):
        return None
    return expected._replace(back=found.back) if now - found.at < LOGIN_MS else None


class OidcClient:
    """A client of one provider. Its addresses are read at the first login; its keys at each."""

    def __init__(self, settings: OidcSettings, *, clock: Clock) -> None:
        self.settings, self._clock = settings, clock
        self._metadata: _Metadata | None = None

    @property
    def host(self) -> str:
        """The provider's host, for links to it."""
        return urlsplit(self.settings.issuer).hostname or ""

    async def address(self, attempt: LoginAttempt, redirect: str) -> str:
        """The provider's page for a login. Raises OidcFailure."""
        metadata = await self._discover()
        address, _ = self._client(redirect).create_authorization_url(
            metadata.authorization_endpoint,
            state=attempt.state,
            nonce=attempt.nonce,
            code_verifier=attempt.verifier,
        )
        return str(address)

    async def identity(self, attempt: LoginAttempt, redirect: str, code: str) -> OidcIdentity:
        """Exchange a code for the identity of a person. Raises OidcFailure."""
        import httpx  # noqa: PLC0415 (a third of a second)
        from authlib.common.errors import AuthlibBaseError  # noqa: PLC0415 (an extra)

        metadata = await self._discover()
        try:
            async with self._client(redirect) as client:
                token = await client.fetch_token(
                    metadata.token_endpoint,
                    grant_type="authorization_code",
                    code=code,
                    code_verifier=attempt.verifier,
                )
        except (AuthlibBaseError, httpx.HTTPError, ValueError) as error:
            raise OidcFailure(f"the provider refused the code: {type(error).__name__}") from None
        claims = self._verified(token, await self._fetch(metadata.jwks_uri), attempt.nonce)
        email = claims.get("email") if claims.get("email_verified") is True else ""
        return OidcIdentity(self.settings.issuer, str(claims["sub"]), str(email or ""))

    def _verified(self, token: Any, keys: bytes, nonce: str) -> Any:
        """The claims of an ID token: signature, issuer, audience, times, nonce and access token match."""
        from authlib.oidc.core import CodeIDToken  # noqa: PLC0415 (an extra)
        from joserfc import jwt  # noqa: PLC0415
        from joserfc.errors import JoseError  # noqa: PLC0415
        from joserfc.jwk import KeySet  # noqa: PLC0415

        ours = self.settings
        try:
            found = jwt.decode(
                token["id_token"], KeySet.import_key_set(json.loads(keys)), algorithms=[*ALGORITHMS]
            )
            claims = CodeIDToken(
                found.claims,
                found.header,
                {
                    "iss": {"essential": True, "value": ours.issuer},
                    "aud": {"essential": True, "value": ours.client_id},
                },
                {"nonce": nonce, "client_id": ours.client_id, "access_token": token.get("access_token")},
            )
            claims.validate(now=self._clock() // SECOND_MS, leeway=LEEWAY_S)
        except (JoseError, KeyError, TypeError, ValueError) as error:
            raise OidcFailure(f"the provider's ID token is invalid: {type(error).__name__}") from None
        return claims

    def _client(self, redirect: str) -> Any:
        from authlib.integrations.httpx_client import AsyncOAuth2Client  # noqa: PLC0415 (an extra)

        return AsyncOAuth2Client(
            self.settings.client_id,
            self.settings.client_secret or None,
            token_endpoint_auth_method="client_secret_basic" if self.settings.client_secret else "none",
            redirect_uri=redirect,
            scope="openid email",
            code_challenge_method="S256",
            timeout=TIMEOUT_S,
            follow_redirects=False,
        )

    async def _discover(self) -> _Metadata:
        if self._metadata is None:
            place = f"{self.settings.issuer.rstrip('/')}/.well-known/openid-configuration"
            try:
                found = msgspec.json.decode(await self._fetch(place), type=_Metadata)
            except msgspec.MsgspecError:
                raise OidcFailure("the provider's configuration is invalid") from None
            if found.issuer != self.settings.issuer:
                raise OidcFailure("the provider's configuration names another issuer")
            if not all(map(_is_safe, (found.authorization_endpoint, found.token_endpoint, found.jwks_uri))):
                raise OidcFailure("the provider's configuration names an address without TLS")
            self._metadata = found
        return self._metadata

    async def _fetch(self, address: str) -> bytes:
        import httpx  # noqa: PLC0415 (a third of a second)

        content = b""
        try:
            async with (
                httpx.AsyncClient(timeout=TIMEOUT_S) as client,
                client.stream("GET", address) as reply,
            ):
                reply.raise_for_status()
                async for chunk in reply.aiter_bytes():
                    content += chunk
                    if len(content) > MAX_DOCUMENT:
                        raise OidcFailure("the provider's document is too large")
        except httpx.HTTPError as error:
            raise OidcFailure(f"the provider cannot be reached: {type(error).__name__}") from None
        return content
