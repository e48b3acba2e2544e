import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { CassetteError, type MissReport } from "../../../src/cassette/errors.js";
import type { Cassette, ContextExtension } from "../../../src/cassette/file/format.js";
import { explainOfferMiss, explainPromptMiss, formatMiss } from "../../../src/cassette/replay/miss.js";
import { cassetteProvider } from "../../../src/cassette/replay/replay.js";
import type { JsonValue, LlmMessage, LlmTurnRequest } from "../../../src/core/index.js";
import { verifyKept } from "../../support/oracle.js";
import { prompt, recordTurns, runWeather, user, weatherCassette } from "../../support/recording.js";
import { rejection } from "../../support/refusal.js";
import { say } from "../../support/script.js";
import { SAMPLES } from "../../support/secrets.js";

afterAll(verifyKept);

const CHOICES =
  "If the change was not intended, undo it. Otherwise record it again (with useCassette: CASSETTE_MODE=refresh) and review the new cassette.";

async function missOf(promise: Promise<unknown>): Promise<CassetteError & { miss: MissReport }> {
  const error = (await rejection(promise)) as CassetteError;
  expect(error).toBeInstanceOf(CassetteError);
  expect(error.miss).toBeDefined();
  return error as CassetteError & { miss: MissReport };
}

/** The miss of the last request, the ones before it being answered. */
async function missAt(cassette: Cassette, ...requests: LlmTurnRequest[]) {
  const replay = cassetteProvider(cassette);
  for (const request of requests.slice(0, -1)) await replay.turn(request);
  return missOf(replay.turn(requests.at(-1) as LlmTurnRequest));
}

