"""Options of the servers that other machines may reach: TLS, host names, and login at an OpenID provider."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from benchwright.cli.arguments import Option, as_path, not_empty, not_empty_each
from benchwright.cli.shell_completion import files
from benchwright.errors import UsageError
from benchwright.store.secret_files import read_secret

if TYPE_CHECKING:
    from benchwright.web.core.oidc import OidcSettings
    from benchwright.web.core.serving import ListenOptions

F = TypeVar("F", bound=Callable[..., Any])
SERVING, LOGIN = "Serving", "Login at an OpenID provider"
SECRET_VARIABLE = "BENCHWRIGHT_OIDC_SECRET"

_serving = partial(click.option, cls=Option, section=SERVING)
_login = partial(click.option, cls=Option, section=LOGIN)
_TLS = (
    _serving("--public", is_flag=True, help="Accept connections from other machines; requires TLS."),
    _serving(
        "--tls-certificate",
        "certificate",
        callback=as_path,
        shell_complete=files,
        metavar="FILE",
        help="PEM file with the server's certificate and those that signed it.",
    ),
    _serving(
        "--tls-key",
        "key",
        callback=as_path,
        shell_complete=files,
        metavar="FILE",
        help="PEM file with the private key of the certificate.",
    ),
    _serving(
        "--behind-proxy",
        "proxy",
        callback=not_empty,
        metavar="ADDRESS",
        help="Address of a TLS proxy whose X-Forwarded headers are trusted.",
    ),
    _serving(
        "--allowed-host",
        "hosts",
        multiple=True,
        callback=not_empty_each,
        metavar="NAME",
        help="A name by which browsers reach the server, such as judging.example.org. Requests for other "
        "hosts are refused. Needed with --behind-proxy and --host 0.0.0.0. Repeatable.",
    ),
)
_OIDC = (
    _login(
        "--oidc-issuer",
        callback=not_empty,
        metavar="URL",
        help="OpenID Connect provider for logins, in addition to passwords.",
    ),
    _login(
        "--oidc-client", callback=not_empty, metavar="ID", help="Client id of this server at the provider."
    ),
    _login(
        "--oidc-secret-file",
        "oidc_secret",
        callback=as_path,
        shell_complete=files,
        metavar="FILE",
        help=f"File with the client secret.  [default: {SECRET_VARIABLE}]",
        show_default=False,
    ),
    _login(
        "--oidc-domain",
        "oidc_domains",
        multiple=True,
        callback=not_empty_each,
        metavar="DOMAIN",
        help="People with a verified address of this domain need no invitation. Repeatable.",
    ),
)


def tls_options(command: F) -> F:
    """Add the options of TLS and host names."""
    for option in reversed(_TLS):
        command = option(command)
    return command


def oidc_options(command: F) -> F:
    """Add the options of login at an OpenID provider."""
    for option in reversed(_OIDC):
        command = option(command)
    return command


def listening_of(given: Mapping[str, Any]) -> ListenOptions:
    """Where to listen, from the values of the options."""
    from benchwright.web.core.serving import ListenOptions  # noqa: PLC0415 (the extra `web`)

    return ListenOptions(
        host=given["host"],
        port=given["port"],
        certificate=given["certificate"],
        key=given["key"],
        proxy=given["proxy"],
        hosts=tuple(name.lower() for name in given["hosts"]),
    )


def oidc_of(given: Mapping[str, Any]) -> OidcSettings | None:
    """The provider, from the values of the options. Raises UsageError for a secret that cannot be read."""
    from benchwright.web.core.oidc import OidcSettings  # noqa: PLC0415 (the extra `web`)

    if given["oidc_issuer"] is None:
        if given["oidc_client"] or given["oidc_secret"] or given["oidc_domains"]:
            raise UsageError(
                "the OpenID provider is not named", hint="--oidc-issuer https://login.example.org"
            )
        return None
    path: Path | None = given["oidc_secret"]
    secret = os.environ.get(SECRET_VARIABLE, "") if path is None else read_secret(path, owner_only=False)
    domains = tuple(name.casefold().removeprefix("@") for name in given["oidc_domains"])
    return OidcSettings(given["oidc_issuer"], given["oidc_client"] or "", secret, domains)
