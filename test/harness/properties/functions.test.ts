// checkRedaction and checkHashFilter: what a good function passes, and what each bad one is told.

import { describe, expect, it } from "vitest";
import type { HashFilter } from "../../../src/cassette/prompt/prompt-delta.js";
import type { Redact } from "../../../src/cassette/redact/answers.js";
import type { LlmMessage } from "../../../src/core/model/message.js";
import { checkHashFilter, checkRedaction, LawBrokenError } from "../../../src/harness/properties/index.js";
import { rejection } from "../../support/refusal.js";

const SECRET = "correct-horse";
const mask = (text: string) => text.replaceAll(SECRET, "<gone>");
/** Takes the secret out of everything, by way of the JSON text. */
const scrub: Redact = (response) => JSON.parse(mask(JSON.stringify(response))) as typeof response;
const broken = async (check: Promise<unknown>) => {
  const error = await rejection(check);
  expect(error).toBeInstanceOf(LawBrokenError);
  return error as LawBrokenError;
};

describe("checkRedaction", () => {
  it("passes a function that takes every secret out", async () => {
    const report = await checkRedaction(scrub, { secrets: [SECRET], seed: 1 });
    expect(report.runs).toBe(200);
    expect(report.withSecret).toBeGreaterThan(60);
    expect(report.changed).toBe(report.withSecret);
    expect((await checkRedaction((response) => response)).changed).toBe(0);
  });

  it("finds the secret that is left in a place nobody thought of", async () => {
    const content: Redact = (response) => ({
      ...response,
      message: { ...response.message, content: mask(response.message.content) },
    });
    const error = await broken(checkRedaction(content, { secrets: [SECRET] }));
    expect(error.law).toBe("no secret is left");
    expect(error.message).toContain("checkRedaction(redact, { seed: ");
  });

  it.each<[string, Redact, string]>([
    [
      "throws over an answer without calls",
      (response) => ({ ...response, x: response.message.toolCalls!.length }) as never,
      "it never throws",
    ],
    ["gives nothing", () => undefined as never, "it gives an answer"],
    ["gives a promise", (async (response: unknown) => response) as never, "it gives an answer"],
    [
      "drops calls",
      ({ message: { toolCalls: _, ...message }, ...rest }) => ({ ...rest, message, stopReason: "stop" }),
      "it leaves ids, names and number of the calls",
    ],
    [
      "goes on and on",
      (response) => ({ ...response, message: { ...response.message, content: `${response.message.content}.` } }),
      "applying it twice is the same as applying it once",
    ],
  ])("finds one that %s", async (_name, redact, law) => {
    expect((await broken(checkRedaction(redact))).law).toBe(law);
  });

  it("finds one that remembers", async () => {
    let calls = 0;
    const counting: Redact = (response) => ({ ...response, model: `m-${(calls += 1)}` });
    expect((await broken(checkRedaction(counting))).law).toBe("the same answer becomes the same");
  });

  it("refuses an empty secret and unknown options", async () => {
    expect(await rejection(checkRedaction(scrub, { secrets: [""] }))).toMatchObject({ code: "law-empty" });
    expect(await rejection(checkRedaction(scrub, { secret: SECRET } as never))).toMatchObject({
      code: "invalid-options",
    });
  });
});

describe("checkHashFilter", () => {
  const onText =
    (rewrite: (text: string) => string): HashFilter =>
    (messages) =>
      messages.map((message) =>
        message.role === "user" && typeof message.content === "string"
          ? { ...message, content: rewrite(message.content) }
          : message,
      );

  it("passes a filter that is idempotent and symmetric, and says whether it was at work", async () => {
    const tickets = onText((text) => text.replaceAll(/ticket-\d+/g, "<ticket>"));
    expect(await checkHashFilter(tickets, { numRuns: 50 })).toEqual({ runs: 50, changed: 0 });
    const examples = [[{ role: "user" as const, content: "about ticket-7" }]];
    expect(await checkHashFilter(tickets, { numRuns: 50, examples })).toEqual({ runs: 50, changed: 1 });
  });

  it.each<[string, HashFilter, string]>([
    ["goes on and on", onText((text) => `${text}.`), "applying it twice is the same as applying it once"],
    [
      "throws over images",
      (messages) => messages.map((one) => ({ ...one, content: (one.content as string).trim() }) as never),
      "it never throws",
    ],
    ["gives no list", () => undefined as never, "it gives a list of messages"],
    [
      "gives a value that is not a message",
      (messages) => messages.map(({ role }) => ({ role })) as never,
      "it gives a list of messages",
    ],
  ])("finds one that %s", async (_name, filter, law) => {
    expect((await broken(checkHashFilter(filter))).law).toBe(law);
  });

  it("finds one that does not do the same on both sides", async () => {
    const seen = new Map<string, string>();
    // Numbers each text when it first sees it, and forgets every eighth call.
    let calls = 0;
    const numbered = onText((text) => {
      if ((calls += 1) % 8 === 0) seen.clear();
      if (/^<\d+>$/.test(text)) return text;
      seen.set(text, seen.get(text) ?? `<${seen.size + calls}>`);
      return seen.get(text) as string;
    });
    const error = await broken(checkHashFilter(numbered));
    expect(["the same prompt becomes the same", "a run recorded with it replays with it"]).toContain(error.law);
  });

  it("leaves the least prompt", async () => {
    const error = await broken(
      checkHashFilter(
        onText((text) => (text.includes("a") ? `${text}.` : text)),
        { numRuns: 1_000 },
      ),
    );
    expect(error.counterexample).toEqual([
      { role: "user", content: "a" },
      { role: "assistant", content: "" },
    ]);
  });
});

describe("what recorders take in addition to functions", () => {
  it("is held to the laws of a redaction: options, and invalid ones", async () => {
    const secret = "correct-horse";
    const report = await checkRedaction({ values: [secret], email: true }, { secrets: [secret], seed: 7 });
    expect(report.withSecret).toBeGreaterThan(0);
    expect(report.changed).toBeGreaterThanOrEqual(report.withSecret);

    const broken = await rejection(checkRedaction({ rules: [] }, { secrets: [secret], seed: 7 }));
    expect(broken).toMatchObject({ name: "LawBrokenError", law: "no secret is left" });
    const misspelt = await rejection(checkRedaction({ vales: [secret] } as object));
    expect(misspelt).toMatchObject({ code: "invalid-options", summary: "redact has an unknown option: vales" });
  });

  it("is held to the laws of a hash filter: names and functions, and invalid names", async () => {
    const messages: LlmMessage[] = [{ role: "user", content: "Is it open on 2026-11-21?" }];
    const once = await checkHashFilter(["uuid", "isoDate"], { examples: [messages], seed: 7 });
    expect(once.changed).toBeGreaterThan(0);

    const louder: HashFilter = (prompt) => prompt.map((message) => ({ ...message, content: `${message.content}!` }));
    const broken = await rejection(checkHashFilter(["isoDate", louder], { seed: 7 }));
    expect(broken).toMatchObject({ name: "LawBrokenError", law: "applying it twice is the same as applying it once" });
    const misspelt = await rejection(checkHashFilter(["isodate" as "isoDate"]));
    expect(misspelt).toMatchObject({ code: "invalid-options" });
    expect(await rejection(checkHashFilter(undefined as unknown as HashFilter))).toMatchObject({ code: "law-empty" });
  });
});
