"""Secrets that a structure shows: addresses with a password, headers, options of commands, `.netrc`."""

from __future__ import annotations

import base64
import re
from collections.abc import Collection, Iterator
from urllib.parse import unquote

from benchwright.sources.cleaning.cleaning_words import cleaning_words
from benchwright.sources.cleaning.plain_words import word_cue
from benchwright.sources.cleaning.secret_values import is_placeholder, is_strong_password

# Each has the secret as its last group; the cue occurs in the match, and the pattern starts at the cue.
_STRUCTURES = tuple(
    (kind, cue, re.compile(pattern, re.ASCII | re.IGNORECASE))
    for kind, cue, pattern in (
        ("url_password", "://", r"://[^\s/:@\"'`<>?#]{0,100}:([^\s/\"'`<>]{1,200})@[\w.\[$%{-]"),
        ("authorization", "basic ", r"basic\s+([A-Za-z0-9+/]{12,400}={0,2})(?![\w.-])"),
        ("authorization", "bearer ", r"bearer\s+([A-Za-z0-9._~+/-]{20,2000}=*)"),
        (
            "authorization",
            "authorization",
            r"authorization['\"]?\s{0,3}[:=,]\s{0,3}['\"]?(?:token|key|apikey)\s+([\w.=+/-]{16,400})",
        ),
        ("docker_auth", '"auth"', r'"auth"\s{0,9}:\s{0,9}"([A-Za-z0-9+/]{8,2000}={0,2})"'),
        ("docker_auth", '\\"auth\\"', r'\\"auth\\"\s{0,9}:\s{0,9}\\"([A-Za-z0-9+/]{8,2000}={0,2})\\"'),
        ("netrc", "machine ", r"machine\s+\S{1,200}\s+login\s+\S{1,200}\s+password\s+(\S{1,200})"),
        ("netrc", "default login ", r"default login\s+\S{1,200}\s+password\s+(\S{1,200})"),
        (
            "command_password",
            "sshpass ",
            r"sshpass\s+(?:-\w\s+){0,3}-p\s*(?:'([^'\n]{1,200})'|\"([^\"\n]{1,200})\"|([^\s'\"]{1,200}))",
        ),
        ("command_password", "-u ", r"-u\s{1,4}['\"]?[^\s:'\"]{0,100}:['\"]?(?!//)([^\s'\"]{6,200})"),
        (
            "command_password",
            "-user",
            r"-user(?:=|\s{1,4})['\"]?[^\s:'\"]{0,100}['\"]?:['\"]?([^\s'\"]{6,200})",
        ),
        ("command_password", "-u ", r"-u\s{1,4}['\"]([^\s:'\"]{6,200}):['\"]"),
        ("authorization", "authorization:", r"authorization:\s{1,4}([\w=~@.+/-]{20,400})['\"]"),
        ("authorization", "x-", r"x-[\w-]{0,30}(?:key|token):\s{0,4}([\w=~@.+/-]{12,400})"),
        (
            "authorization",
            "authorization",
            r"authorization['\"]?\s{0,3}[:=,]\s{0,3}['\"]?(?:basic|token|bearer|key)\s+(?=[^\s\d]{0,60}\d)([\w=~@.+/-]{8,400})['\"]",
        ),
        (
            "sidekiq",
            "contribsys__com",
            r"contribsys__com(?:token)?[\"'\s:=>?+,]{1,12}(?:value=[\"'])?([0-9a-f]{8}:[0-9a-f]{8})",
        ),
        (
            "command_password",
            "wget ",
            r"wget\s[^\n]{0,400}?--(?:http-|ftp-)?password[ =]['\"]?([^\s'\"]{3,200})",
        ),
        ("command_password", "mysql", r"mysql(?:dump|admin)?\s[^\n]{0,200}?-p([^\s'\"-][^\s'\"]{4,99})"),
        (
            "command_password",
            "docker login",
            r"docker login\s[^\n]{0,200}?(?:-p|--password)[ =]['\"]?([^\s'\"]{3,200})",
        ),
        ("command_password", "redis-cli", r"redis-cli\s[^\n]{0,200}?-a\s+['\"]?([^\s'\"]{3,200})"),
        ("connection_string", "pwd=", r"pwd=([^\s;\"'&<>]{6,200})(?=;)"),
        ("connection_string", "password=", r"password=([^\s;\"'&<>]{6,200})(?=;)"),
        ("azure", "sig=", r"sig=([\w%+/-]{40,90})"),
        ("url_password", "://", r"://((?=[a-z_-]{0,40}\d)[\w-]{24,255})@[\w.\[$%{-]"),
        ("pgpass", ":5432:", r":5432:[^:\s]{1,60}:[^:\s]{1,60}:([^\s:]{6,100})"),
        (
            "authorization",
            "authorization",
            r"authorization['\"]?\s{0,3}[:=,]\s{0,3}['\"]?(?:bearer|ssws|splunk|genieKey|bot|apikey|privat-token)\s{1,3}"
            r"(?=[a-z_.-]{0,40}\d)([\w.=~@+/-]{12,600})",
        ),
        (
            "command_password",
            "networkcredential(",
            r"networkcredential\(\s{0,20}[\"'][^\"'\n]{1,99}[\"'],\s{0,20}[\"']([^\"'\n]{6,99})[\"']",
        ),
        ("command_password", "psexec", r"psexec[^\n]{0,200}?\s-p\s{1,4}([^\s%$-]\S{5,99})"),
        (
            "command_password",
            "directoryentry(",
            r"directoryentry\([^)]{0,200}[\"'],\s{0,20}[\"'][^\"'\n]{1,99}[\"'],\s{0,20}[\"']([^\"'\n]{6,99})[\"']\)",
        ),
        (
            "password",
            "password is",
            r"password is:?\s{1,3}['\"`](?=[^'\"`\n]{0,60}[\d!@#$%])([^'\"`\s]{6,60})['\"`]",
        ),
        (
            "command_password",
            "identified by",
            r"identified (?:with \S{1,40} )?by\s{1,3}['\"]([^'\"\n]{6,99})['\"]",
        ),
        ("kubernetes", "token ", r"token\s{1,4}([a-z0-9]{6}\.[a-z0-9]{16})(?![\w.])"),
        ("jenkins", "proceed to installation:", r"proceed to installation:\s{1,20}([0-9a-f]{32})"),
        ("unseal_key", "unseal ", r"unseal (?:key \d{1,2}:\s{1,4})?([a-z0-9+/]{43,44}={0,2})(?![\w+/])"),
        ("assigned", "login_with_api_key", r"login_with_api_key.{0,60}?(\d{1,4}-[a-z0-9]{64})"),
        (
            "connection_string",
            "password=",
            r"(?<=[?&;])password=((?=[^\s;\"'&<>]{0,60}\d)[^\s;\"'&<>]{8,200})",
        ),
        ("connection_string", "password=", r"(?<=[?&;])password=([a-z]{12,200})(?![\w-])"),
        ("npm", ":_", r"(?<=/):_(?:password|auth|authToken)\s?=\s?[\"']?([\w+/=.-]{8,400})"),
        (
            "assigned",
            "define(",
            r"define\(\s?['\"]\w{0,30}(?:_key|_salt)['\"],\s{0,20}['\"](?=[^'\n]{0,99}\d)([^'\n]{60,70})['\"]",
        ),
        (
            "command_password",
            "convertto-securestring",
            r"convertto-securestring\s+(?:-\w{1,20}\s+){0,3}['\"]?(?![-$])([^\s'\"]{6,200})",
        ),
        (
            "command_password",
            "credential",
            r"credential\s{0,3}\(\s{0,3}[\"'][^\"'\n]{1,99}[\"']\s{0,3},\s{0,3}[\"']([^\"'\n]{6,99})[\"']",
        ),
        ("command_password", "net user ", r"net user\s+\S{1,60}\s+(?!/)(\S{6,100})\s+/add"),
        ("otp", "otpauth://", r"otpauth://[^\s\"'<>]{1,300}?[?&;]secret=([a-z2-7]{16,128}={0,6})"),
        ("authorization", "tlrmtvntuaa", r"(TlRMTVNTUAA[A-Za-z0-9+/]{20,2000}={0,2})"),
        ("authorization", "negotiate ", r"negotiate\s+((?:TlRMTVNTUAA|YII)[A-Za-z0-9+/]{20,8000}={0,2})"),
        *(
            (
                "command_password",
                f"{verb} {what}",
                rf"{verb} {what}\s[^;\n]{{0,200}}?(?:password|identified by)"
                r"\s{0,3}=?\s{0,3}['\"]([^'\"\n]{4,99})['\"]",
            )
            for verb in ("create", "alter")
            for what in ("user", "role", "login")
        ),
        (
            "command_password",
            "identified by",
            r"identified by\s{1,3}(?:password\s{1,3})?['\"]?"
            r"(?=[^\s'\";,]{0,99}\d)([^\s'\";,@]{4,99})['\"]?\s{0,3}(?:;|$|\n)",
        ),
        ("command_password", "password(", r"(?<=[= ])password\(['\"]([^'\"\n]{4,99})['\"]\)"),
        ("cookie", "user_session=", r"user_session=([\w-]{40,60})"),
    )
)
_CUES = {cue: word_cue(cue) for _, cue, _ in _STRUCTURES}
STRUCTURE_CUES = frozenset(_CUES.values())
_EXAMPLES = cleaning_words("examples")


