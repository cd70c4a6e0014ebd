r"""Rules of secrets with a fixed beginning, by the formats that the providers document.

A rule is a line of FORMATS: kind, cue and pattern. The cue is a literal that occurs in each secret of the
rule; it is searched first, and the pattern is matched where it occurs. `~` in a pattern stands for the cue.
`back` lists the characters that may precede the cue in the secret, at most `BACK` of them. Repetitions are
limited, so that a pattern takes linear time.
"""

from __future__ import annotations

import re
import string
from typing import NamedTuple

BACK = 90
_ALNUM = string.ascii_letters + string.digits
_HEX_DIGITS = string.hexdigits
_W = r"[A-Za-z0-9_-]"
_N = r"[A-Za-z0-9]"
_HEX = r"[0-9a-fA-F]"
_UUID = rf"{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}"


class SecretFormat(NamedTuple):
    """A format of one kind of secret."""

    kind: str
    cue: str
    pattern: re.Pattern[str]
    back: str = ""
    joined: bool = False  # may follow a letter or digit directly
    long: bool = False  # may not follow a dash or an underscore: one scan for each run of characters


def _formats(
    kind: str, cues: str, pattern: str, *, back: str = "", joined: bool = False, long: bool = False
) -> list[SecretFormat]:
    """One format for each of the cues, which are separated by spaces; `~` in the pattern is the cue."""
    return [
        SecretFormat(kind, cue, re.compile(_with_cue(pattern, cue), re.ASCII), back, joined, long)
        for cue in cues.split()
    ]


def _with_cue(pattern: str, cue: str) -> str:
    return (
        re.escape(cue) + pattern[1:]
        if pattern.startswith("~")
        else pattern.replace("}~", "}" + re.escape(cue))
    )