describe("the text of a miss", () => {
  it("names a changed system prompt in full", async () => {
    const error = await missOf(
      runWeather(cassetteProvider(await weatherCassette()), { systemPrompt: "You are blunt." }),
    );
    expect(error.summary).toBe(
      [
        "turn 0: the system prompt changed",
        "  at       /0/content",
        '  recorded "You are brief."',
        '  now      "You are blunt."',
        "  nearest  recorded turn 0",
      ].join("\n"),
    );
    expect(error.hint).toBe(CHOICES);
    expect(error.miss).toEqual({
      code: "prompt-changed",
      turn: 0,
      nearest: { turnIndex: 0, used: false },
      messageIndex: 0,
      pointer: "/0/content",
      recorded: '"You are brief."',
      actual: '"You are blunt."',
      what: "the system prompt changed",
      hint: CHOICES,
    });
  });

  it("names a changed tool result in full", async () => {
    const error = await missOf(runWeather(cassetteProvider(await weatherCassette()), { weather: "sun" }));
    expect(error.summary).toBe(
      [
        "turn 1: the result of tool weather changed (message 3)",
        "  at       /3/content",
        '  recorded "rain"',
        '  now      "sun"',
        "  nearest  recorded turn 1",
      ].join("\n"),
    );
    expect(error.miss).toMatchObject({ turn: 1, messageIndex: 3, nearest: { turnIndex: 1, used: false } });
  });

  it("names one message too many in full", async () => {
    const cassette = await recordTurns([prompt("a"), prompt("a", "b")], [say("1"), say("2")]);
    const error = await missAt(cassette, prompt("a"), prompt("a", "b", "please"));
    expect(error.summary).toBe(
      [
        "turn 1: the prompt has a message that the recording does not have (message 2, role user)",
        "  at       /2",
        "  recorded (nothing)",
        '  now      {"role":"user","content":"please"}',
        "  nearest  recorded turn 1",
      ].join("\n"),
    );
    expect("recorded" in error.miss).toBe(false);
  });

  it("names a hashes-only cassette in full", async () => {
    const cassette = await weatherCassette({ prompts: false });
    const error = await missOf(runWeather(cassetteProvider(cassette), { weather: "sun" }));
    expect(error.summary).toBe(
      [
        "turn 1: the prompt changed, but the cassette holds only hashes, which do not show where",
        "  nearest  recorded turn 1",
      ].join("\n"),
    );
    expect(error.hint).toBe(`${CHOICES} A recording that keeps prompts says more.`);
    expect(Object.keys(error.miss)).toEqual(["code", "turn", "what", "nearest", "hint"]);
  });

  it("names a missing message", async () => {
    const cassette = await recordTurns([prompt("a", "b")], [say("1")]);
    const error = await missAt(cassette, prompt("a"));
    expect(error.summary).toBe(
      [
        "turn 0: the prompt lacks a message that the recording has (message 1, role user)",
        "  at       /1",
        '  recorded {"role":"user","content":"b"}',
        "  now      (nothing)",
        "  nearest  recorded turn 0",
      ].join("\n"),
    );
  });

  it.each<[string, LlmMessage, LlmMessage, string, string]>([
    ["a user message", user("a"), user("b"), "the user message changed (message 1)", "/1/content"],
    [
      "an earlier answer",
      { role: "assistant", content: "", toolCalls: [{ id: "c", name: "t", arguments: { "a/b": [1, 2] } }] },
      { role: "assistant", content: "", toolCalls: [{ id: "c", name: "t", arguments: { "a/b": [1, 3] } }] },
      "an earlier answer changed (message 1); the two differ only in a number",
      "/1/toolCalls/0/arguments/a~1b/1",
    ],
    [
      "a role",
      user("a"),
      { role: "assistant", content: "a" },
      "message 1 had the role user and now has assistant",
      "/1/role",
    ],
    [
      "an error flag",
      { role: "tool", toolCallId: "c", name: "t", content: "x" },
      { role: "tool", toolCallId: "c", name: "t", content: "x", isError: true },
      "the result of tool t changed (message 1)",
      "/1/isError",
    ],
  ])("says that %s changed", async (_, before, now, what, pointer) => {
    const cassette = await recordTurns([{ messages: [user("go"), before] }], [say("1")]);
    const error = await missAt(cassette, { messages: [user("go"), now] });
    expect([error.miss.what, error.pointer, error.miss.messageIndex]).toEqual([what, pointer, 1]);
  });

  it("cuts long values around the place where they part, and no character in two", async () => {
    const [left, right] = ["L", "R"].map((side) => "😀".repeat(200) + side + "é".repeat(200));
    const error = await missAt(await recordTurns([prompt(left as string)], [say("1")]), prompt(right as string));
    const recorded = `…${"😀".repeat(30)}L${"é".repeat(59)}…`;
    expect(error.miss.recorded).toBe(recorded);
    expect(error.miss.actual).toBe(recorded.replace("L", "R"));
    expect(error.summary.isWellFormed()).toBe(true);
  });

  it("is well-formed where the cut falls into the middle of a character", async () => {
    const error = await missAt(
      await recordTurns([prompt("a" + "😀".repeat(100) + "L")], [say("1")]),
      prompt("a" + "😀".repeat(100) + "R"),
    );
    expect(error.summary.isWellFormed()).toBe(true);
    expect(error.miss.recorded).toMatch(/L"$/);
  });
});

describe("a secret in a live prompt", () => {
  it("is not shown, wherever the cut falls, though the recording was never scrubbed of it", async () => {
    const cassette = await recordTurns([prompt("the key is none")], [say("ok")], { redact: false });
    for (const { secret } of [...(SAMPLES["github-token"] ?? []), ...(SAMPLES["anthropic-key"] ?? [])]) {
      for (const before of ["", "x".repeat(20), "x".repeat(40)]) {
        const error = await missAt(cassette, prompt(`the key is ${before} ${secret} yes`));
        expect(error.message).toContain("*****");
        expect(error.message).not.toContain(secret.slice(-12));
        expect(JSON.stringify(error.miss)).not.toContain(secret.slice(0, 12));
      }
    }
  });
});

describe("the nearest recorded turn", () => {
  const script = ["1", "2", "3"].map((text) => say(text));

  it("is the one whose prompt goes along the longest, and says so when it was used", async () => {
    const cassette = await recordTurns([prompt("a", "b", "c"), prompt("x"), prompt("y")], script);
    const error = await missAt(cassette, prompt("a", "b", "c"), prompt("a", "b", "d"));
    expect(error.miss).toMatchObject({ turn: 1, messageIndex: 2, nearest: { turnIndex: 0, used: true } });
    expect(error.summary).toContain("\n  nearest  recorded turn 0, which was already used");
  });

  it("is the next in line where several go along equally long", async () => {
    const cassette = await recordTurns([prompt("a"), prompt("b"), prompt("c")], script);
    const error = await missAt(cassette, prompt("a"), prompt("z"));
    expect(error.miss.nearest).toEqual({ turnIndex: 1, used: false });
  });
});

describe("explainPromptMiss", () => {
  const texts = fc.array(fc.constantFrom("a", "b"), { maxLength: 4 });

  it("finds the nearest turn and the first message as a look at every whole prompt does", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { minLength: 1, maxLength: 6 }), texts, fc.nat(5), async (all, now, seed) => {
        const cursor = seed % all.length;
        const cassette = await recordTurns(
          all.map((each) => prompt(...each)),
          all.map(() => say("x")),
        );
        const alike = all.map((each) => {
          const parting = each.findIndex((text, index) => text !== now[index]);
          return parting < 0 ? each.length : parting;
        });
        const best = Math.max(...alike);
        const nearest = alike[cursor] === best ? cursor : alike.indexOf(best);
        fc.pre(all[nearest]?.length !== best || now.length !== best);
        const miss = explainPromptMiss(cassette, prompt(...now).messages, 0, [], cursor);
        expect(miss).toMatchObject({ nearest: { turnIndex: nearest }, messageIndex: best });
      }),
    );
  });

  it("explains a conversation of 30,000 turns", () => {
    const entries = Array.from({ length: 30_000 }, (_, turnIndex) => ({
      turnIndex,
      prompt: { keep: turnIndex, messages: [user(`message ${turnIndex}`)] },
    }));
    const live = [...entries.slice(0, -1).flatMap((entry) => entry.prompt.messages), user("other")];
    const miss = explainPromptMiss({ version: 2, entries } as unknown as Cassette, live, 7, [], 29_999);
    expect(miss).toMatchObject({ nearest: { turnIndex: 29_999 }, messageIndex: 29_999, pointer: "/29999/content" });
  });
});

