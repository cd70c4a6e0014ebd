"""An OpenID provider on loopback with one person: real keys, and a real token endpoint."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode

from kit.web_client import START_MS

CLIENT, SECRET = "bench", "a client secret"


class OpenIdProvider:
    """A provider with one person, `claims`. `changes` are made to the next ID tokens, which `sign` signs."""

    def __init__(self) -> None:
        from joserfc.jwk import RSAKey

        self.key = RSAKey.generate_key(2048, {"kid": "1"}, private=True)
        self.claims: dict[str, Any] = {"sub": "s-1", "email": "Anna@Example.org", "email_verified": True}
        self.changes: dict[str, Any] = {}
        self.sign: Callable[[dict[str, Any]], str] = self.signed
        self._codes: dict[str, dict[str, str]] = {}
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path, _, query = self.path.partition("?")
                if path == "/authorize":
                    self.send_response(302)
                    self.send_header("location", provider.authorize(dict(parse_qsl(query))))
                    self.end_headers()
                    return
                self._reply(200, provider.document(path))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                self._reply(*provider.token(dict(parse_qsl(body)), self.headers.get("authorization", "")))

            def _reply(self, status: int, document: Any) -> None:
                content = json.dumps(document).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                """Write no log."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def document(self, path: str) -> Any:
        """Return the configuration, or the public key."""
        if path == "/keys":
            return {"keys": [self.key.as_dict(private=False)]}
        places = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
        return {"issuer": self.issuer, **{name: f"{self.issuer}/{place}" for name, place in places.items()}}

    def authorize(self, query: dict[str, str]) -> str:
        """Log the person in; return the redirect address with a code."""
        assert (query["response_type"], query["code_challenge_method"]) == ("code", "S256")
        code = f"code-{len(self._codes)}"
        self._codes[code] = query
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state'], 'iss': self.issuer})}"

    def token(self, form: dict[str, str], authorization: str) -> tuple[int, Any]:
        """Exchange a code, once, for the client that requested it and knows the verifier."""
        asked = self._codes.pop(form["code"], None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest())
        basic = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if (
            asked is None
            or asked["code_challenge"] != challenge.decode().rstrip("=")
            or asked["redirect_uri"] != form["redirect_uri"]
            or authorization != f"Basic {basic}"
        ):
            return 400, {"error": "invalid_grant"}
        now = START_MS // 1000
        claims = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": asked["nonce"]}
        id_token = self.sign({**claims, **self.claims, **self.changes})
        return 200, {"access_token": "a", "token_type": "Bearer", "id_token": id_token}

    def signed(self, claims: dict[str, Any], **header: str) -> str:
        """Return a token signed with the provider's key."""
        from joserfc import jwt

        return jwt.encode({"alg": "RS256", "kid": "1", **header}, claims, self.key)

    def close(self) -> None:
        """Stop the server."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
