// The built-in rules for secrets, as data. A rule is part of the format: a replay uses the rule ids of the recording. A pattern
// therefore never changes, and a better one is a new rule with a new id. Every pattern is bounded: no `*`, `+` or `{n,}` outside a
// class. A text of n characters costs at most n times a constant, which a test checks.

import { hasDigitAndLetter, isAssigned, isBasicCredential, isJwt, isPassword, isPaymentCard } from "./checks.js";

/** One kind of secret. */
export interface RedactionRule {
  /** Lower-case words joined with `-`. Appears in the placeholder and in `extensions.redacted`. */
  readonly id: string;
  /** A short description of the secret, for people. */
  readonly description: string;
  /** Source of a regular expression. The group `secret`, if there is one, is the secret, and otherwise the whole match. */
  readonly pattern: string;
  /** Source of an expression that matches in every text that `pattern` matches in. All rules' `near` are tested together first. */
  readonly near: string;
  /** Decides whether a match is a secret. Without it, every match is one. */
  readonly check?: (secret: string) => boolean;
}

/** The characters of most vendors' tokens. */
const TOKEN = "[A-Za-z0-9_-]";

function token(id: string, description: string, near: string, rest: string): RedactionRule {
  return { id, description, near, pattern: `(?<![A-Za-z0-9])(?:${near})${rest}` };
}

/** Names of secrets, also as the end of a longer name: `DB_PASSWORD`, `clientSecret`. Page and cursor tokens are excluded. */
const ASSIGNED =
  "(?:[Pp]ass(?:[Ww]or|w)d|PASS(?:WOR|W)D|[Pp]assphrase|PASSPHRASE|[Ss]ecret(?:[_-]?[Kk]ey)?|SECRET(?:[_-]?KEY)?|" +
  "[Aa][Pp][Ii][_-]?[Kk](?:ey|EY)|(?<!(?:[Pp]age|[Nn]ext|[Cc]ontinuation|[Cc]ursor|[Ss]ync|PAGE|NEXT)[_-]?)(?:[Tt]oken|TOKEN))" +
  "[\"'`*\\\\]{0,4}[ \\t]{0,5}";

/** Freezes the rules, so that the finder compiled from them can be cached. */
function frozen(rules: RedactionRule[]): readonly RedactionRule[] {
  return Object.freeze(rules.map((rule) => Object.freeze(rule)));
}