FORMATS: tuple[SecretFormat, ...] = (
    # Clouds
    *_formats("aws", "AKIA ASIA ABIA ACCA", rf"~[A-Z0-9]{{16}}(?!{_N})"),
    *_formats("aws", "A3T", rf"~[A-Z0-9]{{17}}(?!{_N})"),
    *_formats("aws", "ABSK", r"~[A-Za-z0-9+/]{80,300}={0,2}"),
    *_formats("aws", "amzn.mws.", rf"~{_UUID}"),
    *_formats("gcp", "AIza", rf"~{_W}{{35}}(?!{_N})"),
    *_formats("gcp", "GOCSPX-", rf"~{_W}{{20,40}}"),
    *_formats("gcp", "ya29.", r"~[A-Za-z0-9_.-]{20,2000}"),
    *_formats("gcp", "1//0", rf"~{_W}{{30,200}}"),
    *_formats("azure", "AccountKey= SharedAccessKey=", r"~[A-Za-z0-9+/]{40,100}={0,2}"),
    *_formats("azure", "Q~", r"[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}", back=_ALNUM + "_~.-"),
    *_formats("azure", "sig=", r"~[A-Za-z0-9%+/]{43,80}(?:%3D|=)"),
    *_formats("azure", "AZDO", rf"{_N}{{60,90}}AZDO{_N}{{4}}", back=_ALNUM),
    *_formats("alibaba", "LTAI", rf"~{_N}{{12,30}}(?!{_N})"),
    *_formats("digitalocean", "doo_v1_ dop_v1_ dor_v1_", rf"~{_HEX}{{64}}"),
    *_formats("cloudflare", "v1.0-", rf"~{_N}{{24}}-{_N}{{140,150}}"),
    *_formats("cloudflare", "cfk_ cfut_ cfat_", rf"~{_N}{{40,60}}"),
    *_formats("heroku", "HRKU-", r"~[A-Za-z0-9_-]{30,90}"),
    *_formats("yandex", "AQVN", rf"~{_W}{{35,38}}"),
    *_formats("yandex", "t1.", rf"~[A-Z0-9a-z_-]+=?=?\.{_W}{{86}}=?=?"),
    *_formats("yandex", "YC", rf"~{_W}{{38}}(?!{_W})"),
    *_formats("fly", "fo1_", rf"~{_W}{{30,80}}"),
    *_formats("fly", "fm1a_ fm1r_ fm2_", r"~[A-Za-z0-9+/=_-]{60,1500}"),
    *_formats("netlify", "nfp_", rf"~{_N}{{30,50}}"),
    *_formats("render", "rnd_", rf"~{_N}{{28,40}}"),
    *_formats("scalingo", "tk-us-", rf"~{_W}{{40,60}}"),
    *_formats("supabase", "sbp_", rf"~(?:v\d_)?{_HEX}{{40}}"),
    *_formats("planetscale", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"~[A-Za-z0-9_.=-]{30,70}"),
    *_formats("vault", "hvs. hvb. hvr.", rf"~{_W}{{20,300}}"),
    *_formats("terraform", ".atlasv1.", rf"{_N}{{14}}~[A-Za-z0-9_=-]{{50,90}}", back=_ALNUM),
    *_formats("pulumi", "pul-", rf"~{_HEX}{{40}}"),
    *_formats("databricks", "dapi", rf"~{_HEX}{{32}}(?:-\d)?"),
    *_formats(
        "doppler",
        "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.",
        r"~(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}",
    ),
    *_formats("dynatrace", "dt0c01. dt0s01. dt0s16. dt0a01. dt0a11.", rf"~{_N}{{20,30}}\.{_N}{{60,70}}"),
    *_formats("openshift", "sha256~", rf"~{_W}{{43}}"),
    *_formats("tailscale", "tskey-", rf"~{_W}{{15,80}}"),
    *_formats("ibm", "crn:v1:bluemix:", r"~[a-z0-9:/_-]{20,200}"),
    # Forges, registries and tools of developers
    *_formats("github", "ghp_ gho_ ghu_ ghs_ ghr_", rf"~{_N}{{36,255}}", joined=True),
    *_formats("github", "github_pat_", r"~[A-Za-z0-9_]{36,255}", joined=True),
    *_formats(
        "gitlab",
        "glpat- glptt- gldt- glrt- glcbt- glft- glimt- glagent- gloas- glsoat- glffct- glrtr-",
        r"~[A-Za-z0-9_.-]{20,300}",
        joined=True,
    ),
    *_formats("gitlab", "GR1348941", rf"~{_W}{{20}}"),
    *_formats("gitlab", "_gitlab_session=", r"~[0-9a-z]{32}"),
    *_formats("bitbucket", "ATBB", rf"~{_N}{{24,40}}"),
    *_formats("atlassian", "ATATT3 ATCTT3", r"~[A-Za-z0-9+/=_-]{60,250}"),
    *_formats("npm", "npm_", rf"~{_N}{{36}}"),
    *_formats("pypi", "pypi-Ag", rf"~{_W}{{50,1000}}", joined=True),
    *_formats("rubygems", "rubygems_", rf"~{_HEX}{{48}}"),
    *_formats("crates", "cio", rf"~{_N}{{32}}(?!{_N})"),
    *_formats("nuget", "oy2", r"~[a-z0-9]{43}(?![a-z0-9])"),
    *_formats("clojars", "CLOJARS_", rf"~{_N}{{60}}"),
    *_formats("docker", "dckr_pat_ dckr_oat_", rf"~{_W}{{27,40}}"),
    *_formats("artifactory", "AKCp", rf"~{_N}{{10,100}}"),
    *_formats("artifactory", "cmVmd", rf"~{_N}{{59}}(?!{_N})"),
    *_formats("sonar", "sqp_ squ_ sqa_", rf"~{_HEX}{{40}}"),
    *_formats("sourcegraph", "sgp_", rf"~(?:(?:{_HEX}{{16}}|local)_)?{_HEX}{{40}}"),
    *_formats("sourcegraph", "slk_", rf"~{_HEX}{{64}}"),
    *_formats("sentry", "sntrys_", r"~[A-Za-z0-9+/=_-]{60,500}"),
    *_formats("sentry", "sntryu_", rf"~{_HEX}{{64}}"),
    *_formats("grafana", "glsa_", rf"~{_N}{{32}}_{_HEX}{{8}}"),
    *_formats("grafana", "glc_", r"~[A-Za-z0-9+/]{32,400}={0,3}"),
    *_formats("grafana", "eyJrIjoi", r"~[A-Za-z0-9+/_-]{60,400}={0,3}"),
    *_formats("postman", "PMAK-", rf"~{_HEX}{{24}}-{_HEX}{{34}}"),
    *_formats("linear", "lin_api_ lin_oauth_", rf"~{_N}{{40,64}}"),
    *_formats("notion", "ntn_ secret_", rf"~{_N}{{43,50}}(?!{_N})"),
    *_formats("figma", "figd_ figu_", rf"~{_W}{{38,60}}"),
    *_formats("airtable", "pat", rf"~{_N}{{14}}\.{_HEX}{{64}}"),
    *_formats("prefect", "pnu_ pnb_", rf"~{_N}{{36}}"),
    *_formats("readme", "rdme_", r"~[a-z0-9]{60,80}"),
    *_formats("typeform", "tfp_", r"~[A-Za-z0-9_.=-]{40,70}"),
    *_formats("infracost", "ico-", rf"~{_N}{{32}}"),
    *_formats("buildkite", "bkua_", rf"~{_N}{{40}}"),
    *_formats("adafruit", "aio_", rf"~{_N}{{28}}(?!{_N})"),
    *_formats("circleci", "CCIPAT_", rf"~{_W}{{20,80}}"),
    *_formats("launchdarkly", "sdk- api- mob-", r"~[a-z0-9]{8}(?:-[a-z0-9]{4}){3}-[a-z0-9]{12}"),
    *_formats("octopus", "API-", r"~[A-Z0-9]{25,36}(?![A-Za-z0-9])"),
    *_formats("defined", "dnkey-", r"~[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}"),
    *_formats("age", "AGE-SECRET-KEY-1", r"~[0-9A-Z]{58}"),
    *_formats("1password", "ops_eyJ", r"~[A-Za-z0-9+/_-]{100,2000}={0,3}"),
    *_formats(
        "1password", "A3-", r"~[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"
    ),
    *_formats("harness", "pat. sat.", rf"~{_W}{{22}}\.{_N}{{24}}\.{_N}{{20}}"),
    *_formats("settlemint", "sm_aat_ sm_pat_ sm_sat_", rf"~{_N}{{16}}"),
    *_formats("zuplo", "zpka_", rf"~{_W}{{30,60}}"),
    *_formats("intra42", "s-s4t2ud- s-s4t2af-", rf"~{_HEX}{{64}}"),
    *_formats("adobe", "p8e-", rf"~{_N}{{32}}"),
    *_formats("contentful", "CFPAT-", rf"~{_W}{{40,50}}"),
    # Models
    *_formats("huggingface", "hf_ api_org_", rf"~{_N}{{30,60}}"),
    *_formats("anthropic", "sk-ant-", rf"~{_W}{{20,200}}", joined=True),
    *_formats("openai", "sk-proj- sk-svcacct- sk-admin- sk-None-", rf"~{_W}{{20,300}}", joined=True),
    *_formats("openrouter", "sk-or-", rf"~{_W}{{40,100}}", joined=True),
    *_formats("openai", "sk-", rf"~{_W}{{0,40}}{_N}{{32,120}}"),
    *_formats("openai", "sess-", rf"~{_N}{{40}}"),
    *_formats("groq", "gsk_", rf"~{_N}{{40,60}}"),
    *_formats("perplexity", "pplx-", rf"~{_N}{{40,60}}"),
    *_formats("replicate", "r8_", rf"~{_N}{{37}}"),
    *_formats("xai", "xai-", rf"~{_N}{{70,90}}"),
    *_formats("nvidia", "nvapi-", rf"~{_W}{{60,80}}"),
    *_formats("langsmith", "lsv2_pt_ lsv2_sk_", r"~[A-Za-z0-9_]{32,60}"),
    # Messages and mail
    *_formats(
        "slack",
        "xoxb- xoxa- xoxp- xoxr- xoxs- xoxo- xoxe- xoxc- xoxd- xoxe. xwfp-",
        r"~[0-9A-Za-z%+/=.-]{8,260}",
        joined=True,
    ),
    *_formats("slack", "xapp-", r"~\d[A-Za-z0-9-]{20,200}"),
    *_formats(
        "slack_webhook",
        "hooks.slack.com/ hooks.slack-gov.com/",
        r"~(?:services|workflows|triggers)/[A-Za-z0-9+/]{30,90}",
    ),
    *_formats(
        "discord", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", rf"~\d{{15,22}}/{_W}{{50,90}}"
    ),
    *_formats("zapier_webhook", "hooks.zapier.com/hooks/catch/", r"~\d{4,12}/\w{5,40}"),
    *_formats("teams_webhook", ".webhook.office.com/webhookb2/", r"~[A-Za-z0-9@/-]{80,220}", joined=True),
    *_formats("telegram", ":A", rf"\d{{5,16}}:A{_W}{{32,36}}(?!{_W})", back="0123456789"),
    *_formats("sendgrid", "SG.", r"~[A-Za-z0-9_=.-]{60,72}"),
    *_formats("brevo", "xkeysib- xsmtpsib-", rf"~{_HEX}{{64}}-{_N}{{16}}"),
    *_formats("mailgun", "key- pubkey- pubkey-", rf"~{_HEX}{{32}}(?!{_N})"),
    *_formats("mailchimp", "-us", rf"{_HEX}{{32}}-us\d{{1,2}}(?!{_N})", back=_HEX_DIGITS),
    *_formats("mailersend", "mlsn.", rf"~{_HEX}{{64}}"),
    *_formats("twilio", "SK", rf"~{_HEX}{{32}}(?!{_N})"),
    *_formats("sendbird", "fcm-", rf"~{_W}{{40,80}}"),
    *_formats("firebase", "AAAA", rf"~{_W}{{7}}:APA91b{_W}{{100,160}}"),
    *_formats("facebook", "EAAC EAAM EAAG EAAB", rf"~{_N}{{60,300}}"),
    # Money and shops
    *_formats(
        "stripe", "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_", rf"~{_N}{{10,250}}", joined=True
    ),
    *_formats("stripe", "whsec_", r"~[A-Za-z0-9+/]{24,80}={0,2}"),
    *_formats("square", "sq0atp- sq0csp- sq0idp-", rf"~{_W}{{22,60}}"),
    *_formats("square", "EAAA", rf"~{_W}{{56,64}}(?!{_W})"),
    *_formats("shopify", "shpat_ shpca_ shppa_ shpss_ shpua_", rf"~{_N}{{32,40}}"),
    *_formats("paypal", "access_token$production$ access_token$sandbox$", r"~[0-9a-z]{16}\$[0-9a-f]{32}"),
    *_formats("flutterwave", "FLWSECK FLWPUBK", r"~(?:_TEST|_LIVE)?-[A-Za-z0-9]{12,64}(?:-X)?"),
    *_formats("plaid", "access-sandbox- access-development- access-production-", rf"~{_UUID}"),
    *_formats("razorpay", "rzp_live_ rzp_test_", rf"~{_N}{{14,24}}"),
    *_formats("shippo", "shippo_live_ shippo_test_", rf"~{_HEX}{{40}}"),
    *_formats("easypost", "EZAK EZTK", rf"~{_N}{{54}}"),
    *_formats("duffel", "duffel_test_ duffel_live_", r"~[A-Za-z0-9_=-]{40,46}"),
    *_formats("gocardless", "live_ test_", rf"~{_HEX}{{35}}(?!{_N})"),
    *_formats("lob", "live_pub_ test_pub_", rf"~{_HEX}{{31}}"),
    # Keys without a header: DER of PKCS 8, RSA and EC (RFC 5208, 8017, 5915) in base 64
    *_formats(
        "private_key",
        "MIIEvQIBADAN MIIEvAIBADAN MIIEvgIBADAN MIICdwIBADAN MIICdgIBADAN MIICeAIBADAN MIIJQgIBADAN"
        " MIIJQwIBADAN MIIEpAIBAAKC MIIEowIBAAKC MIIEogIBAAKC MIIEpQIBAAKC MIICXAIBAAKB MIICXQIBAAKB"
        " MIICXgIBAAKB MIIJKAIBAAKC MIIJKQIBAAKC MIGHAgEAMBMG MHcCAQEEI MC4CAQAwBQYDK2Vw",
        r"~[A-Za-z0-9+/]{40,8000}={0,2}",
        joined=True,
    ),
    # Hashes of passwords
    *_formats("password_hash", "$2a$ $2b$ $2y$", r"~\d\d\$[./A-Za-z0-9]{53}", joined=True),
    *_formats("password_hash", "$apr1$ $1$ $5$ $6$", r"~[^$\s:]{1,40}\$[./A-Za-z0-9]{22,86}", joined=True),
    *_formats("docker", "SWMTKN-1-", r"~[0-9a-z]{50}-[0-9a-z]{25}"),
    *_formats("docker", "SWMKEY-1-", r"~[A-Za-z0-9+/]{43}"),
    *_formats("nats", "SU SA SO", r"~[A-Z2-7]{56}(?![A-Z0-9])"),
    *_formats("akamai", "akab- akaa-", r"~[a-z0-9]{16}-[a-z0-9]{16}"),
    *_formats("instagram", "IGQV IGQW IGAA", rf"~{_W}{{60,400}}"),
    *_formats("llama", "llx-", rf"~{_W}{{40,60}}"),
    *_formats("postman", "PMAT-", r"~[A-Z0-9]{26}(?![A-Z0-9])"),
    *_formats("llama", "LLM|", rf"~\d{{10,20}}\|{_W}{{20,60}}"),
    *_formats("together", "tgp_v1_", rf"~{_W}{{40,60}}"),
    *_formats("salesforce", "3MVG9", r"~[A-Za-z0-9_.]{60,120}"),
    *_formats("salesforce", "5Aep861", r"~[A-Za-z0-9_.]{60,120}"),
    *_formats("wundergraph", "cosmo_", rf"~{_HEX}{{32}}(?!{_N})"),
    *_formats("packagist", "packagist_ort_ packagist_out_ packagist_uut_", rf"~{_HEX}{{60,80}}"),
    # Watching and data
    *_formats("newrelic", "NRAK- NRAA- NRRA- NRJS- NRII- NRIQ- NRAL- NRBR-", rf"~{_W}{{19,64}}"),
    *_formats("datadog", "ddapi_ ddpat_ ddapp_", rf"~{_N}{{30,60}}"),
    *_formats("mapbox", "sk. pk.", rf"~{_W}{{20,200}}\.{_W}{{20,30}}"),
    *_formats("maxmind", "_mmk", rf"{_N}{{6}}_{_N}{{29}}_mmk", back=_ALNUM + "_"),
    *_formats("frameio", "fio-u-", r"~[A-Za-z0-9_=-]{64}"),
    *_formats("rapidapi", "jsn", rf"{_N}{{30,45}}jsn{_N}{{10,12}}(?!{_N})", back=_ALNUM),
    *_formats("cloudinary", "cloudinary://", rf"~\d{{10,20}}:{_W}{{20,40}}"),
    *_formats(
        "jwt", "eyJ eyA ewo ew0", rf"~{_W}{{7,4000}}\.{_W}{{2,8000}}\.(?:{_W}{{10,2000}}={{0,2}})?", long=True
    ),
    *_formats(
        "jwt",
        "ey",
        rf"~{_N}{{17,4000}}\.ey[A-Za-z0-9_/\\-]{{17,8000}}\.(?:[\w/\\-]{{10,2000}}={{0,2}})?",
        long=True,
    ),
    *_formats("jwt", "ZXlK", r"~[A-Za-z0-9+/_\\\s-]{60,8000}={0,2}", long=True),
    *_formats("facebook", "| %", rf"\d{{15,16}}~{_W}{{27,40}}", back="0123456789"),
    *_formats("twitter", "AAAAAAAAAAAAAAAAAAAAAA", r"~[A-Za-z0-9%]{60,120}", long=True),
    *_formats("freemius", "sk_", rf"~[\w.!#%&*+-]{{29}}(?!{_N})"),
    *_formats("clickhouse", "4b1d", rf"~{_N}{{38}}(?!{_N})"),
    *_formats(
        "authress",
        ".acc- .acc_",
        r"(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}~[a-z0-9-]{10,40}\.[A-Za-z0-9+/_=-]{30,120}",
        back=_ALNUM + "_.",
    ),
    *_formats("aws", "bedrock-api-key-", r"~[A-Za-z0-9+/_-]{20,3000}={0,2}"),
    *_formats(
        "jwe",
        "eyJ",
        rf"~{_W}{{10,4000}}\.{_W}{{0,2000}}\.{_W}{{10,2000}}\.{_W}{{10,8000}}\.{_W}{{10,200}}",
        long=True,
    ),
    *_formats("jwt", "eyJ", rf"~{_W}{{15,4000}}\.eyJ{_W}{{15,8000}}", long=True),  # without a signature
    *_formats(
        "github", "ghs_", rf"~\d{{1,20}}_ey{_W}{{15,400}}\.{_W}{{15,2000}}(?:\.{_W}{{10,900}})?", joined=True
    ),
    *_formats("asana", "0/ 1/ 2/", rf"~\d{{13,20}}(?:/\d{{13,20}})?:{_HEX}{{32}}(?!{_N})"),
    *_formats("dropbox", "sl.", rf"~{_W}{{60,2000}}"),
    *_formats("posthog", "phx_ phs_ phr_ pha_", rf"~{_N}{{40,60}}"),
    *_formats("pinecone", "pcsk_", rf"~{_N}{{4,8}}_{_N}{{40,80}}"),
    *_formats("neon", "napi_", rf"~{_N}{{40,80}}"),
    *_formats("supabase", "sb_secret_", rf"~{_W}{{20,60}}"),
    *_formats("vercel", "vcp_ vci_ vca_ vcr_ vck_", rf"~{_N}{{24,80}}(?!{_N})"),
    *_formats("vercel", "vercel_blob_rw_", rf"~{_N}{{10,30}}_{_N}{{20,40}}"),
    *_formats("resend", "re_", rf"~{_N}{{8}}_{_N}{{24}}(?!{_N})"),
    *_formats("elevenlabs", "sk_", r"~[0-9a-f]{48}(?![A-Za-z0-9])"),
    *_formats("fireworks", "fw_", rf"~{_N}{{22,30}}(?!{_W})"),
    *_formats("langfuse", "sk-lf-", rf"~{_UUID}"),
    *_formats("tavily", "tvly-", rf"~(?:dev-|prod-)?{_N}{{30,40}}"),
    *_formats("jina", "jina_", rf"~[0-9a-f]{{32}}{_W}{{24,32}}"),
    *_formats("yandex", "y0_ y1_ y2_ y3_", rf"~{_W}{{54,64}}"),
    *_formats("hubspot", "pat-na1- pat-na2- pat-eu1- pat-ap1-", rf"~{_UUID}"),
    *_formats("twitch", "live_", rf"~\d{{6,12}}_{_N}{{28,34}}(?!{_N})"),
    *_formats("newrelic", "NRAL", rf"{_N}{{34,38}}NRAL(?!{_N})", back=_ALNUM),
    *_formats("newrelic", "px-dep- px-api-", rf"~{_UUID}"),
    *_formats("dependency_track", "odt_", rf"~{_N}{{32,48}}(?!{_N})"),
    *_formats("linkedin", "WPL_AP", r"~\d\.[A-Za-z0-9.]{12,30}(?:\.[A-Za-z0-9+/]{6,10}={0,2})?"),
    *_formats("linear", "lin_wh_", rf"~{_N}{{32,64}}"),
    *_formats("salesforce", "00D", r"~[A-Za-z0-9]{9,15}![A-Za-z0-9_.]{80,130}"),
    *_formats("teams_webhook", "outlook.office.com/webhook/", r"~[A-Za-z0-9@/-]{80,220}"),
    *_formats("tencent", "AKID", rf"~{_N}{{28,36}}(?!{_N})"),
    *_formats("facebook", "EAA", rf"~{_N}{{80,300}}(?!{_W})"),
    *_formats("cerebras", "csk-", rf"~[a-z0-9]{{40,60}}(?!{_W})"),
    *_formats("mergify", "mka_", rf"~{_N}{{40,90}}"),
    *_formats("github", "v1.", r"~[0-9a-f]{40}(?![A-Za-z0-9])"),
    *_formats("buildkite", "bkpt_ bkat_ bkct_", rf"~{_N}{{36,80}}"),
    *_formats("gitlab", "_gitlab_token= glwt- glsoat- glpkg-", r"~[A-Za-z0-9_.-]{20,300}", joined=True),
    *_formats("mongodb", "mdb_sa_sk_", rf"~{_W}{{36,60}}"),
    *_formats("pagarme", "ak_live_ ak_test_", rf"~{_N}{{28,40}}"),
    *_formats("clickup", "pk_", r"~\d{5,10}_[A-Z0-9]{32}(?![A-Za-z0-9])"),
    *_formats("segment", "sgp_", rf"~{_N}{{60,70}}(?!{_N})"),
    *_formats("ionic", "ion_", rf"~{_N}{{42}}(?!{_N})"),
    *_formats("telnyx", "KEY", rf"~[A-Z0-9]{_W}{{54}}(?!{_W})"),
    *_formats("aws", "da2-", r"~[a-z0-9]{26}(?![A-Za-z0-9])"),
    *_formats("kolide", "k2sk_v1_", rf"~{_N}{{24,40}}"),
    *_formats(
        "onfido", "api_live. api_live_ca. api_live_us. api_sandbox.", rf"~{_W}{{10,16}}\.{_W}{{28,40}}"
    ),
)
