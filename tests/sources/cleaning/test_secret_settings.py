"""Secrets in settings and in encoded texts: any value in each form is replaced, ordinary lines stay."""

from __future__ import annotations

import base64
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.sources.cleaning.secret_search import find_secrets, without_secrets
from kit.growth import PER_DOUBLING, growth

PASSWORDS = ("password", "DB_PASSWORD", "smtp.password", "adminPassword", "redis_pass", "passphrase")
KEYS = ("api_key", "SECRET_KEY", "client_secret", "auth_token", "encryption-key", "accessKey")
FORMS = (
    "svc:\n  {k}: {v}\n",
    'svc:\n  {k}: "{v}"\n',
    "env:\n- name: {k}\n  value: {v}\n",
    "environment:\n  - {k}={v}\n",
    "export {k}={v}\n",
    "{k} = {v}\n",
    '{{"{k}": "{v}", "a": 1}}',
    "<{k}>{v}</{k}>",
    '<user name="a" {k}="{v}" role="x"/>',
    '<property name="{k}" value="{v}"/>',
    "<key>{k}</key>\n<value>{v}</value>",
    "ENV {k}={v}\n",
    "ENV {k} {v}\n",
    'docker run -e "{k}={v}" shop',
    'variable "{k}" {{\n  type = string\n  default = "{v}"\n}}',
    '@Value("${{{k}:{v}}}")',
    "X=${{{k}:-{v}}}\n",
    'os.environ.get("{k}", "{v}")',
    "const x = process.env.{k} || '{v}'",
    'public string {k} {{ get; set; }} = "{v}";',
    "tool --{k} {v} --verbose",
    "jdbc:mysql://h:3306/d?user=u&{k}={v}",
    "Server=h;User Id=sa;{k}={v};Timeout=3",
    'curl -H "X-{k}: {v}" https://h',
    "+    {k}: {v}\n",
)
ENCODINGS = {
    "plain": str,
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "url-safe": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "twice": lambda text: base64.b64encode(base64.b64encode(text.encode())).decode(),
    "percent": lambda text: quote(text, safe=""),
    "utf-16": lambda text: base64.b64encode(text.encode("utf-16-le")).decode(),
}
_WORD = st.sampled_from(("harbor", "maple", "violet", "copper", "lantern", "meadow", "falcon", "granite"))
_NUMBER = st.integers(100, 9999).map(str)
CHOSEN = st.one_of(
    st.tuples(_WORD, _NUMBER).map("".join),
    st.tuples(_WORD, _WORD, _NUMBER).map("_".join),
    st.tuples(_WORD.map(str.title), _NUMBER, st.sampled_from("!#")).map("".join),
)


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(value=CHOSEN, form=st.sampled_from(FORMS), name=st.sampled_from((*PASSWORDS, *KEYS)))
def test_a_value_of_words_is_replaced_in_each_form(encoding: str, value: str, form: str, name: str) -> None:
    plain = form.format(k=name, v=value)
    text = f"data: {ENCODINGS[encoding](plain)}" if encoding != "plain" else plain
    cleaned = without_secrets(f"a = 1\n{text}\nb = 2\n")
    assert value not in cleaned
    assert ENCODINGS[encoding](plain) not in cleaned
    assert without_secrets(cleaned) == cleaned
    assert cleaned.startswith("a = 1\n")
    assert cleaned.endswith("\nb = 2\n")


@pytest.mark.parametrize(
    "line",
    [
        "password: ${DB_PASSWORD}",
        "password = getpass.getpass()",
        "password: string",
        'password = "password2"',
        "token: Uint8Array",
        'secret_name = "shop-secrets-2024"',
        'client.login("user", "pass123")',
        "def register(client, username, password, password2=None):",
        "<input type=password name=password2 size=30>",
        "proxy_pass http://127.0.0.1:8000/;",
        "To disambiguate, pass `package_name` or `max_content_width`.",
        '"""Add a ``--password`` option that prompts."""',
        "api_key = settings.API_KEY_V2",
        '"node_id": "MDEyOk9yZ2FuaXphdGlvbjEzNjI5NDA4"',
        "src/benchwright/sources/cleaning/secret_encodings",
        "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=",
        "next=https%3A%2F%2Fexample.com%2Fdocs%3Fpage%3D2",
    ],
)
def test_ordinary_lines_are_not_changed(line: str) -> None:
    assert without_secrets(line) == line


@given(st.binary(max_size=200))
def test_encoded_bytes_without_a_secret_stay(data: bytes) -> None:
    text = base64.b64encode(b"\0" + data).decode()
    assert find_secrets(f"blob {text}\n") == []


@pytest.mark.parametrize("line_end", ["\n", "\n+", "\n  "])
def test_a_wrapped_block_is_replaced_whole(line_end: str) -> None:
    key = "\n".join(
        ["-----BEGIN RSA PRIVATE KEY-----", *["A1b2C3d4" * 8] * 9, "-----END RSA PRIVATE KEY-----"]
    )
    block = base64.encodebytes(key.encode()).decode().rstrip("\n").replace("\n", line_end)
    assert without_secrets(f"tls.key:{line_end}{block}\nkind: Secret\n") == (
        f"tls.key:{line_end}<secret:private_key>\nkind: Secret\n"
    )


HARD = ["password: ", "--password ", '"kty":"d":', "create user password", "%41", "cGFzc3dvcmQ9", "pw:A1b "]


@pytest.mark.parametrize("unit", HARD)
def test_the_time_of_settings_grows_with_the_length(unit: str) -> None:
    assert growth(without_secrets, lambda size: unit * (size // len(unit)), 10_000) <= PER_DOUBLING
