import { describe, expect, it } from "vitest";
import { CassetteError } from "../../../src/cassette/errors.js";
import type { RedactOption } from "../../../src/cassette/redact/options.js";
import { secretsOf } from "../../../src/cassette/redact/environment.js";
import { cassetteProvider } from "../../../src/cassette/replay/replay.js";
import { createRedactor } from "../../../src/cassette/redact/redactor.js";
import { createShelf } from "../../../src/cassette/serve/shelf.js";
import { formatCassette } from "../../../src/cassette/trust/cassette-store.js";
import { VENDORS } from "../../../src/core/vendors/vendors.js";
import { prompt, recordTurns } from "../../support/recording.js";
import { rejection } from "../../support/refusal.js";
import { SAMPLES } from "../../support/secrets.js";
import { ask, say } from "../../support/script.js";

const [{ text, secret }] = SAMPLES["github-token"] as [{ text: string; secret: string }];
const call = ask([{ name: "login", arguments: { key: secret } }]);

describe("redaction", () => {
  it("is on by default, is named in the recording, and keeps equal values equal", async () => {
    const cassette = await recordTurns([prompt(text, secret)], [say(text)]);
    expect(cassette.extensions?.redacted).toEqual(["github-token"]);
    const messages = cassette.entries[0]?.prompt?.messages;
    expect(messages?.[1]).toEqual({ role: "user", content: "<redacted:github-token:1>" });
    expect(cassette.entries[0]?.response.message.content).toContain("<redacted:github-token:1>");
  });

  it("leaves a run without secrets as it was: the recording says nothing of it", async () => {
    const on = await recordTurns([prompt("a")], [say("b")]);
    expect(formatCassette(on)).toBe(formatCassette(await recordTurns([prompt("a")], [say("b")], { redact: false })));
  });

  it("is off with false; such a recording replays as it is, and a redacted one is refused then", async () => {
    const open = await recordTurns([prompt(text)], [say(text)], { redact: false });
    expect((await cassetteProvider(open).turn(prompt(text))).message.content).toBe(text);
    const cassette = await recordTurns([prompt(text)], [say(text)]);
    expect(() => cassetteProvider(cassette, { redact: false })).toThrow(
      expect.objectContaining({ code: "redaction-one-sided" }),
    );
  });

  it("refuses to give a tool a placeholder, unless that is allowed", async () => {
    const cassette = await recordTurns([prompt("a")], [call]);
    const error = (await rejection(cassetteProvider(cassette).turn(prompt("a")))) as CassetteError;
    expect(error.code).toBe("redacted-argument");
    expect(error.summary).toBe("turn 0 calls tool login with an argument that was redacted by github-token: /key");
    const replay = cassetteProvider(cassette, { allowRedacted: true });
    expect(replay.redactedCalls).toEqual([{ turn: 0, tool: "login", pointer: "/key", rule: "github-token" }]);
    await replay.turn(prompt("a"));
    replay.assertConsumed();
  });

  it("names the rule that found a secret, and no value, where the secret is repeated", async () => {
    const redact: RedactOption = {
      rules: [{ id: "pin", description: "pin", near: "pin is", pattern: "pin is (?<secret>[a-z]{8})" }],
    };
    const request = prompt("the pin is abcdefgh", "again abcdefgh");
    const cassette = await recordTurns([request], [say("abcdefgh")], { redact });
    expect(cassette.entries[0]?.prompt?.messages[1]?.content).toBe("again <redacted:pin:1>");
    expect(cassette.extensions?.redacted).toEqual(["pin"]);
    const both = await recordTurns([request], [say("abcdefgh")], { redact: { ...redact, values: ["abcdefgh"] } });
    expect(both.extensions?.redacted).toEqual(["pin", "value"]);
    expect((await cassetteProvider(cassette, { redact }).turn(request)).message.content).toBe("<redacted:pin:1>");
  });

  it("replaces by value, by pointer and by a rule of one's own, and a miss says what was not passed", async () => {
    const redact: RedactOption = {
      rules: [{ id: "ticket", description: "ticket", near: "T-", pattern: "T-[0-9]{4}" }],
      values: ["hunter22"],
      pointers: ["/content/pin"],
    };
    const request = prompt("T-1234 hunter22", '{"pin":12,"x":1}');
    const cassette = await recordTurns([request], [say("ok")], { redact });
    expect(cassette.extensions?.redacted).toEqual(["pointer", "ticket", "value"]);
    expect(cassette.entries[0]?.prompt?.messages.map(({ content }) => content)).toEqual([
      "<redacted:ticket:1> <redacted:value:2>",
      '{"pin":"<redacted:pointer:3>","x":1}',
    ]);
    await cassetteProvider(cassette, { redact }).turn(request);
    const error = (await rejection(cassetteProvider(cassette).turn(request))) as CassetteError;
    expect(error.code).toBe("prompt-changed");
    expect(error.hint).toContain("redacted by pointer, ticket, value");
  });

  it("of parallel calls matches in whatever order they come again", async () => {
    const other = SAMPLES["npm-token"]?.[0]?.secret ?? "";
    const [a, b] = [prompt(secret), prompt(`two ${other}`)];
    const replay = cassetteProvider(await recordTurns([a, b], [say("a"), say("b")]));
    expect((await replay.turn(b)).message.content).toBe("b");
    expect((await replay.turn(a)).message.content).toBe("a");
  });

  it("is the same for a client of the wire, whose prompts come over a server", async () => {
    const cassette = await recordTurns(
      [
        { ...prompt("first"), settings: {} },
        { ...prompt(text), settings: {} },
      ],
      [say("a"), say("b")],
    );
    const shelf = createShelf([{ file: "a.cassette.json", cassette, names: [] }]);
    const body = { model: "m", messages: [{ role: "user", content: text }] };
    const { request } = VENDORS.openai.parse(body);
    expect((await shelf.answer(VENDORS.openai, request)).turnIndex).toBe(1);
  });

  it.each<[string, unknown]>([
    ["an unknown option", { rule: [] }],
    ["an unknown rule", { rules: ["nope"] }],
    ["a rule without a pattern", { rules: [{ id: "x", description: "x" }] }],
    ["a rule with a name of ours", { rules: [{ id: "jwt", description: "x", near: "x", pattern: "x" }] }],
    ["a short value", { values: ["abc"] }],
    ["no pointer", { pointers: ["content"] }],
    ["true", true],
  ])("refuses %s", async (_, redact) => {
    await expect(recordTurns([prompt("a")], [say("b")], { redact: redact as RedactOption })).rejects.toThrow(
      CassetteError,
    );
  });

  it("finds what only a hash filter makes a message of", async () => {
    // As another framework writes it; the filter turns it into a message of ours.
    const foreign = [{ role: "user", content: { parts: [text], [secret]: true } }] as never;
    const hashFilter = (messages: readonly object[]) =>
      messages.map((message) => ({ role: "user" as const, content: JSON.stringify(message) }));
    const cassette = await recordTurns([{ messages: foreign }], [say("ok")], { hashFilter });
    expect(formatCassette(cassette)).not.toContain(secret);
    expect(cassette.extensions?.redacted).toEqual(["github-token"]);
    const replay = cassetteProvider(cassette, { hashFilter });
    await replay.turn({ messages: foreign });
    replay.assertConsumed();
  });

  it("knows the secrets of an environment by their names", () => {
    const env = {
      API_KEY: "abcdefgh",
      MY_TOKEN: "short",
      PATH: "/usr/bin/x",
      DB_PASSWORD: "correcthorse",
      KEYBOARD: "querty-layout",
    };
    expect(secretsOf(env)).toEqual(["abcdefgh", "correcthorse"]);
  });

  it("knows them in the plural, by their short names, and where base64 begins as a path does", () => {
    const base64 = "/bPxRfiCY" + "9EXAMPLEKEY/K7MDENG+wJalr";
    const env = {
      ACCESS_TOKENS: "value-one",
      AWS_SECRET_ACCESS_KEY: base64,
      DB_PASS: "value-two",
      GH_PAT: "value-three",
      MYSQL_PWD: "value-four",
      PRIVATEKEY: "value-five",
      // Values under such names that are not secrets.
      GIT_COMPASS: "north-by-west",
      OLDPWD: "/home/Ann2/projectsOfHers/agent",
      PWD: "/home/Ann2/projectsOfHers/agent",
      SSH_AUTH_SOCK: "/run/user/1000/ssh-agent.Ab12",
      TLS_KEY: "/etc/tls/private.pem",
    };
    expect(secretsOf(env)).toEqual(["value-one", base64, "value-two", "value-three", "value-four", "value-five"]);
  });

  it("finds a value as other languages write it in JSON, and in an address", () => {
    const value = 'p/w d&é"x';
    const spelled = [
      JSON.stringify(value),
      JSON.stringify(JSON.stringify(value)),
      '"p\\/w d&\\u00e9\\"x"',
      '"p/w d&\\u00E9\\"x"',
      '"p/w d\\u0026é\\"x"',
      "p%2Fw%20d%26%C3%A9%22x",
      "p%2Fw+d%26%C3%A9%22x",
    ];
    const redactor = createRedactor({ values: [value] });
    for (const text of spelled) {
      const [clean] = redactor.messages([{ role: "user", content: `at ${text} end` }]);
      expect(clean?.content).toMatch(/^at [\\"]*<redacted:value:1>[\\"]* end$/);
    }
  });

  it("finds a value in every form that an address or a form may have it in", () => {
    const value = "o'Neil!*(2)~/é x";
    const redactor = createRedactor({ values: [value] });
    const python = "o%27Neil%21%2A%282%29~/%C3%A9%20x";
    const form = new URLSearchParams([["a", value]]).toString().slice(2);
    expect(form).toBe("o%27Neil%21*%282%29%7E%2F%C3%A9+x");
    for (const text of [python, python.replace("/", "%2F"), python.replace("%20", "+"), form, encodeURI(value)]) {
      for (const spelled of [text, text.replaceAll(/%../g, (code) => code.toLowerCase())]) {
        const [clean] = redactor.messages([{ role: "user", content: `a=${spelled}&b` }]);
        expect(clean?.content, spelled).toBe("a=<redacted:value:1>&b");
      }
    }
  });

  it("finds a number in the arguments of a call, and leaves the counts of an answer", async () => {
    const card = Number("4111" + "111111111111");
    const answer = ask([{ name: "pay", arguments: { card, amounts: [1, 2.5], pin: 12345 } }]);
    const response = { ...answer, usage: { inputTokens: 12345, outputTokens: 1 } };
    const options = { redact: { values: ["12345"] } };
    const cassette = await recordTurns(
      [{ messages: [{ role: "user" as const, content: "Pay." }] }],
      [response],
      options,
    );
    expect(cassette.entries[0]?.response.message.toolCalls?.[0]?.arguments).toEqual({
      card: "<redacted:payment-card:1>",
      amounts: [1, 2.5],
      pin: "<redacted:value:2>",
    });
    expect(cassette.entries[0]?.response.usage?.inputTokens).toBe(12345);
  });
});
