// Made-up secrets, at least one for each rule. They are joined from parts, so that no scanner mistakes this file for a
// leak.

const digits = (length: number, seed = 7): string =>
  Array.from({ length }, (_, index) => "a1B2c3D4e5F6g7H8j9K0"[(index * seed + seed) % 20]).join("");
const hex = (length: number): string =>
  Array.from({ length }, (_, index) => "0123456789abcdef"[(index * 7) % 16]).join("");
const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

export interface Sample {
  /** The text around a secret. */
  text: string;
  /** The part that must be removed. */
  secret: string;
}

const bare = (secret: string): Sample => ({ text: `use ${secret} now`, secret });

/** By rule. */
export const SAMPLES: Readonly<Record<string, readonly Sample[]>> = {
  "anthropic-key": [bare("sk-" + "ant-api03-" + digits(40))],
  "openai-key": [bare("sk-" + digits(48)), bare("sk-" + "proj-" + digits(60))],
  "github-token": [
    bare("gh" + "p_" + digits(36)),
    bare("gh" + "o_" + digits(36)),
    bare("github" + "_pat_" + digits(60)),
  ],
  "gitlab-token": [bare("gl" + "pat-" + digits(20))],
  "slack-token": [bare("xox" + "b-123456789012-" + digits(24))],
  "slack-webhook": [bare("hooks.slack" + ".com/services/T0000/B0000/" + digits(24))],
  "stripe-key": [bare("sk_" + "live_" + digits(24)), bare("whsec" + "_" + digits(32))],
  "aws-access-key-id": [bare("AKIA" + "Q7RSTUVWXYZ23456")],
  "aws-secret-key": [
    { text: `aws_secret_access_key = ${digits(40, 3)}`, secret: digits(40, 3) },
    { text: `{"secretAccessKey":"${digits(40, 3)}"}`, secret: digits(40, 3) },
  ],
  "google-api-key": [bare("AIza" + digits(35))],
  "google-oauth": [bare("ya29" + ".a0" + digits(60))],
  "npm-token": [bare("npm" + "_" + digits(36))],
  "pypi-token": [bare("pypi" + "-AgEIcHlwaS5vcmc" + digits(60))],
  "huggingface-token": [bare("hf" + "_" + digits(34))],
  "groq-key": [bare("gsk" + "_" + digits(52))],
  "xai-key": [bare("xai" + "-" + digits(80))],
  "perplexity-key": [bare("pplx" + "-" + digits(48))],
  "replicate-token": [bare("r8" + "_" + digits(37))],
  "sendgrid-key": [bare("SG" + "." + digits(22) + "." + digits(43))],
  "twilio-key": [bare("SK" + hex(32))],
  "digitalocean-token": [bare("dop" + "_v1_" + hex(64))],
  "shopify-token": [bare("shp" + "at_" + hex(32))],
  "databricks-token": [bare("dap" + "i" + hex(32))],
  "docker-token": [bare("dckr" + "_pat_" + digits(27))],
  "linear-key": [bare("lin" + "_api_" + digits(40))],
  "notion-token": [bare("ntn" + "_" + digits(46))],
  "telegram-token": [bare("123456789" + ":AA" + digits(33))],
  "azure-key": [{ text: `DefaultEndpointsProtocol=https;AccountKey=${digits(86)}==;x=y`, secret: `${digits(86)}==` }],
  "private-key": [
    bare(`-----BEGIN ${"PRIVATE"} KEY-----\n${digits(64)}\n${digits(40)}\n-----END ${"PRIVATE"} KEY-----`),
    { text: `-----BEGIN RSA ${"PRIVATE"} KEY-----\\n${digits(64)}`, secret: digits(64) },
  ],
  jwt: [bare(`${base64url({ alg: "HS256", typ: "JWT" })}.${base64url({ sub: "a" })}.${digits(43)}`)],
  "bearer-token": [{ text: `Authorization: Bearer ${digits(32)}`, secret: digits(32) }],
  "basic-credentials": [
    {
      text: `Authorization: Basic ${Buffer.from("ann:pass" + "word1").toString("base64")}`,
      secret: Buffer.from("ann:pass" + "word1").toString("base64"),
    },
  ],
  "url-password": [{ text: "postgres://ann:" + "hunter2secret@db.example/x", secret: "hunter2" + "secret" }],
  "payment-card": [bare("4111" + " 1111 1111 1111"), bare("5555" + "555555554444"), bare("3782" + "822463" + "10005")],
  "gitlab-other-token": [bare("gl" + "soat-" + digits(20)), bare("GR" + "1348941" + digits(20))],
  "aws-session-token": [{ text: `AWS_SESSION_TOKEN=${"IQoJb3Jp" + "Z2lu" + digits(300)}==`, secret: digits(300) }],
  "azure-client-secret": [bare("abc8" + "Q~" + digits(34))],
  "azure-sas": [{ text: `https://x.blob.example/c?sv=2020&sig=${digits(43)}%3D&se=1`, secret: `${digits(43)}%3D` }],
  "nvidia-key": [bare("nv" + "api-" + digits(64))],
  "langsmith-key": [bare("ls" + "v2_pt_" + hex(32) + "_" + hex(10))],
  "pinecone-key": [bare("pc" + "sk_" + digits(70))],
  "tavily-key": [bare("tv" + "ly-dev-" + digits(32))],
  "cerebras-key": [bare("cs" + "k-" + digits(48))],
  "fireworks-key": [bare("f" + "w_" + digits(24))],
  "together-key": [bare("tg" + "p_v1_" + digits(43))],
  "elevenlabs-key": [bare("s" + "k_" + hex(48))],
  "e2b-key": [bare("e2" + "b_" + hex(40))],
  "firecrawl-key": [bare("f" + "c-" + hex(32))],
  "wandb-key": [bare("wandb" + "_v1_" + digits(70))],
  "jina-key": [bare("ji" + "na_" + digits(60))],
  "llamacloud-key": [bare("ll" + "x-" + digits(48))],
  "vault-token": [bare("hv" + "s." + digits(90))],
  "terraform-token": [bare(digits(14) + ".atlas" + "v1." + digits(67))],
  "doppler-token": [bare("dp" + ".pt." + digits(43))],
  "onepassword-token": [bare("ops" + "_eyJ" + digits(200))],
  "age-key": [bare("AGE-SECRET" + "-KEY-1" + digits(58).toUpperCase())],
  "atlassian-token": [bare("ATAT" + "T3x" + digits(180)), bare("AT" + "BB" + digits(32))],
  "supabase-key": [bare("sb" + "p_" + hex(40)), bare("sb" + "_secret_" + digits(31))],
  "planetscale-token": [bare("pscale" + "_tkn_" + digits(43))],
  "postman-key": [bare("PM" + "AK-" + hex(24) + "-" + hex(34))],
  "grafana-token": [bare("gl" + "sa_" + digits(32) + "_" + hex(8)), bare("gl" + "c_" + digits(60))],
  "newrelic-key": [bare("NR" + "AK-" + digits(27).toUpperCase())],
  "sentry-token": [bare("sntry" + "u_" + hex(64)), bare("sntry" + "s_" + digits(80))],
  "figma-token": [bare("fig" + "d_" + digits(40))],
  "mailgun-key": [bare("ke" + "y-" + hex(32))],
  "mailchimp-key": [bare(hex(32) + "-us" + "12")],
  "discord-token": [bare("M" + digits(23) + "." + digits(6) + "." + digits(38))],
  "discord-webhook": [bare("discord.com/api/web" + "hooks/123456789012345678/" + digits(68))],
  "teams-webhook": [bare("webhook.office.com/web" + "hookb2/" + digits(36))],
  "square-token": [bare("sq0" + "atp-" + digits(22))],
  "fly-token": [bare("fm" + "2_" + digits(100))],
  "rubygems-key": [bare("ruby" + "gems_" + hex(48))],
  "heroku-key": [bare("HR" + "KU-" + digits(60))],
  "airtable-token": [bare("pat" + digits(14) + "." + hex(64))],
  "vercel-token": [bare("vercel" + "_blob_rw_" + digits(40))],
  "netlify-token": [bare("nf" + "p_" + digits(36))],
  "buildkite-token": [bare("bku" + "a_" + hex(40))],
  "contentful-token": [bare("CF" + "PAT-" + digits(43))],
  "pulumi-token": [bare("pu" + "l-" + hex(40))],
  "resend-key": [bare("r" + "e_" + digits(8) + "_" + digits(24))],
  "url-password-at": [{ text: "postgres://ann:" + "p@ss:w0rd9@db.example/x", secret: "p@ss" + ":w0rd9" }],
  "assigned-secret": [
    ...[
      ["DB_PASSWORD=", "\nDB_HOST=localhost"],
      ['{"api_key":"', '","n":1}'],
      ['{\\"apiKey\\": \\"', '\\"}'],
      ["Password: ", ". Keep it."],
      ["**Password:** `", "`"],
      ["client_secret := '", "'"],
      ["'token' => \"", '",'],
      ["https://shop.test/a?access_token=", "&page=2"],
      ["<li>passphrase: ", "</li>"],
    ].map(([before = "", after = ""]) => {
      const secret = "hunter" + "2hunter2";
      return { text: before + secret + after, secret };
    }),
    { text: "password: Tr0ub4" + "dor&3 is it", secret: "Tr0ub4" + "dor&3" },
  ],
  email: [bare("ann@" + "example.com")],
};