describe("what a terminal acts on", () => {
  const CONTROLS = /[\u0000-\u0009\u000b-\u001f\u009b\u202e\u200b]/;
  const odd = "\u001b[2Jtool\n  nearest  recorded turn 9\u202e";
  const asked = (content: string): LlmTurnRequest => ({
    messages: [user("a"), { role: "tool", toolCallId: "1", name: odd, content }],
    tools: [{ name: odd, description: "d", schema: {} }],
  });

  it("is written as an escape in the words of a miss, and forges no line", async () => {
    const cassette = await recordTurns([asked("1 \u009b31m")], [say("x")]);
    const changed = await missAt(cassette, asked("2 \u200b"));
    expect(changed.summary.split("\n")).toEqual([
      "turn 0: the result of tool \\u001b[2Jtool\\n  nearest  recorded turn 9\\u202e changed (message 1)",
      "  at       /1/content",
      '  recorded "1 \\u009b31m"',
      '  now      "2 \\u200b"',
      "  nearest  recorded turn 0",
    ]);
    for (const request of [
      { ...asked("1 \u009b31m"), tools: [] },
      { messages: [...asked("1 \u009b31m").messages, ...asked("3").messages.slice(1)] },
      { ...asked("1 \u009b31m"), settings: { [odd]: "x" } as LlmTurnRequest["settings"] & object },
    ]) {
      const error = await missAt(cassette, request);
      expect(error.message).not.toMatch(CONTROLS);
      expect(error.miss.what).not.toMatch(/\n/);
      expect(error.summary.split("\n").filter((line) => line.startsWith("  nearest"))).toHaveLength(1);
    }
  });

  it("is written as an escape in the name of a file and in a hint, which stay as they are as data", () => {
    const error = new CassetteError("not-json", "no\u001b", { file: "a\n\u001b.json", hint: "do\u202e" });
    expect(error.message).toBe("no\\u001b\n  file     a\\n\\u001b.json\n  to do    do\\u202e");
    expect(error.file).toBe("a\n\u001b.json");
  });
});

