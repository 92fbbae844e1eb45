//! Credentials of a recognizable format.
//!
//! Each rule is one row. The formats are those that the issuers document. All repetitions are bounded, so that each
//! keyword of a hostile text costs a bounded amount.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex::bytes::Regex;

use super::pattern::pattern;
use super::{base64, value};

/// A credential format.
pub(super) struct CredentialFormat {
    /// The word in the marker.
    pub(super) kind: &'static str,
    /// Keywords, matched in any case. Each such credential holds one of them.
    pub(super) keywords: &'static [&'static str],
    /// The pattern at the keyword. Its group `secret`, or else the whole match, is redacted.
    pattern: &'static str,
    /// Maximum number of bytes before the keyword at which the credential may start.
    back: usize,
    /// Whether the credential may start at a place of the text.
    opens: fn(&[u8], usize) -> bool,
    /// Minimum entropy (Shannon, bits per character), so that `ghp_xxxxxxxx` is kept.
    entropy: f64,
    /// Further condition on the secret.
    check: fn(&[u8]) -> bool,
}

const fn row(kind: &'static str, keywords: &'static [&'static str], pattern: &'static str) -> CredentialFormat {
    CredentialFormat { kind, keywords, pattern, back: 0, opens: value::opens_word, entropy: 2.8, check: |_| true }
}

impl CredentialFormat {
    const fn back(self, back: usize) -> Self {
        Self { back, ..self }
    }

    /// Lets the keyword continue a word.
    const fn within_word(self) -> Self {
        Self { opens: |_, _| true, ..self }
    }

    const fn opens(self, opens: fn(&[u8], usize) -> bool) -> Self {
        Self { opens, ..self }
    }

    const fn entropy(self, entropy: f64) -> Self {
        Self { entropy, ..self }
    }

    const fn check(self, check: fn(&[u8]) -> bool) -> Self {
        Self { check, ..self }
    }
}

impl CredentialFormat {
    fn compiled(&self) -> Regex {
        match self.back {
            0 => pattern(&format!(r"\A(?:{})", self.pattern)),
            back => pattern(&format!(r"\A[\s\S]{{0,{back}}}?(?P<secret>{})", self.pattern)),
        }
    }
}

/// The first base64 characters of numeric ids: Discord tokens start with that of their account.
#[rustfmt::skip]
const SNOWFLAKES: &[&str] = &[
    "MTA", "MTE", "MTI", "MTM", "MTQ", "MTU", "MTY", "MTc", "MTg", "MTk", "MjA", "MjE", "MjI", "MjM", "MjQ", "MjU",
    "MjY", "Mjc", "Mjg", "Mjk", "MzA", "MzE", "MzI", "MzM", "MzQ", "MzU", "MzY", "Mzc", "Mzg", "Mzk", "NDA", "NDE",
    "NDI", "NDM", "NDQ", "NDU", "NDY", "NDc", "NDg", "NDk", "NTA", "NTE", "NTI", "NTM", "NTQ", "NTU", "NTY", "NTc",
    "NTg", "NTk", "NjA", "NjE", "NjI", "NjM", "NjQ", "NjU", "NjY", "Njc", "Njg", "Njk", "NzA", "NzE", "NzI", "NzM",
    "NzQ", "NzU", "NzY", "Nzc", "Nzg", "Nzk", "ODA", "ODE", "ODI", "ODM", "ODQ", "ODU", "ODY", "ODc", "ODg", "ODk",
    "OTA", "OTE", "OTI", "OTM", "OTQ", "OTU", "OTY", "OTc", "OTg", "OTk",
];

/// All credential formats.
#[rustfmt::skip]
pub(super) static FORMATS: &[CredentialFormat] = &[
    // Clouds
    row("aws-access-key", &["AKIA", "ASIA", "ABIA", "ACCA"], r"A(?:KI|SI|BI|CC)A[A-Z0-9]{16}\b"),
    row("aws-secret-key", &["secret_access_key", "secretaccesskey", "secret_key", "secret access key"],
        r#"(?i)secret[_ ]?(?:access)?[_ ]?key["'`*]{0,3}[ \t]{0,8}[:=][=>]?[ \t]{0,8}["'`*]{0,3}(?P<secret>[a-z0-9/+]{40})(?:[^a-z0-9/+=]|\z)"#).within_word().entropy(3.7),
    row("aws-bedrock-key", &["ABSK"], r"ABSK[A-Za-z0-9+/]{100,270}={0,2}").check(value::has_mixed_case),
    row("aws-bedrock-key", &["bedrock-api-key-"], r"bedrock-api-key-[A-Za-z0-9+/=_-]{20,2000}"),
    row("gcp-key", &["AIza"], r"AIza[A-Za-z0-9_-]{35,45}"),
    row("gcp-token", &["ya29."], r"ya29\.[A-Za-z0-9_.-]{20,2000}"),
    row("gcp-client-secret", &["GOCSPX-"], r"GOCSPX-[A-Za-z0-9_-]{24,40}"),
    row("azure-key", &["AccountKey=", "SharedAccessKey="], r"(?i)(?:account|sharedaccess)key=(?P<secret>[a-z0-9+/]{40,90}={0,2})").within_word(),
    row("azure-signature", &["sig="], r"sig=(?P<secret>[A-Za-z0-9+/%]{43,70}(?:%3[Dd]|=))"),
    row("azure-client-secret", &["Q~"], r"[A-Za-z0-9_.~-]{3}[0-9]Q~[A-Za-z0-9_.~-]{31,34}").back(4),
    // 84 characters with a fixed mark before the last four, or 52 of base32 beside the service's name
    row("azure-token", &["AZDO"], r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}\b").back(76).check(value::has_mixed_case),
    row("azure-token", &["azure", "devops", "visualstudio"], r#"(?i)(?:azure|devops|visualstudio)[^\n\[]{0,80}?[^a-z0-9_.\n\[-](?P<secret>(?-i:[a-z2-7]{52}))\b"#).within_word().check(value::looks_random),
    row("azure-key", &["JQQJ9"], r"[A-Za-z0-9]{52}JQQJ9[A-Za-z0-9]{20,30}\b").back(52).check(value::has_mixed_case),
    row("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], r"do[opr]_v1_[a-f0-9]{64}"),
    row("cloudflare-key", &["v1.0-"], r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}"),
    row("alibaba-key", &["LTAI"], r"LTAI[A-Za-z0-9]{16,24}\b").check(value::has_mixed_case),
    row("databricks-token", &["dapi"], r"dapi[a-f0-9]{32}(?:-[0-9])?\b"),
    row("fly-token", &["fo1_", "fm1_", "fm2_"], r"f(?:o1|m1[ar]?|m2)_[A-Za-z0-9+/_=-]{40,2000}"),
    row("heroku-key", &["HRKU-"], r"HRKU-[A-Za-z0-9_-]{30,80}"),
    row("planetscale-token", &["pscale_"], r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30,70}"),
    row("supabase-key", &["sbp_", "sb_secret_"], r"sb(?:p|_secret)_[A-Za-z0-9_-]{20,60}"),
    row("terraform-token", &[".atlasv1."], r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,80}").back(14),
    row("vault-token", &["hvs.", "hvb.", "hvr."], r"hv[sbr]\.[A-Za-z0-9_-]{24,300}"),
    row("doppler-token", &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa."], r"dp\.(?:pt|st|ct|sa)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}"),
    row("tailscale-key", &["tskey-"], r"tskey-[a-z]{2,10}-[A-Za-z0-9]{8,40}(?:-[A-Za-z0-9]{8,60})?"),
    row("pulumi-token", &["pul-"], r"pul-[a-f0-9]{40}"),
    row("openshift-token", &["sha256~"], r"sha256~[A-Za-z0-9_-]{43}\b"),
    row("scalingo-token", &["tk-us-"], r"tk-us-[A-Za-z0-9_-]{48}"),
    row("yandex-key", &["AQVN", "YCA", "YCP", "YCN"], r"(?:AQVN[A-Za-z0-9_-]{35,38}|YC[APN][A-Za-z0-9_-]{37,40})\b").opens(value::opens_base64).check(value::has_mixed_case),
    row("defined-networking-key", &["dnkey-"], r"dnkey-[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}"),

    // Code and packages
    row("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"gh[pousr]_[A-Za-z0-9]{36,255}"),
    row("github-token", &["github_pat_"], r"github_pat_[A-Za-z0-9_]{36,255}"),
    row("gitlab-token", &["glpat-", "gldt-", "glrt-", "glptt-", "glft-", "glcbt-", "glimt-", "glagent-", "gloas-", "glsoat-", "glffct-"],
        r"gl(?:pat|dt|rt|ptt|ft|cbt|imt|agent|oas|soat|ffct)-[A-Za-z0-9_.-]{20,300}"),
    row("gitlab-token", &["GR1348941"], r"GR1348941[A-Za-z0-9_-]{20,50}"),
    row("gitlab-session", &["_gitlab_session="], r"_gitlab_session=(?P<secret>[0-9a-z]{32})"),
    row("npm-token", &["npm_"], r"npm_[A-Za-z0-9]{36}\b"),
    row("pypi-token", &["pypi-"], r"pypi-[A-Za-z0-9_-]{50,1000}"),
    row("rubygems-key", &["rubygems_"], r"rubygems_[a-f0-9]{48}"),
    row("crates-token", &["cio"], r"cio[A-Za-z0-9]{32}\b").check(value::has_mixed_case),
    row("nuget-key", &["oy2"], r"oy2[a-z0-9]{43}\b"),
    row("docker-token", &["dckr_pat_", "dckr_oat_"], r"dckr_[po]at_[A-Za-z0-9_-]{24,60}"),
    row("artifactory-key", &["AKCp"], r"AKCp[A-Za-z0-9]{60,80}\b"),
    row("artifactory-token", &["cmVmd"], r"cmVmd[A-Za-z0-9]{59}\b").opens(value::opens_base64).check(value::has_mixed_case),
    row("clojars-token", &["CLOJARS_"], r"CLOJARS_[A-Za-z0-9]{60}"),
    row("sourcegraph-token", &["sgp_"], r"sgp_(?:[A-Fa-f0-9]{16}_|local_)?[A-Fa-f0-9]{40}\b"),
    row("harness-token", &["pat.", "sat."], r"[ps]at\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}\b"),
    row("infracost-key", &["ico-"], r"ico-[A-Za-z0-9]{32}\b"),
    row("sidekiq-key", &["contribsys__com"], r#"(?i)contribsys__com["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?P<secret>[a-f0-9]{8}:[a-f0-9]{8})\b"#).within_word().entropy(2.0),
    row("prefect-key", &["pnu_"], r"pnu_[A-Za-z0-9]{36}\b"),
    row("readme-key", &["rdme_"], r"rdme_[a-z0-9]{70}"),
    row("dynatrace-token", &["dt0c01.", "dt0s01.", "dt0s02."], r"dt0[cs]0[12]\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}"),
    row("sonar-token", &["sqa_", "sqp_", "squ_"], r"sq[apu]_[a-f0-9]{40}\b"),
    row("authress-key", &["sc_", "ext_", "scauth_", "authress_"], r"(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][A-Za-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,120}"),
    row("settlemint-token", &["sm_aat_", "sm_pat_", "sm_sat_"], r"sm_[aps]at_[A-Za-z0-9]{16}\b"),
    row("intra42-secret", &["s-s4t2ud-", "s-s4t2af-"], r"s-s4t2(?:ud|af)-[a-f0-9]{64}"),
    row("circleci-token", &["CCIPAT_", "CCIPRJ_"], r"CCI(?:PAT|PRJ)_[A-Za-z0-9_-]{30,80}"),
    row("buildkite-token", &["bkua_"], r"bkua_[a-z0-9]{40}"),
    row("sentry-token", &["sntrys_", "sntryu_"], r"sntry[su]_[A-Za-z0-9+/=_-]{40,300}"),
    row("postman-key", &["PMAK-"], r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    row("grafana-token", &["glc_", "glsa_"], r"gl(?:c|sa)_[A-Za-z0-9+/=_]{32,400}").check(value::has_mixed_case),
    row("grafana-key", &["eyJrIjoi"], r"eyJrIjoi[A-Za-z0-9]{70,400}={0,3}").opens(value::opens_base64url).check(value::has_mixed_case),
    row("mapbox-token", &["sk.eyJ"], r"sk\.eyJ[A-Za-z0-9_-]{50,200}\.[A-Za-z0-9_-]{20,30}"),
    row("frameio-token", &["fio-u-"], r"fio-u-[A-Za-z0-9=_-]{64}"),
    row("typeform-token", &["tfp_"], r"tfp_[A-Za-z0-9=_.-]{59}"),
    row("newrelic-key", &["NRAK-", "NRII-", "NRJS-"], r"NR(?:AK|II|JS)-[A-Za-z0-9_-]{19,40}"),
    row("atlassian-token", &["ATATT3", "ATCTT3", "ATBB"], r"(?:AT[AC]TT3[A-Za-z0-9_=-]{50,300}|ATBB[A-Za-z0-9]{24,40}\b)"),
    row("linear-key", &["lin_api_", "lin_oauth_"], r"lin_(?:api|oauth)_[A-Za-z0-9]{32,80}"),
    row("notion-token", &["ntn_"], r"ntn_[A-Za-z0-9]{40,60}"),
    row("notion-token", &["secret_"], r"secret_[A-Za-z0-9]{43}\b").check(value::has_mixed_case),
    row("airtable-token", &["pat"], r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    row("figma-token", &["figd_"], r"figd_[A-Za-z0-9_-]{35,60}"),

    // The keys of tars itself (http/keys.rs)
    row("tars-token", &["tars_"], r"tars_[a-f0-9]{40}\b"),

    // Models
    row("anthropic-key", &["sk-ant-"], r"sk-ant-[a-z0-9]{2,10}-[A-Za-z0-9_-]{20,200}"),
    row("openai-key", &["sk-"], r"sk-(?:[a-z0-9]{2,10}-){0,3}[A-Za-z0-9_-]{20,200}").entropy(3.2).check(value::looks_random),
    row("huggingface-token", &["hf_", "api_org_"], r"(?:hf|api_org)_[A-Za-z0-9]{30,40}\b").check(value::has_mixed_case),
    row("groq-key", &["gsk_"], r"gsk_[A-Za-z0-9]{40,60}"),
    row("xai-key", &["xai-"], r"xai-[A-Za-z0-9]{60,90}"),
    row("perplexity-key", &["pplx-"], r"pplx-[A-Za-z0-9]{40,60}"),
    row("replicate-token", &["r8_"], r"r8_[A-Za-z0-9]{37}\b"),
    row("langsmith-key", &["lsv2_"], r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    row("pinecone-key", &["pcsk_"], r"pcsk_[A-Za-z0-9_]{50,90}"),
    row("tavily-key", &["tvly-"], r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{28,60}"),

    // Messages
    row("slack-token", &["xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"],
        r"(?:xox[a-eoprs]|xapp|xoxe\.xox[bp])-[A-Za-z0-9%/+-]{10,300}").check(value::has_digit),
    row("webhook", &["hooks.slack.com/"], r"(?i)hooks\.slack\.com/(?-i:services|workflows|triggers)/(?P<secret>[A-Za-z0-9/_+-]{20,120})"),
    row("webhook", &["/api/webhooks/"], r"/api/webhooks/[0-9]{15,20}/(?P<secret>[A-Za-z0-9_-]{50,80})").within_word(),
    row("webhook", &["webhook.office.com/"], r"webhook\.office\.com/webhookb2/(?P<secret>[A-Za-z0-9@/_-]{60,200})").within_word(),
    row("discord-token", &["discord"], r#"(?i)discord[^\n\[]{0,80}?[^a-z0-9_.\n\[-](?P<secret>(?-i:[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}))"#),
    row("discord-token", SNOWFLAKES, r"[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}\b").opens(value::opens_base64url).check(discord),
    row("x-token", &["AAAAAAAAAAAAAAAAAAAA"], r"A{20,22}(?P<secret>[A-Za-z0-9]{1,40}%[A-Za-z0-9%]{30,120})").within_word(),
    row("telegram-token", &[":AA"], r"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,34}").back(10),
    row("sendgrid-key", &["SG."], r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}"),
    row("mailgun-key", &["key-"], r"key-[a-f0-9]{32}\b"),
    row("mailchimp-key", &["-us"], r"[a-f0-9]{32}-us[0-9]{1,2}\b").back(32),
    row("brevo-key", &["xkeysib-"], r"xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    row("twilio-key", &["SK"], r"SK[a-f0-9]{32}\b"),

    // Money and shops
    row("stripe-key", &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_", "rk_prod_"], r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,250}"),
    row("stripe-webhook-secret", &["whsec_"], r"whsec_[A-Za-z0-9+/=]{24,70}").check(value::has_mixed_case),
    row("square-token", &["sq0atp-", "sq0csp-"], r"sq0(?:atp|csp)-[A-Za-z0-9_-]{22,60}"),
    row("square-token", &["EAAA"], r"(?P<secret>EAAA[A-Za-z0-9_-]{60})(?:[^A-Za-z0-9+/=_-]|\z)").opens(value::opens_base64).check(value::has_mixed_case),
    row("facebook-token", &["EAA"], r"(?P<secret>EAA[A-Za-z0-9]{90,400})(?:[^A-Za-z0-9+/=]|\z)").opens(value::opens_base64).check(value::has_mixed_case),
    row("shopify-token", &["shpat_", "shpca_", "shppa_", "shpss_"], r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    row("easypost-key", &["EZAK", "EZTK"], r"EZ[AT]K[A-Za-z0-9]{54}\b"),
    row("flutterwave-key", &["FLWSECK-", "FLWSECK_TEST-"], r"FLWSECK(?:_TEST)?-[a-h0-9]{12}(?:[a-h0-9]{20}-X)?\b"),
    row("shippo-token", &["shippo_live_", "shippo_test_"], r"shippo_(?:live|test)_[a-f0-9]{40}"),
    row("duffel-token", &["duffel_live_", "duffel_test_"], r"duffel_(?:live|test)_[A-Za-z0-9_=-]{43}"),
    row("dropbox-token", &["sl."], r"sl\.(?:u\.)?[A-Za-z0-9_-]{120,1500}"),

    // Cryptographic keys
    row("age-key", &["AGE-SECRET-KEY-1"], r"(?i)AGE-SECRET-KEY-1[a-z0-9]{50,70}"),
    row("onepassword-token", &["ops_eyJ"], r"ops_eyJ[A-Za-z0-9+/=_-]{100,2000}"),
    row("onepassword-key", &["A3-"], r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}\b"),
    row("otp-secret", &["otpauth://"], r#"(?i)otpauth://[^\s"'<>?\[]{0,200}\?[^\s"'<>\[]{0,300}?secret=(?P<secret>[a-z2-7]{8,128}={0,6})"#).within_word().entropy(2.0),
    row("otp-secret", &["otpauth-migration://"], r#"(?i)otpauth-migration://[^\s"'<>?\[]{0,200}\?data=(?P<secret>[a-z0-9+/%_=-]{16,})"#).within_word(),
    row("private-key", &["LS0tLS1CRUdJTi"], r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{40,}={0,2}").within_word().check(pem),
    row("private-key", &["client-key-data"], r#"(?i)client-key-data["'`]?[ \t]{0,8}:[ \t]{0,8}["'`]?(?P<secret>[a-z0-9+/]{40,}={0,2})"#),
    row("wallet-key", &["xprv", "zprv", "yprv"], r"[xyz]prv[1-9A-HJ-NP-Za-km-z]{100,112}\b"),
    row("jwt", &["eyJ"], r"eyJ[A-Za-z0-9_-]{10,700}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+){0,2}").opens(value::opens_base64url).check(jwt),

    row("jwt", &["ZXlK"], r"ZXlK[A-Za-z0-9+/_-]{60,}={0,2}").opens(value::opens_base64).check(jwt_in_base64),

    // Places that hold credentials
    row("docker-auth", &["auth\"", "auth'", "auth:", "auth=", "auth ="], r#"(?i)auth["'`]?\s{0,8}[:=]\s{0,8}["'`]?(?P<secret>[a-z0-9+/]{6,500}={0,2})"#).within_word().entropy(2.0).check(basic),
    row("docker-auth", &["eyJhdXRocyI6"], r"eyJhdXRocyI6[A-Za-z0-9+/]{16,}={0,2}").opens(value::opens_base64),
    row("password", &["machine "], r"(?i)machine[ \t]{1,8}[^\s\[]{1,200}\s{1,16}login[ \t]{1,8}[^\s\[]{1,200}\s{1,16}(?:account[ \t]{1,8}[^\s\[]{1,200}\s{1,16})?password[ \t]{1,8}(?P<secret>[^\s\[]{1,200})").entropy(0.0).check(value::url_password),
    row("password", &["login "], r"(?i)login[ \t]{1,8}[^\s\[]{1,200}\s{1,16}password[ \t]{1,8}(?P<secret>[^\s\[]{1,200})").entropy(0.0).check(netrc),
    row("url-password", &["://"], r#"://[^\s/?#@:'"<>`\[]{0,100}:(?P<secret>[^\s/?#'"<>`\\]{1,400})@[A-Za-z0-9\[_%$]"#).within_word().entropy(0.0).check(value::url_password),
    row("authorization", &["authorization"],
        r#"(?i)authorization["'`*]{0,3}[ \t]{0,8}[:=,][ \t]{0,8}["'`*]{0,3}(?:(?:bearer|basic|token|bot|apikey|digest)[ \t]+)?(?P<secret>[a-z0-9._~+/=:-]{8,2000})"#).within_word().entropy(2.0).check(bearer),
    row("authorization", &["bearer "], r"(?i)bearer[ \t]{1,4}(?P<secret>[a-z0-9._~+/=-]{16,2000})").check(value::looks_random),
    row("authorization", &["basic "], r"(?i)basic[ \t]{1,4}(?P<secret>[a-z0-9+/]{8,300}={0,2})").entropy(2.0).check(basic),
    row("password", &["curl "], r#"(?i)curl(?:[ \t][^\n\[]{0,300}?)?[ \t](?-i:-u|--user|--proxy-user)[ =]{0,4}["']?[^\s:'"\[]{0,80}:["']?(?P<secret>[^\s'"]{1,200})"#).entropy(0.0).check(value::url_password),
    row("password", &["curl "], r#"(?i)curl(?:[ \t][^\n\[]{0,300}?)?[ \t](?-i:-u|--user)[ =]{0,4}["']?(?P<secret>[^\s:'"\[]{8,200}):["'\s]"#).entropy(0.0).check(netrc),
    row("password", &["PGPASSWORD=", "MYSQL_PWD=", "SSHPASS=", "REDISCLI_AUTH=", "RESTIC_PASSWORD=", "BORG_PASSPHRASE=", "SQLCMDPASSWORD="],
        r#"(?i)[a-z_]{7,16}=["']?(?P<secret>[^\s'"`;&|\[]{1,200})"#).entropy(0.0).check(plain_value),

    // SQL: in the statements that set a password, and where capitals or quotes say that it is one
    row("password", &["create user ", "alter user ", "create role ", "alter role ", "create login ", "alter login ", "grant "],
        r#"(?i)(?:create|alter|grant)[ \t\r\n][^;\[]{1,300}?[ \t\r\n](?:identified[ \t\r\n][^;'"\[]{0,80}?by(?:[ \t]password)?|password)[ \t\r\n]{0,4}=?[ \t\r\n]{0,4}n?['"](?P<secret>[^'"\n\[]{1,200})['"]"#).entropy(0.0).check(plain_value),
    row("password", &["create user ", "alter user "],
        r#"(?i)(?:create|alter)[ \t]user[ \t][^\s\[]{1,80}[ \t\r\n]{1,4}identified[ \t]by[ \t](?P<secret>[^\s'"`;,()\[]{3,100})"#).entropy(0.0).check(oracle),
    row("password", &["IDENTIFIED "],
        r#"IDENTIFIED[ \t\r\n][^;'"\[]{0,80}?BY(?:[ \t]PASSWORD)?[ \t\r\n]{1,4}['"](?P<secret>[^'"\n\[]{1,200})['"]"#).entropy(0.0).check(plain_value),
    row("password", &["with password ", "with encrypted password ", "encrypted password "],
        r#"(?i)(?:with[ \t])?(?:encrypted[ \t])?password[ \t]{1,4}=?[ \t]{0,4}n?['"](?P<secret>[^'"\n\[]{1,200})['"]"#).entropy(0.0).check(plain_value),
    row("password", &["set password "],
        r#"(?i)set[ \t]password[ \t][^;\n\[]{0,100}?=[ \t]{0,4}(?:password[ \t]{0,2}\()?[ \t]{0,4}['"](?P<secret>[^'"\n\[]{1,200})['"]"#).entropy(0.0).check(plain_value),
];

static COMPILED: LazyLock<Vec<OnceLock<Regex>>> = LazyLock::new(|| FORMATS.iter().map(|_| OnceLock::new()).collect());

/// A match of a pattern.
pub(super) struct Match {
    pub(super) whole: Range<usize>,
    /// The part to redact; `None` if the match is no credential after all.
    pub(super) secret: Option<Range<usize>>,
}

/// Returns the match of row `index` whose keyword starts at `at`.
pub(super) fn find(index: usize, text: &[u8], at: usize) -> Option<Match> {
    let format = &FORMATS[index];
    if format.back == 0 && !(format.opens)(text, at) {
        return None;
    }
    let regex = COMPILED[index].get_or_init(|| format.compiled());
    let from = at.saturating_sub(format.back);
    let here = |found: regex::bytes::Match<'_>| from + found.start()..from + found.end();
    let (whole, secret) = if regex.captures_len() == 1 {
        let whole = here(regex.find(&text[from..])?);
        (whole.clone(), whole)
    } else {
        let captures = regex.captures(&text[from..])?;
        (here(captures.get(0)?), here(captures.name("secret")?))
    };
    let bytes = &text[secret.clone()];
    let credible = (format.back == 0 || (format.opens)(text, secret.start))
        && !value::is_placeholder(bytes)
        && value::entropy(bytes) >= format.entropy
        && (format.check)(bytes);
    Some(Match { whole, secret: credible.then_some(secret) })
}

/// Whether the first part of a JSON web token is a header (RFC 7515).
fn jwt(token: &[u8]) -> bool {
    let header = token.split(|byte| *byte == b'.').next().and_then(base64::decode);
    header.is_some_and(|header| header.starts_with(b"{") && header.windows(5).any(|window| window == b"\"alg\""))
}

/// Whether it is a user and a password (RFC 7617).
fn basic(secret: &[u8]) -> bool {
    let pair = base64::decode(secret);
    pair.is_some_and(|pair| pair.contains(&b':') && pair.iter().all(|byte| (0x20..0x7f).contains(byte)))
}

/// Whether it is a JSON web token encoded in base64 once more, as Kubernetes stores it.
fn jwt_in_base64(token: &[u8]) -> bool {
    base64::decode(token).is_some_and(|token| jwt(&token))
}

/// Whether it is a private key in PEM form, as kubeconfig files hold it. Certificates start the same way.
fn pem(token: &[u8]) -> bool {
    base64::decode(token).is_some_and(|text| text.windows(12).any(|window| window == b"PRIVATE KEY-"))
}

/// Whether its first part is the number of a Discord account.
fn discord(token: &[u8]) -> bool {
    let account = token.split(|byte| *byte == b'.').next().and_then(base64::decode);
    account.is_some_and(|account| account.len() >= 17 && account.iter().all(u8::is_ascii_digit))
}

/// Whether it looks like a password rather than a word of a sentence about logins.
fn netrc(secret: &[u8]) -> bool {
    value::looks_like_password(secret) && value::is_unlike_word(secret)
}

/// Whether it looks like the value of `Authorization:`.
fn bearer(secret: &[u8]) -> bool {
    basic(secret) || secret.len() >= 12 && value::looks_random(secret)
}

/// Whether a place for passwords holds one rather than something that stands for one.
fn plain_value(secret: &[u8]) -> bool {
    value::url_password(secret) && !value::is_reference(secret)
}

/// The same without quotes, where Oracle also has words of its own.
fn oracle(secret: &[u8]) -> bool {
    let is = |word: &str| secret.eq_ignore_ascii_case(word.as_bytes());
    plain_value(secret) && !["values", "globally", "externally", "email", "name"].into_iter().any(is)
}

#[cfg(test)]
pub(super) fn compile_all() {
    for format in FORMATS {
        format.compiled();
    }
}
