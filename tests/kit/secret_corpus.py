"""Planted secrets of many kinds, generated from published descriptions of their formats.

FORMATS states facts that providers and public lists of formats publish: prefix, alphabet and length. The
values are random. The carriers are the ways in which configuration and code contain a secret. The list was
written from those descriptions, not from the rules that it tests.
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterator
from typing import NamedTuple

_ALPHABETS = {
    "x": "0123456789abcdef",
    "X": "0123456789ABCDEF",
    "n": string.ascii_letters + string.digits,
    "l": string.ascii_lowercase + string.digits,
    "U": string.ascii_uppercase + string.digits,
    "2": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    "w": string.ascii_letters + string.digits + "_-",
    "b": string.ascii_letters + string.digits + "+/",
    "d": string.digits,
}
# kind, name in configuration, format: {ALPHABET LENGTH} is a random part. A name is needed if the format
# alone does not identify the secret.
FORMATS = """
aws_access_key AWS_ACCESS_KEY_ID AKIA{2 16}
aws_temporary_key AWS_ACCESS_KEY_ID ASIA{2 16}
aws_secret_key AWS_SECRET_ACCESS_KEY! {b 40}
gcp_api_key GOOGLE_API_KEY AIza{w 35}
gcp_oauth_secret GOOGLE_CLIENT_SECRET GOCSPX-{w 28}
azure_client_secret AZURE_CLIENT_SECRET {n 3}8Q~{n 34}
azure_storage_key AZURE_STORAGE DefaultEndpointsProtocol=https;AccountName=shop;AccountKey={b 86}==
github_token GITHUB_TOKEN ghp_{n 36}
github_oauth GITHUB_OAUTH gho_{n 36}
github_app GITHUB_APP ghs_{n 36}
github_fine_grained GITHUB_PAT github_pat_{n 22}_{n 59}
gitlab_token GITLAB_TOKEN glpat-{w 20}
gitlab_runner GITLAB_RUNNER glrt-{w 20}
slack_bot SLACK_BOT_TOKEN xoxb-{d 12}-{d 12}-{n 24}
slack_user SLACK_TOKEN xoxp-{d 11}-{d 11}-{d 12}-{x 32}
slack_webhook SLACK_URL https://hooks.slack.com/services/T{U 8}/B{U 10}/{n 24}
stripe_live STRIPE_KEY sk_live_{n 24}
stripe_restricted STRIPE_KEY rk_test_{n 24}
twilio_key TWILIO_KEY SK{x 32}
twilio_token TWILIO_AUTH_TOKEN! {x 32}
sendgrid_key SENDGRID_API_KEY SG.{w 22}.{w 43}
mailgun_key MAILGUN_API_KEY key-{x 32}
mailchimp_key MAILCHIMP_KEY {x 32}-us12
npm_token NPM_TOKEN npm_{n 36}
pypi_token PYPI_TOKEN pypi-AgEIcHlwaS5vcmc{w 120}
rubygems_key RUBYGEMS_KEY rubygems_{x 48}
huggingface_token HF_TOKEN hf_{n 34}
openai_key OPENAI_API_KEY sk-{n 20}T3BlbkFJ{n 20}
openai_project_key OPENAI_API_KEY sk-proj-{w 48}
anthropic_key ANTHROPIC_API_KEY sk-ant-api03-{w 93}AA
jwt AUTH eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ{w 60}.{w 43}
database_url DATABASE_URL postgres://shop:{n 20}@db.internal:5432/shop
redis_url REDIS_URL redis://:{n 24}@cache.internal:6379/0
basic_url REMOTE https://deploy:{n 20}@git.internal/shop.git
heroku_key HEROKU_API_KEY! {x 8}-{x 4}-{x 4}-{x 4}-{x 12}
digitalocean_token DO_TOKEN dop_v1_{x 64}
cloudflare_token CLOUDFLARE_API_TOKEN! {w 40}
telegram_token TELEGRAM_BOT {d 10}:AA{w 33}
discord_token DISCORD_BOT M{n 23}.{w 6}.{w 38}
discord_webhook DISCORD_URL https://discord.com/api/webhooks/{d 18}/{w 68}
square_token SQUARE_TOKEN sq0atp-{w 22}
shopify_token SHOPIFY_TOKEN shpat_{x 32}
datadog_key DATADOG_API_KEY! {x 32}
newrelic_key NEW_RELIC_KEY NRAK-{U 27}
artifactory_key ARTIFACTORY_KEY AKCp{n 69}
docker_token DOCKER_TOKEN dckr_pat_{w 27}
vault_token VAULT_TOKEN hvs.{w 90}
terraform_token TF_TOKEN {n 14}.atlasv1.{w 67}
grafana_token GRAFANA_TOKEN glsa_{n 32}_{x 8}
notion_token NOTION_TOKEN secret_{n 43}
linear_key LINEAR_KEY lin_api_{n 40}
figma_token FIGMA_TOKEN figd_{w 40}
databricks_token DATABRICKS_TOKEN dapi{x 32}
doppler_token DOPPLER_TOKEN dp.pt.{n 43}
postman_key POSTMAN_KEY PMAK-{x 24}-{x 34}
pulumi_token PULUMI_TOKEN pul-{x 40}
planetscale_token PLANETSCALE_TOKEN pscale_tkn_{w 43}
sentry_token SENTRY_TOKEN sntryu_{x 64}
age_key AGE_KEY AGE-SECRET-KEY-1{U 58}
alibaba_key ALIBABA_KEY LTAI{n 20}
azure_cosmos COSMOS_KEY! {b 86}==
azure_sb SERVICEBUS_CONNECTION Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={b 43}=
slack_app SLACK_APP_TOKEN xapp-1-A{U 10}-{d 13}-{x 64}
slack_signing SLACK_SIGNING_SECRET! {x 32}
teams_hook TEAMS_WEBHOOK https://acme.webhook.office.com/webhookb2/{x 8}-{x 4}-{x 4}-{x 4}-{x 12}@{x 8}-{x 4}-{x 4}-{x 4}-{x 12}/IncomingWebhook/{x 32}/{x 8}-{x 4}-{x 4}-{x 4}-{x 12}
postmark POSTMARK_SERVER_TOKEN! {x 8}-{x 4}-{x 4}-{x 4}-{x 12}
nuget NUGET_API_KEY oy2{l 43}
crates CARGO_REGISTRY_TOKEN cio{n 32}
cohere COHERE_API_KEY! {n 40}
groq GROQ_API_KEY gsk_{n 52}
replicate REPLICATE_API_TOKEN r8_{n 37}
perplexity PERPLEXITY_API_KEY pplx-{n 48}
xai XAI_API_KEY xai-{n 80}
openrouter OPENROUTER_API_KEY sk-or-v1-{x 64}
fireworks FIREWORKS_API_KEY fw_{n 24}
elevenlabs ELEVENLABS_API_KEY sk_{x 48}
pinecone PINECONE_API_KEY pcsk_{n 5}_{n 63}
langfuse LANGFUSE_SECRET_KEY sk-lf-{x 8}-{x 4}-{x 4}-{x 4}-{x 12}
tavily TAVILY_API_KEY tvly-{n 32}
gh_r REFRESH ghr_{n 76}
gl_dt DEPLOY_TOKEN gldt-{w 20}
bitbucket BITBUCKET_APP_PASSWORD ATBB{n 32}
atlassian JIRA_API_TOKEN ATATT3xFfGF0{w 171}={X 8}
notion2 NOTION_TOKEN ntn_{d 11}{n 35}
airtable AIRTABLE_PAT pat{n 14}.{x 64}
asana ASANA_TOKEN 1/{d 16}:{x 32}
asana2 ASANA_PAT 2/{d 16}/{d 16}:{x 32}
dropbox DROPBOX_TOKEN sl.B{w 135}
heroku2 HEROKU_API_KEY HRKU-AA{w 58}
fastly FASTLY_API_TOKEN! {w 32}
netlify NETLIFY_AUTH_TOKEN nfp_{n 36}
vercel VERCEL_TOKEN! {n 24}
vercel_blob BLOB_READ_WRITE_TOKEN vercel_blob_rw_{n 16}_{n 30}
fly FLY_API_TOKEN fm2_{b 120}
render RENDER_API_KEY rnd_{n 28}
planetscale_pw DB_PASS pscale_pw_{w 43}
supabase SUPABASE_ACCESS_TOKEN sbp_{x 40}
supabase2 SUPABASE_SECRET sb_secret_{w 31}
datadog_app DD_APP_KEY! {x 40}
newrelic_eu NEW_RELIC_LICENSE_KEY eu01xx{x 30}NRAL
sentry SENTRY_AUTH_TOKEN sntrys_eyJ{b 150}_{b 43}
grafana_c GRAFANA_CLOUD glc_eyJ{b 120}
pagerduty2 PAGERDUTY_ROUTING_KEY! {x 32}
okta OKTA_API_TOKEN! 00{w 40}
auth0 AUTH0_CLIENT_SECRET! {w 64}
shopify SHOPIFY_ACCESS_TOKEN shpat_{x 32}
square_sec SQUARE_SECRET sq0csp-{w 43}
braintree BRAINTREE_PRIVATE_KEY! {x 32}
plaid PLAID_SECRET! {x 30}
tfc TF_TOKEN_app_terraform_io {n 14}.atlasv1.{w 67}
circleci CIRCLE_TOKEN CCIPAT_{n 22}_{x 40}
buildkite BUILDKITE_TOKEN bkua_{x 40}
launchdarkly LD_SDK_KEY sdk-{x 8}-{x 4}-{x 4}-{x 4}-{x 12}
segment SEGMENT_WRITE_KEY! {n 32}
segment_pat SEGMENT_TOKEN sgp_{n 64}
mapbox MAPBOX_TOKEN sk.eyJ{n 80}.{w 22}
contentful CONTENTFUL_TOKEN CFPAT-{w 43}
twitch TWITCH_CLIENT_SECRET! {l 30}
linkedin2 LINKEDIN_CLIENT_SECRET WPL_AP1.{n 16}.{b 8}==
easypost EASYPOST_API_KEY EZAK{n 54}
shippo SHIPPO_TOKEN shippo_live_{x 40}
typeform TYPEFORM_TOKEN tfp_{w 44}_{w 14}
yandex YANDEX_OAUTH y0_{w 55}
yandex_cloud YC_KEY AQVN{w 36}
alibaba_sec ALIBABA_CLOUD_ACCESS_KEY_SECRET! {n 30}
tencent TENCENTCLOUD_SECRET_ID AKID{n 32}
tencent_sec TENCENTCLOUD_SECRET_KEY! {n 32}
hubspot HUBSPOT_TOKEN pat-na1-{x 8}-{x 4}-{x 4}-{x 4}-{x 12}
resend RESEND_API_KEY re_{n 8}_{n 24}
neon NEON_API_KEY napi_{l 64}
posthog POSTHOG_KEY phx_{n 43}
tailscale TS_AUTHKEY tskey-auth-k{n 11}CNTRL-{n 32}
laravel APP_KEY! base64:{b 43}=
generic_secret APP_SECRET_KEY! {n 40}
generic_password DB_PASSWORD! {n 12}!{d 3}x
"""
_QUOTED = (
    '{name} = "{value}"',
    "{name}: '{value}'",
    'os.environ["{name}"] = "{value}"',
    'const {name} = "{value}";',
    '    "{name}": "{value}",',
    '+    {name}="{value}",',
)
_PLAIN = (
    "{name}={value}",
    "export {name}={value}",
    "{name}: {value}",
    "-  {name}: {value}",
    "-e {name}={value} \\",
)
_SURROUNDED = (
    'variable "{name}" {{\n  default = "{value}"\n}}',
    "        - name: {name}\n          value: '{value}'",
    '{{"name": "{name}", "value": "{value}"}}',
    "- **{name}**: `{value}`",
    "Set `{name}` to `{value}`.",
    'const {name}: &str = "{value}";',
    'private readonly {name}: string = "{value}";',
    'public string {name} {{ get; set; }} = "{value}";',
    'public static final String {name} = "{value}";',
    'let x = env.{name} ?? "{value}";',
    "{name}: >-\n  {value}",
    "<key>{name}</key>\n<string>{value}</string>",
    '{name} <- "{value}"',
    "gh secret set {name} --body '{value}'",
    "kubectl create secret generic s --from-literal={name}={value}",
    '{{"body":"{{\\"{name}\\":\\"{value}\\"}}"}}',
    "ENV {name} {value}",
)
_BARE = (
    "I pasted {value} by mistake",
    "{value}",
    "curl -H 'X-Thing: {value}' https://h/x",
    "see `{value}`, sorry",
)


class Plant(NamedTuple):
    """A secret and the text that contains it."""

    kind: str
    text: str
    value: str


def plants(*, seed: int, each: int) -> Iterator[Plant]:
    """Return `each` secrets of each format, in varied carriers."""
    for line in FORMATS.strip().splitlines():
        kind, name, form = line.split(" ", 2)
        draw = random.Random(f"{seed} {kind}")
        carriers = (
            (*_QUOTED, *_PLAIN, *_SURROUNDED)
            if name.endswith("!")
            else (*_QUOTED, *_PLAIN, *_SURROUNDED, *_BARE)
        )
        for _ in range(each):
            value = _drawn(form, draw)
            text = draw.choice(carriers).format(name=name.rstrip("!"), value=value)
            yield Plant(kind, text, _secret_part(value))


def private_keys(*, seed: int) -> Iterator[Plant]:
    """Return key blocks with every header, over several lines, in one line and in a diff."""
    draw = random.Random(f"{seed} private keys")
    for header in ("", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ", "PGP "):
        end = " BLOCK" if header == "PGP " else ""
        lines = [_drawn("{b 64}", draw) for _ in range(6)]
        first, last = (f"-----{word} {header}PRIVATE KEY{end}-----" for word in ("BEGIN", "END"))
        for join, before in (("\n", ""), ("\\n", 'key = "'), ("\n+", "+"), ("\n    ", "    ")):
            yield Plant("private_key", before + join.join([first, *lines, last]), lines[3])
            yield Plant("private_key", before + join.join([first, *lines]), lines[3])


def _drawn(form: str, draw: random.Random) -> str:
    def part(match: re.Match[str]) -> str:
        return "".join(draw.choices(_ALPHABETS[match[1]], k=int(match[2])))

    return re.sub(r"\{(\w) (\d+)\}", part, form)


def _secret_part(value: str) -> str:
    """Return the part of a value that must be removed: the password of an address, the key of a string."""
    if match := re.search(r"AccountKey=(.+)|://[^:]*:(\w+)@|(?:services|webhooks)/(.+)", value):
        return next(each for each in match.groups() if each)
    return value
