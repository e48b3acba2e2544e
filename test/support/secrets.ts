// Made-up secrets, one for each rule at least. They are joined from parts so that nobody's scanner takes this file for a leak.

const digits = (length: number, seed = 7): string =>
  Array.from({ length }, (_, index) => "a1B2c3D4e5F6g7H8j9K0"[(index * seed + seed) % 20]).join("");
const hex = (length: number): string =>
  Array.from({ length }, (_, index) => "0123456789abcdef"[(index * 7) % 16]).join("");
const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

export interface Sample {
  /** The text a secret stands in. */
  text: string;
  /** The part of it that must go. */
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
