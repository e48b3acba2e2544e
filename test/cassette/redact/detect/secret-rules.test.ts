import { describe, expect, it } from "vitest";
import { createFinder } from "../../../../src/cassette/redact/detect/find.js";
import { EMAIL_RULE, KNOWN_RULES, SECRET_RULES } from "../../../../src/cassette/redact/detect/secret-rules.js";
import { createHash } from "node:crypto";
import { SAMPLES } from "../../../support/secrets.js";

const find = createFinder(KNOWN_RULES);

describe("the rules for secrets", () => {
  it("have a sample each, and no sample is for a rule that does not exist", () => {
    expect(Object.keys(SAMPLES).sort()).toEqual(KNOWN_RULES.map(({ id }) => id).sort());
  });

  it.each(Object.entries(SAMPLES).flatMap(([rule, samples]) => samples.map((sample) => [rule, sample] as const)))(
    "%s finds all of its secret, and nothing next to it but what belongs to it",
    (rule, { text, secret }) => {
      const found = find(text);
      expect(found.map((each) => each.rule)).toEqual([rule]);
      expect(found.map(({ start, end }) => text.slice(start, end)).join("")).toContain(secret);
    },
  );

  it.each([
    "sk-a-name-with-many-words-in-it-and-no-number",
    "task-12345678901234567890123456",
    "the bearer of good news is here today",
    "Bearer authentication-is-required",
    "Basic understanding of things",
    "https://example.com/a:b@c",
    "https://user:***@example.com",
    "https://user:${PASSWORD}@example.com",
    "1732190400000 and 1732190400000000",
    "4111111111111112 has a wrong check digit",
    "id 94111111111111111 is longer",
    "0.4111111111111111",
    "0000 0000 0000 0000",
    "550e8400-e29b-41d4-a716-446655440000",
    "eyJhbGciOiJub25lIn0 is half a token",
    "eyJub3RhaGVhZGVy.eyJub3RoaW5n.c2ln",
    "AKIA is a prefix, AKIAabc is not a key",
    "secret access key: to be filled in",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0B\n-----END PUBLIC KEY-----",
    "<redacted:openai-key:1>",
    "password=<your-password-1>",
    "password: $DB_PASSWORD_1",
    "password=${DB_PASSWORD_1}",
    "password=%DB_PASSWORD_1%",
    "PASSWORD=********1a",
    "api_key = YOUR_API_KEY_2",
    "api_key: example-key-123",
    "api_key = os.environ2.api_key",
    "token = parse2(text)",
    "token = auth2.getToken(request)",
    "token == abc12345x",
    "token = X509Token::parse1",
    "type CommaToken = CommaToken$1;",
    "secret: Uint8Array, password: VARCHAR(255)",
    "token: urn:openai:token-type:x509",
    "token: https://example.com/token2",
    "max_tokens: 40961234",
    "token: 2026-11-22T10:00:00Z",
    "secret: v1.22.333-beta",
    "nextPageToken: CAUQAA1234, next_token=a1b2c3d4e5",
    "your new password:\n\n1stlinkbelow",
    "your new password:\\n\\n1stlinkbelow",
    "Password: required, token: mandatory",
    "re_run_the_whole_suite_of_tests and fc-match, key-value, fw_update, csk-none",
    "the tvly-client-of-search-results-page and pul-request",
    "AT&T and ATBBQ, hvs.example.com, dp.pt.example",
    "figd_ or glsa_ are prefixes, sq0atp- too",
    "MIT licence. MMMMMMMMMMMMMMMMMMMMMMMM.x.y",
    "https://example.com:8080/@scope/name@1.2.3",
    "https://example.com/a?sig=short&x=y",
  ])("leave %j as it is", (text) => {
    expect(createFinder(SECRET_RULES)(text)).toEqual([]);
  });

  it("have ids of their own, and none is on that is not for secrets", () => {
    expect(new Set(KNOWN_RULES.map(({ id }) => id)).size).toBe(KNOWN_RULES.length);
    expect(SECRET_RULES).not.toContain(EMAIL_RULE);
  });

  // A recording is replayed with the rules it names, so a pattern that changes would miss in old recordings.
  it("never change: a better pattern is a rule with another id", () => {
    const hashOf = (rules: typeof SECRET_RULES): string => {
      const text = rules.map(({ id, pattern, near }) => `${id} ${near} ${pattern}`).join("\n");
      return createHash("sha256").update(text).digest("hex").slice(0, 16);
    };
    const added = SECRET_RULES.findIndex(({ id }) => id === "gitlab-other-token");
    expect(hashOf([...SECRET_RULES.slice(0, added), EMAIL_RULE])).toBe("0245681d89bdf5ef");
    expect(hashOf(SECRET_RULES.slice(added, -1))).toBe("d2267af47667f07e");
    expect(hashOf(SECRET_RULES.slice(-1))).toBe("1cb4a932cc57c7f6");
  });

  it("are bounded, so that their cost grows with the text and not faster", () => {
    for (const { pattern, near } of KNOWN_RULES) {
      const plain = (pattern + near).replace(/\\./g, "").replace(/\[[^\]]*\]/g, "");
      expect(plain).not.toMatch(/[*+]|\{\d+,\}/);
      const most = [...plain.matchAll(/\{\d+,(\d+)\}/g)].map(([, count]) => Number(count));
      expect(Math.max(0, ...most)).toBeLessThanOrEqual(16_000);
    }
  });

  it.each([
    "sk-",
    "eyJ",
    "eyJaaaaaaaa.eyJ",
    "://a:",
    "Bearer a",
    "a@a.",
    `-----BEGIN ${"PRIVATE"} KEY-----`,
    "4111 ",
    "password=",
    "token: &a1",
    "x",
  ])("go through a megabyte of %j", (piece) => {
    const text = piece.repeat(Math.ceil(1_048_576 / piece.length));
    const found = find(text);
    found.forEach(({ start, end }, index) => {
      expect(end > start && start >= (found[index - 1]?.end ?? 0)).toBe(true);
    });
  });

  it("go through a megabyte of secrets that are all one word", () => {
    const [{ secret } = { secret: "" }] = SAMPLES["github-token"] ?? [];
    const text = `${secret}_`.repeat(Math.ceil(1_048_576 / secret.length));
    expect(find(text)).toMatchObject([{ start: 0, end: text.length }]);
  });
});