def structured_secrets(text: str, within: Collection[str] = STRUCTURE_CUES) -> Iterator[tuple[int, int, str]]:
    """The start, end and kind of each secret that a structure shows; `within` are the cues of its words."""
    lower = text.lower()
    if len(lower) != len(text):  # İ and a few others grow
        lower = text.translate(_ASCII_LOWER)
    cues = [cue for cue, part in _CUES.items() if part in within and cue in lower]
    for kind, cue, pattern in _STRUCTURES if cues else ():
        if cue not in cues:
            continue
        at = lower.find(cue)
        while at >= 0:
            end = at + len(cue)
            if match := pattern.match(text, at):
                start, stop = match.span(match.lastindex or 0)
                if _is_secret(text[start:stop]) and (cue != "basic " or _is_basic(text[start:stop])):
                    yield start, stop, kind
                    end = stop
            at = lower.find(cue, end)


def _is_basic(value: str) -> bool:
    """True for the base 64 of `user:password` (RFC 7617), unless documentation uses the password."""
    try:
        _, colon, password = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).partition(b":")
    except ValueError:
        return False
    return bool(colon) and password.decode("latin-1").strip() not in _EXAMPLES


_ASCII_LOWER = {ord(each): each.lower() for each in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
SHORTEST = 2
_WORDS = re.compile(r"[^\W_]+")
_TEMPLATE = re.compile(r"[<>{}()*]|^\$|^%|\[|\.\.\.")


def _is_secret(value: str) -> bool:
    if value.lower().strip("_-") in _EXAMPLES or is_placeholder(value) or len(value) < SHORTEST:
        return False
    if "%" in value and set(_WORDS.findall(unquote(value).lower())) <= _EXAMPLES:
        return False
    return not _TEMPLATE.search(value) or is_strong_password(value.lstrip("$%"))
