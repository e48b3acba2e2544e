import { describe, expect, it } from "vitest";
import { buildCassette } from "../../../src/cassette/file/build.js";
import { createLiterals } from "../../../src/cassette/redact/detect/literals.js";
import type { RedactOption } from "../../../src/cassette/redact/options.js";
import { secretsOf } from "../../../src/cassette/redact/environment.js";
import { cassetteProvider } from "../../../src/cassette/replay/replay.js";
import { formatCassette } from "../../../src/cassette/trust/cassette-store.js";
import type { LlmTurnRequest, LlmTurnResponse } from "../../../src/core/model/provider.js";
import { prompt, recordTurns } from "../../support/recording.js";
import { SAMPLES } from "../../support/secrets.js";
import { ask, say } from "../../support/script.js";

const secret = SAMPLES["github-token"]?.[0]?.secret ?? "";
const card = "4111 " + "1111 1111 1111";

/** The stored text of a user's message. */
async function stored(text: string, redact?: RedactOption): Promise<unknown> {
  const cassette = await recordTurns([prompt(text)], [say("ok")], redact === undefined ? {} : { redact });
  return cassette.entries[0]?.prompt?.messages.at(-1)?.content;
}

describe("a field that does not belong to us", () => {
  const request = { messages: [{ role: "user", content: "a" }] } as const;
  const message = say("ok").message;
  it.each<[string, object, object]>([
    ["a response", request, { ...say("ok"), note: { [secret]: secret } }],
    ["its usage", request, { ...say("ok"), usage: { inputTokens: 1, outputTokens: 1, note: secret } }],
    ["its model", request, { ...say("ok"), model: secret }],
    ["its message", request, { ...say("ok"), message: { ...message, note: secret } }],
    ["a call", request, ask([{ name: "t", arguments: {}, note: secret } as never])],
    [
      "a thought",
      request,
      { ...say("ok"), message: { ...message, reasoning: [{ type: "text", text: "", data: secret }] } },
    ],
    ["a user's message", { messages: [{ role: "user", content: "a", note: [secret] }] }, say("ok")],
    ["a part", { messages: [{ role: "user", content: [{ type: "text", text: "a", data: secret }] }] }, say("ok")],
    [
      "an image",
      { messages: [{ role: "user", content: [{ type: "image", mediaType: secret, data: "AAAA" }] }] },
      say("ok"),
    ],
  ])("of %s is scrubbed as well, and replays", async (_, asked, answer) => {
    const cassette = await recordTurns([asked as LlmTurnRequest], [answer as LlmTurnResponse]);
    expect(formatCassette(cassette)).not.toContain(secret);
    const replay = cassetteProvider(cassette);
    await replay.turn(asked as LlmTurnRequest);
    replay.assertConsumed();
  });
});

it("of a shape that no loader checks is scrubbed as what it is, and streams", async () => {
  for (const reasoning of [5, secret, [null], [secret], [{ type: "text", text: 5 }]]) {
    const calls = [{ id: "c", name: "t", arguments: {}, malformedArguments: 5 }];
    const message = { role: "assistant", content: "ok", reasoning, toolCalls: calls };
    const answer = { message, stopReason: "toolUse" } as unknown as LlmTurnResponse;
    const cassette = await recordTurns([prompt(secret)], [answer]);
    expect(formatCassette(cassette)).not.toContain(secret);
    const { entries, extensions, ...head } = cassette;
    const streams = [{ turn: 0, deltas: "t2" }];
    const replay = cassetteProvider(buildCassette({ ...head, extensions: { ...extensions, streams } }, entries));
    const events = [];
    for await (const event of replay.stream(prompt(secret))) events.push(event.type);
    expect(events).toEqual(["text-delta", "response"]);
  }
});

describe("a text that only looks like a placeholder", () => {
  it("hides no secret in the place of the rule's name", async () => {
    const forged = "<redacted:hunter2secret:1> <redacted:" + card.replaceAll(" ", "") + ":2>";
    const text = await stored(forged, { values: ["hunter2secret"] });
    expect(text).toBe("<redacted:<redacted:value:3>:1> <redacted:<redacted:payment-card:4>:2>");
    expect(await stored(JSON.stringify({ pin: "<redacted:hunter2secret:1>" }), { pointers: ["/content/pin"] })).toBe(
      '{"pin":"<redacted:pointer:1>"}',
    );
  });

  it("does not part a key from its beginning", async () => {
    const text = "-----BEGIN RSA " + "PRIVATE KEY-----\n<redacted:x:1>\nMIIEabcdefg1234567\n";
    expect(await stored(text)).toBe("<redacted:private-key:2>");
  });

  it("stays as it is where it is one of ours", async () => {
    expect(await stored("<redacted:github-token:7> " + secret)).toBe(
      "<redacted:github-token:7> <redacted:github-token:1>",
    );
  });
});