describe("a turn in which more than one thing changed", () => {
  const look = { name: "look", description: "Looks.", schema: {} };
  const asked: LlmTurnRequest = { ...prompt("a"), tools: [look], settings: { temperature: 0 } };
  const recorded = () => recordTurns([asked], [say("x")]);

  it("is told with its prompt, its tools and its settings", async () => {
    const error = await missAt(await recorded(), { ...prompt("b"), tools: [], settings: { temperature: 1 } });
    expect(error.summary.split("\n")).toEqual([
      "turn 0: the user message changed (message 0)",
      "  at       /0/content",
      '  recorded "a"',
      '  now      "b"',
      "  nearest  recorded turn 0",
      "  also     tool look was removed",
      "  also     the setting temperature changed",
    ]);
    expect(error.code).toBe("prompt-changed");
    expect(error.miss.also).toEqual(["tool look was removed", "the setting temperature changed"]);
  });

  it("is told with its settings where the tools changed first", async () => {
    const error = await missAt(await recorded(), { ...asked, tools: [], settings: { temperature: 1 } });
    expect([error.code, error.miss.what]).toEqual(["tools-changed", "tool look was removed"]);
    expect(error.miss.also).toEqual(["the setting temperature changed"]);
  });

  it.each<[string, LlmTurnRequest]>([
    ["the prompt", { ...asked, ...prompt("b") }],
    ["the tools", { ...asked, tools: [] }],
    ["the settings", { ...asked, settings: {} }],
  ])("has nothing more to tell where %s alone changed", async (_, request) => {
    const error = await missAt(await recorded(), request);
    expect(error.miss.also).toBeUndefined();
    expect(error.summary).not.toContain("also");
  });

  it("is compared with the tools of the nearest recorded turn, not with those of another", async () => {
    const later: LlmTurnRequest = { ...prompt("a", "b"), tools: [] };
    const cassette = await recordTurns([asked, later], [say("x"), say("y")]);
    expect((await missAt(cassette, { ...later, ...prompt("a", "c") })).miss).toMatchObject({
      nearest: { turnIndex: 0, used: false },
      also: ["tool look was removed", "the setting temperature was removed"],
    });
    const afterFirst = await missAt(cassette, asked, { ...later, ...prompt("a", "b", "c") });
    expect(afterFirst.miss.nearest?.turnIndex).toBe(1);
    expect(afterFirst.miss.also).toBeUndefined();
  });

  it("is told where the recording has run out, too", async () => {
    const error = await missAt(await recorded(), asked, { ...prompt("b"), settings: { temperature: 0 } });
    expect([error.code, error.miss.also]).toEqual(["exhausted", ["tool look was removed"]]);
  });
});