/** The rules used by default. If several find the same secret, the first in this order names it. */
export const SECRET_RULES: readonly RedactionRule[] = frozen([
  token("anthropic-key", "Anthropic API key", "sk-ant-", `${TOKEN}{16,200}`),
  { ...token("openai-key", "OpenAI API key", "sk-(?!ant-)", `${TOKEN}{20,200}`), check: hasDigitAndLetter },
  token("github-token", "GitHub token", "gh[pousr]_|github_pat_", "[A-Za-z0-9_]{20,255}"),
  token("gitlab-token", "GitLab token", "gl(?:pat|dt|rt|ptt|cbt|oas)-", `${TOKEN}{16,300}`),
  token("slack-token", "Slack token", "xox[abeoprs]-|xapp-", "[A-Za-z0-9-]{10,250}"),
  token("slack-webhook", "Slack webhook URL", "hooks\\.slack\\.com/(?:services|workflows)/", "[A-Za-z0-9/_-]{20,120}"),
  token(
    "stripe-key",
    "Stripe secret or restricted key, webhook secret",
    "[sr]k_(?:live|test)_|whsec_",
    "[A-Za-z0-9]{10,250}",
  ),
  token("aws-access-key-id", "AWS access key id", "AKIA|ASIA", "[A-Z2-7]{16}(?![A-Za-z0-9])"),
  {
    id: "aws-secret-key",
    description: "AWS secret access key after its name",
    near: "[Ss](?:ecret|ECRET)_?[Aa](?:ccess|CCESS)_?[Kk]",
    pattern:
      "[Ss](?:ecret|ECRET)_?[Aa](?:ccess|CCESS)_?[Kk](?:ey|EY)[\"'\\\\]{0,3}\\s{0,5}[:=]\\s{0,5}[\"'\\\\]{0,3}" +
      "(?<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])",
  },
  token("google-api-key", "Google API key", "AIza", `${TOKEN}{35}(?!${TOKEN})`),
  token("google-oauth", "Google OAuth token or client secret", "ya29\\.|GOCSPX-", `${TOKEN}{20,500}`),
  token("npm-token", "npm token", "npm_", "[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
  token("pypi-token", "PyPI token", "pypi-AgE", `${TOKEN}{50,500}`),
  token("huggingface-token", "Hugging Face token", "hf_", "[A-Za-z0-9]{30,100}"),
  token("groq-key", "Groq API key", "gsk_", "[A-Za-z0-9]{20,100}"),
  token("xai-key", "xAI API key", "xai-", "[A-Za-z0-9]{20,200}"),
  { ...token("perplexity-key", "Perplexity API key", "pplx-", "[A-Za-z0-9]{20,100}"), check: hasDigitAndLetter },
  token("replicate-token", "Replicate token", "r8_", "[A-Za-z0-9]{30,60}"),
  token("sendgrid-key", "SendGrid API key", "SG\\.", `${TOKEN}{16,32}\\.${TOKEN}{16,64}`),
  token("twilio-key", "Twilio API key", "SK(?=[0-9a-f]{32})", "[0-9a-f]{32}(?![A-Za-z0-9])"),
  token("digitalocean-token", "DigitalOcean token", "do[opr]_v1_", "[0-9a-f]{40,80}"),
  token("shopify-token", "Shopify token", "shp(?:at|ca|pa|ss)_", "[0-9a-fA-F]{32}(?![A-Za-z0-9])"),
  token("databricks-token", "Databricks token", "dapi(?=[0-9a-f]{32})", "[0-9a-f]{32}(?:-[0-9])?(?![A-Za-z0-9])"),
  token("docker-token", "Docker access token", "dckr_(?:pat|oat)_", `${TOKEN}{20,100}`),
  token("linear-key", "Linear API key", "lin_api_", "[A-Za-z0-9]{30,80}"),
  token("notion-token", "Notion token", "ntn_", "[A-Za-z0-9]{30,80}"),
  token("telegram-token", "Telegram bot token", "[0-9]{8,10}:AA", `${TOKEN}{33}(?!${TOKEN})`),
  {
    id: "azure-key",
    description: "key in an Azure connection string",
    near: "AccountKey=|AccessKey=",
    pattern: "(?:AccountKey|AccessKey)=(?<secret>[A-Za-z0-9+/]{40,100}={0,2})",
  },
  {
    id: "private-key",
    description: "private key in PEM, complete or truncated",
    near: "PRIVATE KEY",
    pattern:
      "-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!-)){16,16000}" +
      "(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?",
  },
  {
    id: "jwt",
    description: "JSON Web Token",
    near: "eyJ",
    pattern: `(?<![A-Za-z0-9_-])eyJ${TOKEN}{8,2000}\\.eyJ${TOKEN}{4,8000}\\.${TOKEN}{0,2000}`,
    check: isJwt,
  },
  {
    id: "bearer-token",
    description: "token after the word Bearer",
    near: "[Bb](?:earer|EARER)\\s",
    pattern: "(?<![A-Za-z0-9])[Bb](?:earer|EARER)\\s{1,5}(?<secret>[A-Za-z0-9._~+/-]{16,4000}={0,2})",
    check: hasDigitAndLetter,
  },
  {
    id: "basic-credentials",
    description: "name and password after the word Basic",
    near: "[Bb](?:asic|ASIC)\\s",
    pattern: "(?<![A-Za-z0-9])[Bb](?:asic|ASIC)\\s{1,5}(?<secret>[A-Za-z0-9+/]{8,1000}={0,2})",
    check: isBasicCredential,
  },
  {
    id: "url-password",
    description: "password in a URL",
    near: "://",
    pattern: "://[^\\s/@:\"'<>?#]{0,100}:(?<secret>[^\\s/@\"'<>?#]{3,200})@",
    check: isPassword,
  },
  {
    id: "payment-card",
    description: "payment card number with a valid check digit",
    near: "[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}|3[47][0-9]{2}[ -]?[0-9]{6}",
    pattern:
      "(?<![A-Za-z0-9_.+-])(?:[2-6][0-9]{3}(?<gap>[ -]?)[0-9]{4}\\k<gap>[0-9]{4}\\k<gap>[0-9]{4}|" +
      "3[47][0-9]{2}(?<split>[ -]?)[0-9]{6}\\k<split>[0-9]{5})(?![A-Za-z0-9_]|[.-][0-9])",
    check: isPaymentCard,
  },
  token(
    "gitlab-other-token",
    "GitLab token of an agent, feed, mailbox or runner",
    "gl(?:soat|imt|agent|ft|ffct|oas)-|GR1348941",
    `${TOKEN}{16,300}`,
  ),
  token(
    "aws-session-token",
    "AWS session token",
    "IQoJb3JpZ2lu|FwoGZXIvYXdz|FQoGZXIvYXdz",
    "[A-Za-z0-9+/]{60,4000}={0,2}",
  ),
  {
    ...token("azure-client-secret", "Azure client secret", "[A-Za-z0-9_~.-]{3}[0-9]Q~", "[A-Za-z0-9_~.-]{31,34}"),
    near: "[0-9]Q~",
  },
  {
    id: "azure-sas",
    description: "signature of a shared access URL",
    near: "[?&;]sig=",
    pattern: "[?&;]sig=(?<secret>(?:[A-Za-z0-9+/_-]|%[0-9A-Fa-f]{2}){40,100}(?:=|%3[Dd]){0,2})",
  },
  token("nvidia-key", "NVIDIA API key", "nvapi-", `${TOKEN}{40,120}`),
  token("langsmith-key", "LangSmith key", "lsv2_(?:pt|sk)_", "[A-Za-z0-9_]{32,100}"),
  token("pinecone-key", "Pinecone API key", "pcsk_", "[A-Za-z0-9_]{30,120}"),
  { ...token("tavily-key", "Tavily API key", "tvly-", "[A-Za-z0-9-]{20,100}"), check: hasDigitAndLetter },
  token("cerebras-key", "Cerebras API key", "csk-", "[A-Za-z0-9]{30,100}"),
  { ...token("fireworks-key", "Fireworks API key", "fw_", "[A-Za-z0-9]{20,60}"), check: hasDigitAndLetter },
  token("together-key", "Together API key", "tgp_v1_", `${TOKEN}{30,100}`),
  token("elevenlabs-key", "ElevenLabs API key", "sk_(?=[0-9a-f]{48})", "[0-9a-f]{48}(?![A-Za-z0-9])"),
  token("e2b-key", "E2B API key", "e2b_(?=[0-9a-f]{40})", "[0-9a-f]{40}(?![A-Za-z0-9])"),
  token("firecrawl-key", "Firecrawl API key", "fc-(?=[0-9a-f]{32})", "[0-9a-f]{32}(?![A-Za-z0-9])"),
  token("wandb-key", "Weights & Biases API key", "wandb_v1_", `${TOKEN}{40,120}`),
  token("jina-key", "Jina API key", "jina_", `${TOKEN}{40,120}`),
  token("llamacloud-key", "LlamaCloud API key", "llx-", "[A-Za-z0-9]{40,100}"),
  token("vault-token", "HashiCorp Vault token", "hv[sbr]\\.", `${TOKEN}{24,400}`),
  {
    id: "terraform-token",
    description: "Terraform Cloud token",
    near: "\\.atlasv1\\.",
    pattern: `(?<![A-Za-z0-9])[A-Za-z0-9]{14}\\.atlasv1\\.${TOKEN}{50,100}`,
  },
  token("doppler-token", "Doppler token", "dp\\.(?:pt|st|ct|sa|scim|audit)\\.", "[A-Za-z0-9._-]{40,120}"),
  token("onepassword-token", "1Password service account token", "ops_eyJ", "[A-Za-z0-9+/_-]{100,2000}={0,2}"),
  token("age-key", "age secret key", "AGE-SECRET-KEY-1", "[0-9A-Z]{50,80}"),
  {
    ...token("atlassian-token", "Atlassian or Bitbucket token", "AT[AC]TT3x|ATBB", "[A-Za-z0-9_=-]{24,400}"),
    check: hasDigitAndLetter,
  },
  {
    ...token("supabase-key", "Supabase token or secret key", "sbp_|sb_secret_", `${TOKEN}{30,100}`),
    check: hasDigitAndLetter,
  },
  token("planetscale-token", "PlanetScale token or password", "pscale_(?:tkn|oauth|pw)_", "[A-Za-z0-9_.-]{30,100}"),
  token("postman-key", "Postman API key", "PMAK-", "[0-9a-f]{24}-[0-9a-f]{34}"),
  token("grafana-token", "Grafana token", "glsa_|glc_", "[A-Za-z0-9_+/-]{32,600}={0,2}"),
  token("newrelic-key", "New Relic user key", "NRAK-", "[A-Z0-9]{27}"),
  token("sentry-token", "Sentry token", "sntry[su]_", "[A-Za-z0-9_+/-]{40,600}={0,2}"),
  token("figma-token", "Figma token", "fig[dhu]_", `${TOKEN}{30,100}`),
  token("mailgun-key", "Mailgun API key", "key-(?=[0-9a-f]{32})", "[0-9a-f]{32}(?![A-Za-z0-9])"),
  {
    ...token("mailchimp-key", "Mailchimp API key", "[0-9a-f]{32}-us", "[0-9]{1,2}(?![A-Za-z0-9])"),
    near: "[0-9a-f]-us[0-9]",
  },
  {
    id: "discord-token",
    description: "Discord bot token",
    near: `[MNO]${TOKEN}{23,27}\\.`,
    pattern: `(?<![A-Za-z0-9])[MNO]${TOKEN}{23,27}\\.${TOKEN}{6}\\.${TOKEN}{27,40}`,
    check: hasDigitAndLetter,
  },
  token(
    "discord-webhook",
    "Discord webhook URL",
    "discord(?:app)?\\.com/api/webhooks/",
    `[0-9]{15,22}/${TOKEN}{40,100}`,
  ),
  token("teams-webhook", "Microsoft Teams webhook URL", "webhook\\.office\\.com/webhookb2/", "[A-Za-z0-9@/-]{36,300}"),
  token("square-token", "Square token", "sq0(?:atp|csp)-", `${TOKEN}{22,80}`),
  token("fly-token", "Fly.io token", "fm[12][ar]?_|fo1_", "[A-Za-z0-9+/_-]{40,2000}={0,2}"),
  token("rubygems-key", "RubyGems API key", "rubygems_", "[0-9a-f]{48}"),
  token("heroku-key", "Heroku API key", "HRKU-", `${TOKEN}{36,100}`),
  {
    ...token("airtable-token", "Airtable token", "pat[A-Za-z0-9]{14}\\.", "[0-9a-f]{64}"),
    near: "pat[A-Za-z0-9]{14}\\.",
  },
  token("vercel-token", "Vercel Blob token", "vercel_blob_rw_", "[A-Za-z0-9_]{30,100}"),
  token("netlify-token", "Netlify token", "nfp_", "[A-Za-z0-9]{36,60}"),
  token("buildkite-token", "Buildkite token", "bkua_(?=[0-9a-f]{40})", "[0-9a-f]{40}"),
  token("contentful-token", "Contentful token", "CFPAT-", `${TOKEN}{43,60}`),
  token("pulumi-token", "Pulumi token", "pul-(?=[0-9a-f]{40})", "[0-9a-f]{40}(?![A-Za-z0-9])"),
  {
    ...token("resend-key", "Resend API key", "re_(?=[A-Za-z0-9]{8}_)", "[A-Za-z0-9]{8}_[A-Za-z0-9]{20,40}"),
    check: hasDigitAndLetter,
  },
  {
    id: "url-password-at",
    description: "password in a URL, with an unencoded @",
    near: "://",
    pattern: "://[^\\s/@:\"'<>?#]{0,100}:(?<secret>[^\\s/@\"'<>?#]{1,200}@[^\\s/\"'<>?#]{1,200})@",
    check: isPassword,
  },
  // The last rule, so that a key that a rule above finds gets that rule's name.
  {
    id: "assigned-secret",
    description: "password, secret, API key or token after its name and = or :",
    near: `${ASSIGNED}[:=]`,
    pattern:
      `${ASSIGNED}(?::=|=>|[:=](?![:=]))\\*{0,2}[ \\t]{0,3}\\\\{0,3}["'\`]?(?<secret>` +
      "(?<=[\"'`])[^\\s\"'`\\\\<>]{8,500}(?=\\\\{0,3}[\"'`])|" +
      "(?<![\"'`\\\\])(?:[^\\s\"'`\\\\<>,;(){}[\\]&|]|&(?![A-Za-z0-9_.-]{1,40}=|[a-z]{2,5};|#)){7,500}" +
      "[A-Za-z0-9=/+_!@#^~-](?=[\"'`\\\\\\s,;)}\\]&]|[.!?](?=[\\s\"'`)]|$)|<\\/|$))",
    check: isAssigned,
  },
]);

/** The rule for e-mail addresses. Off by default. */
export const EMAIL_RULE: RedactionRule = {
  id: "email",
  description: "e-mail address",
  near: "@",
  pattern: "(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])",
};

export const KNOWN_RULES: readonly RedactionRule[] = [...SECRET_RULES, EMAIL_RULE];