describe("what is found", () => {
  it("may begin in text that was not a secret after all", async () => {
    expect(await stored(`order 2024 ${card}`)).toBe("order 2024 <redacted:payment-card:1>");
  });

  it("by value is every spelling of JSON, also of JSON in JSON and of ASCII alone", async () => {
    const value = 'pä"ss\nword';
    const once = JSON.stringify({ value });
    const ascii = String.raw`{"value":"p\u00e4\"ss\nword"}`;
    const text = await stored([value, once, JSON.stringify({ once }), ascii].join(" | "), { values: [value] });
    expect(text).toBe(
      String.raw`<redacted:value:1> | {"value":"<redacted:value:1>"} | {"once":"{\"value\":\"<redacted:value:1>\"}"} | {"value":"<redacted:value:1>"}`,
    );
  });

  it("by value is the same for few values and for many", () => {
    const values = Array.from({ length: 200 }, (_, index) => `value-${index}`);
    const few = createLiterals(["value-7", "value-77"]);
    const text = "value-77 value-7value-777 alue-7 value";
    const spans = createLiterals(values).find(text);
    expect(spans.map(({ start, end }) => text.slice(start, end))).toEqual(["value-77", "value-7", "value-77"]);
    expect(new Set(few.find(text).map(({ start }) => start))).toEqual(new Set(spans.map(({ start }) => start)));
  });

  it("of an environment has no line break at its end, as a value has that was read from a file", () => {
    expect(secretsOf({ MY_TOKEN: "abcdefgh12\n", OTHER_TOKEN: "        " })).toEqual(["abcdefgh12"]);
  });
});

describe("redact.pointers", () => {
  it("reach into a final answer that is not quite the text", async () => {
    const answer = { ...say('{"token":"abc"}\n'), finalAnswer: '{"token":"abc"}' };
    const cassette = await recordTurns([prompt("a")], [answer], { redact: { pointers: ["/content/token"] } });
    expect(cassette.entries[0]?.response.finalAnswer).toBe('{"token":"<redacted:pointer:1>"}');
  });

  it.each(["/role", "/toolCalls", "/toolCalls/0", "/toolCalls/*/arguments"])(
    "that take out %s are refused in words",
    async (pointer) => {
      const answer = ask([{ name: "t", arguments: {} }]);
      const recorded = recordTurns([prompt("a")], [answer], { redact: { pointers: [pointer] } });
      await expect(recorded).rejects.toMatchObject({ code: "invalid-options" });
    },
  );
});

describe("invalid rules of one's own", () => {
  const rule = { id: "acme", description: "badge", near: "acme", pattern: "acme_[0-9]{4}" };

  it.each<[string, object, string, string]>([
    ["a RegExp object", { pattern: /acme/g }, "pattern of rule acme of redact.rules is a RegExp object", ".source"],
    ["another one", { near: /acme/ }, "near of rule acme of redact.rules is a RegExp object", ".source"],
    ["no text", { near: undefined }, "near of rule acme of redact.rules must be the source of a regular", "near: "],
    [
      "no expression",
      { pattern: "(" },
      "pattern of rule acme of redact.rules is not a valid regular expression",
      "docs/",
    ],
    [
      "the empty text",
      { pattern: "a{0,3}" },
      "pattern of rule acme of redact.rules must not match the empty string",
      "docs/",
    ],
    ["no description", { description: 1 }, "rule acme of redact.rules has no description", "docs/"],
  ])("are refused in words: %s", async (_, wrong, message, hint) => {
    const redact = { rules: [{ ...rule, ...wrong }] };
    await expect(stored("a", redact)).rejects.toMatchObject({
      code: "invalid-options",
      message: expect.stringContaining(message) as string,
      hint: expect.stringContaining(hint) as string,
    });
  });
});

describe("a secret that is known by its name alone", () => {
  it("is found bare afterwards, and a word behind such a name is not", async () => {
    const value = "hunter" + "2hunter2";
    expect(await stored(`DB_PASSWORD=${value}\nuse ${value}`)).toBe(
      "DB_PASSWORD=<redacted:assigned-secret:1>\nuse <redacted:assigned-secret:1>",
    );
    expect(await stored("password: required. It is required.")).toBe("password: required. It is required.");
  });
});