describe("explainOfferMiss", async () => {
  const recording = await weatherCassette();
  /** The report for an offer in which one part changed. A part that is undefined is known by its hash alone. */
  const explain = (part: "tools" | "settings", old: JsonValue | undefined, now: JsonValue): MissReport => {
    const same = { toolsHash: "", settingsHash: "", tools: [], settings: {} };
    const recorded = { fromTurn: 0, ...same, [`${part}Hash`]: "old", [part]: old } as ContextExtension;
    return explainOfferMiss(recording, recorded, { ...same, [`${part}Hash`]: "new", [part]: now }, 3, 2) as MissReport;
  };

  it("has no pointer where the cassette holds only the hash of its tools", () => {
    const report = explain("tools", undefined, []);
    expect(formatMiss(report)).toBe(
      "turn 3: the tools changed, but the cassette holds only their hash\n  nearest  recorded turn 2",
    );
  });

  const weather = {
    name: "weather",
    description: "Weather.",
    schema: { properties: { city: { type: "string" } } },
  };
  const clock = { name: "clock", description: "The time.", schema: {} };
  const inCity = (type: string) => ({ ...weather, schema: { properties: { city: { type } } } });

  it.each<[string, JsonValue, JsonValue, string, string, string | undefined, string | undefined]>([
    [
      "a description",
      [clock, weather],
      [clock, { ...weather, description: "Rain?" }],
      "the description of tool weather changed",
      "/1/description",
      '"Weather."',
      '"Rain?"',
    ],
    [
      "a schema",
      [weather],
      [inCity("number")],
      "the schema of tool weather changed at /properties/city/type",
      "/0/schema/properties/city/type",
      '"string"',
      '"number"',
    ],
    [
      "a new tool before the others",
      [weather],
      [clock, weather],
      "tool clock was added",
      "/0",
      undefined,
      JSON.stringify(clock),
    ],
    [
      "a tool that is gone",
      [clock, weather],
      [weather],
      "tool clock was removed",
      "/0",
      JSON.stringify(clock),
      undefined,
    ],
    [
      "another order",
      [clock, weather],
      [weather, clock],
      "the tools are in a different order",
      "/0/name",
      '"clock"',
      '"weather"',
    ],
    [
      "a field that no definition of ours has",
      [weather],
      [{ ...weather, strict: true }],
      "the field strict of tool weather was added",
      "/0/strict",
      undefined,
      "true",
    ],
    [
      "several changes",
      [weather, { ...clock, name: "__proto__" }],
      [{ ...inCity("number"), description: "Rain?" }, clock],
      "tool __proto__ was removed, tool clock was added, the description of tool weather changed, and 1 more change",
      "/1",
      JSON.stringify({ ...clock, name: "__proto__" }),
      undefined,
    ],
    [
      "a schema that means the same",
      [{ ...weather, schema: { required: ["a", "b"] } }],
      [{ ...weather, schema: { required: ["b", "a"] } }],
      "the schema of tool weather has the same meaning but is written differently at /required",
      "/0/schema/required/0",
      '"a"',
      '"b"',
    ],
    [
      "a property in place of another",
      [weather],
      [{ ...weather, schema: { properties: { town: { type: "string" } } } }],
      "the schema of tool weather no longer has /properties/city, the schema of tool weather now has /properties/town",
      "/0/schema/properties/city",
      '{"type":"string"}',
      undefined,
    ],
    ["two tools of one name", [clock, clock], [clock], "the tools changed", "/1", JSON.stringify(clock), undefined],
  ])("names the tool: %s", (_, old, now, what, pointer, recorded, actual) => {
    const report = explain("tools", old, now);
    expect(report).toMatchObject({ what, pointer });
    expect([report.recorded, report.actual]).toEqual([recorded, actual]);
  });

  it.each<[JsonValue, JsonValue, string, string, string | undefined, string | undefined]>([
    [{ temperature: 0 }, { temperature: 1 }, "the setting temperature changed", "/temperature", "0", "1"],
    [{}, { seed: 1 }, "the setting seed was added", "/seed", undefined, "1"],
    [{ stop: ["."] }, {}, "the setting stop was removed", "/stop", '["."]', undefined],
    [{ a: { "b/c": [1] } }, { a: { "b/c": [2] } }, "the setting a changed at /b~1c/0", "/a/b~1c/0", "1", "2"],
    [
      { seed: 1, temperature: 0 },
      { seed: 2, temperature: 1 },
      "the setting seed changed, the setting temperature changed",
      "/seed",
      "1",
      "2",
    ],
  ])("names the setting: %j and %j", (old, now, what, pointer, recorded, actual) => {
    const report = explain("settings", old, now);
    expect(report).toMatchObject({ what, pointer });
    expect([report.recorded, report.actual]).toEqual([recorded, actual]);
  });

  it("calls the whole the whole", () => {
    expect(formatMiss(explain("settings", {}, []))).toContain("at       (the whole)");
  });
});
