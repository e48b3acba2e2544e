import { afterAll, describe, expect, it } from "vitest";
import { CassetteError } from "../../../src/cassette/errors.js";
import { parseCassette } from "../../../src/cassette/trust/load-cassette.js";
import { rebuildPrompts } from "../../../src/cassette/prompt/rebuild.js";
import { hashPrompt } from "../../../src/cassette/prompt/prompt-delta.js";
import { recordingProvider } from "../../../src/cassette/record/recording-provider.js";
import { formatCassette } from "../../../src/cassette/trust/cassette-store.js";
import { hashJson } from "../../../src/core/canon/digest.js";
import type { LlmMessage } from "../../../src/core/model/message.js";
import type { LlmProviderAdapter, LlmTurnRequest, LlmTurnResponse } from "../../../src/core/model/provider.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { createRuntime } from "../../../src/core/runtime/runtime.js";
import { keepForOracle, recordedCassette, verifyKept } from "../../support/oracle.js";
import { draft, fixedPorts, prompt, recordTurns, runWeather, user, weatherCassette } from "../../support/recording.js";
import { refusal, rejection } from "../../support/refusal.js";
import { ask, say } from "../../support/script.js";

afterAll(verifyKept);

/** A provider whose calls are answered from outside, each when the test says so. */
function manualProvider() {
  const calls: { resolve: (response: LlmTurnResponse) => void; reject: (error: unknown) => void }[] = [];
  const provider: LlmProviderAdapter = {
    name: "manual",
    turn: () => new Promise((resolve, reject) => calls.push({ resolve, reject })),
  };
  return { provider, call: (index: number) => calls[index] as (typeof calls)[0] };
}

const answering = (response: unknown): LlmProviderAdapter => ({ turn: async () => response as LlmTurnResponse });

async function notRecordable(promise: Promise<unknown>): Promise<CassetteError> {
  const error = await rejection(promise);
  expect(error).toBeInstanceOf(CassetteError);
  expect((error as CassetteError).code).toBe("not-recordable");
  return error as CassetteError;
}

describe("recordingProvider", () => {
  it("PLK-102 wraps a provider and gives its cassette for an agent", async () => {
    const recorder = recordingProvider(scriptedProvider([say("hi")]), { ports: fixedPorts() });
    await recorder.turn(prompt("hello"));
    expect(recordedCassette(recorder, { agentId: "greeter" })).toEqual({
      version: 2,
      agentId: "greeter",
      recordedAt: "2026-11-20T12:00:00.000Z",
      recordedProvider: "scripted",
      cassetteId: "000102030405060708090a0b0c0d0e0f",
      entries: [
        {
          turnIndex: 0,
          promptHash: hashJson([user("hello")]),
          prompt: { keep: 0, messages: [user("hello")] },
          responseHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
          response: say("hi"),
        },
      ],
      extensions: {
        createdWith: "playhead/0.1.0",
        prompts: true,
        contexts: [{ fromTurn: 0, toolsHash: hashJson([]), settingsHash: hashJson({}), tools: [], settings: {} }],
      },
      envelopeHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
  });

  it("PLK-108 PLK-109 PLK-114 always writes version 2, with the fields of the format and no others", async () => {
    const cassette = await weatherCassette();
    expect(cassette.version).toBe(2);
    expect(Object.keys(cassette)).toEqual([
      "version",
      "agentId",
      "recordedAt",
      "recordedProvider",
      "cassetteId",
      "entries",
      "extensions",
      "envelopeHash",
    ]);
    for (const entry of cassette.entries) {
      expect(Object.keys(entry)).toEqual(["turnIndex", "promptHash", "prompt", "responseHash", "response"]);
    }
    expect(Object.keys(await recordTurns([prompt("a")], [say("b")]))).not.toContain("agentId");
  });

  it("PLK-110 hashes the canonical list of all messages of each turn", async () => {
    const recorder = recordingProvider(scriptedProvider([ask([{ name: "weather" }]), say("x")]));
    const { messages } = await runWeather(recorder);
    const cassette = recordedCassette(recorder);
    expect(cassette.entries.map((entry) => entry.promptHash)).toEqual([
      hashJson(messages.slice(0, 2)),
      hashJson(messages.slice(0, 4)),
    ]);
  });

  it("PLK-115 PLK-119 hashes each turn and the envelope as the format says", async () => {
    const { entries, envelopeHash, ...envelope } = draft(await weatherCassette());
    for (const { turnIndex, promptHash, response, responseHash } of entries) {
      expect(responseHash).toBe(hashJson({ cassetteId: envelope.cassetteId, turnIndex, promptHash, response }));
    }
    expect(envelopeHash).toBe(hashJson({ ...envelope, entryDigests: entries.map((entry) => entry.responseHash) }));
  });

  it("PLK-118 makes its identity of 16 random bytes at the first turn and keeps it", async () => {
    const lengths: number[] = [];
    const randomBytes = (length: number) => {
      lengths.push(length);
      return new Uint8Array(length).fill(0xab);
    };
    const recorder = recordingProvider(scriptedProvider([say("1"), say("2")]), { ports: { randomBytes } });
    expect(lengths).toEqual([]);
    await recorder.turn(prompt("a"));
    const early = recordedCassette(recorder);
    await recorder.turn(prompt("b"));
    expect(lengths).toEqual([16]);
    expect([early.cassetteId, recordedCassette(recorder).cassetteId]).toEqual(["ab".repeat(16), "ab".repeat(16)]);
  });

  it("PLK-118 gives two recordings two identities where the system gives the bytes", async () => {
    const [a, b] = await Promise.all(
      [1, 2].map(async () => {
        const recorder = recordingProvider(scriptedProvider([say("x")]));
        await recorder.turn(prompt("a"));
        return recordedCassette(recorder).cassetteId;
      }),
    );
    expect(a).toMatch(/^[0-9a-f]{32}$/);
    expect(a).not.toBe(b);
  });

  it("PLK-107 gives a cassette that JSON keeps whole", async () => {
    const cassette = await weatherCassette();
    expect(JSON.parse(JSON.stringify(cassette, null, 2))).toEqual(cassette);
    expect(JSON.stringify(cassette, null, 2) + "\n").toBe(formatCassette(cassette));
  });

  it("gives a frozen cassette that later turns do not change", async () => {
    const recorder = recordingProvider(scriptedProvider([say("1"), say("2")]));
    await recorder.turn(prompt("a"));
    const first = recordedCassette(recorder);
    await recorder.turn(prompt("a", "b"));
    expect(first.entries).toHaveLength(1);
    expect(recordedCassette(recorder).entries).toHaveLength(2);
    expect(recorder.turns).toBe(2);
    expect(Object.isFrozen(first.entries[0]?.response.message)).toBe(true);
  });

  it("gives a cassette without entries before any turn, which loads", () => {
    const cassette = recordedCassette(recordingProvider(scriptedProvider([]), { ports: fixedPorts() }));
    expect(cassette.entries).toEqual([]);
    expect(parseCassette(formatCassette(cassette))).toEqual(cassette);
  });
});

describe("a recorder as an observer", () => {
  it("PLK-132 passes on the very request, the very response and the very error", async () => {
    const requests: LlmTurnRequest[] = [];
    const response = say("hi");
    const failure = new Error("vendor down");
    const inner: LlmProviderAdapter = {
      name: "inner",
      async turn(request) {
        requests.push(request);
        if (requests.length === 2) throw failure;
        return response;
      },
    };
    const recorder = recordingProvider(inner);
    const request = prompt("hello");
    expect(await recorder.turn(request)).toBe(response);
    expect(requests[0]).toBe(request);
    expect(await rejection(recorder.turn(request))).toBe(failure);
    expect(Object.isFrozen(response) || Object.isFrozen(request.messages)).toBe(false);
    expect(recordedCassette(recorder).entries).toHaveLength(1);
  });

  it("PLK-132 rejects with what was thrown, be it synchronous or no error at all", async () => {
    const thrown: unknown[] = [undefined, "text", new TypeError("sync")];
    for (const value of thrown) {
      const recorder = recordingProvider({
        turn() {
          throw value;
        },
      });
      expect(await rejection(recorder.turn(prompt("a")))).toBe(value);
      expect(recorder.turns).toBe(0);
    }
  });

  it("PLK-132 has the provider's name, and destroys it once for each destroy", async () => {
    let destroyed = 0;
    const recorder = recordingProvider({ ...answering(say("x")), name: "openai:m", destroy: () => void destroyed++ });
    expect(recorder.name).toBe("openai:m");
    await recorder.destroy?.();
    expect(destroyed).toBe(1);
    const unnamed = recordingProvider(answering(say("x")));
    expect(unnamed.name).toBe("unnamed");
    await unnamed.destroy?.();
  });

  it("PLK-132 calls the provider before it gives control back", () => {
    let called = false;
    const recorder = recordingProvider({
      turn() {
        called = true;
        return Promise.resolve(say("x"));
      },
    });
    void recorder.turn(prompt("a"));
    expect(called).toBe(true);
  });

  it("keeps an answer as it was, whatever the caller does to it afterwards", async () => {
    const recorder = recordingProvider(answering(ask([{ name: "t", arguments: { list: [1] } }])));
    const response = await recorder.turn(prompt("a"));
    response.message.content = "changed";
    (response.message.toolCalls?.[0]?.arguments["list"] as number[]).push(2);
    expect(recordedCassette(recorder).entries[0]?.response).toEqual(ask([{ name: "t", arguments: { list: [1] } }]));
  });

  it("keeps a prompt as it was, whatever the caller does to it during and after the call", async () => {
    const { provider, call } = manualProvider();
    const recorder = recordingProvider(provider);
    const first: LlmMessage = { role: "user", content: "a" };
    const messages = [first];
    const turn = recorder.turn({ messages });
    first.content = "changed";
    messages.push({ role: "user", content: "b" });
    call(0).resolve(say("x"));
    await turn;
    expect(recordedCassette(recorder).entries[0]?.prompt).toEqual({ keep: 0, messages: [user("a")] });
  });

  it("PLK-137 is an ordinary provider: two agents of two runtimes may share it", async () => {
    const recorder = recordingProvider(scriptedProvider([say("one"), say("two")]), { ports: fixedPorts() });
    const runtime = (id: string) =>
      createRuntime({ agents: [{ id, systemPrompt: `You are ${id}.`, provider: recorder }] });
    expect((await runtime("a").run({ goal: "g" })).finalAnswer).toBe("one");
    expect((await runtime("b").run({ goal: "g" })).finalAnswer).toBe("two");
    expect(recordedCassette(recorder).entries[1]?.prompt).toEqual({
      keep: 0,
      messages: [{ role: "system", content: "You are b." }, user("g")],
    });
  });
});

describe("prompts as deltas", () => {
  it("keeps what the conversation added since the turn before", async () => {
    const { entries } = await weatherCassette();
    expect(entries.map((entry) => [entry.prompt?.keep, entry.prompt?.messages.map(({ role }) => role)])).toEqual([
      [0, ["system", "user"]],
      [2, ["assistant", "tool"]],
    ]);
  });

  it("keeps a shortened, a rewritten and an unchanged prompt", async () => {
    const requests = [prompt("a", "b", "c"), prompt("a", "b"), prompt("a", "x", "y"), prompt("a", "x", "y"), prompt()];
    const cassette = await recordTurns(
      requests,
      ["1", "2", "3", "4", "5"].map((text) => say(text)),
    );
    expect(cassette.entries.map((entry) => [entry.prompt?.keep, entry.prompt?.messages.length])).toEqual([
      [0, 3],
      [2, 0],
      [1, 2],
      [3, 0],
      [0, 0],
    ]);
    expect(rebuildPrompts(cassette)).toEqual(requests.map((request) => request.messages));
    expect(cassette.entries.map((entry) => entry.promptHash)).toEqual(
      requests.map((request) => hashPrompt(request.messages)),
    );
  });

  it("leaves the prompts out with prompts: false, and hashes the same", async () => {
    const [bare, full] = [await weatherCassette({ prompts: false }), await weatherCassette()];
    expect(bare.entries.map((entry) => "prompt" in entry)).toEqual([false, false]);
    expect(bare.entries.map((entry) => entry.promptHash)).toEqual(full.entries.map((entry) => entry.promptHash));
    expect(rebuildPrompts(bare)).toBeUndefined();
    expect(parseCassette(formatCassette(bare))).toEqual(bare);
  });
});

describe("failed calls", () => {
  it("are never recorded, and leave neither a gap nor a wrong delta between two good ones", async () => {
    const steps = [
      say("1"),
      () => {
        throw new Error("500");
      },
      say("3"),
    ];
    const recorder = recordingProvider(scriptedProvider(steps), { ports: fixedPorts() });
    await recorder.turn(prompt("a", "b"));
    await rejection(recorder.turn(prompt("a", "x", "y", "z")));
    await recorder.turn(prompt("a", "x", "y"));
    const cassette = recordedCassette(recorder);
    expect(cassette.entries.map((entry) => entry.turnIndex)).toEqual([0, 1]);
    expect(cassette.entries[1]?.prompt).toEqual({ keep: 1, messages: [user("x"), user("y")] });
    expect(cassette.entries.map((entry) => entry.response.finalAnswer)).toEqual(["1", "3"]);
    expect(parseCassette(formatCassette(cassette))).toEqual(cassette);
  });

  it("before the first good one leave it the first", async () => {
    const recorder = recordingProvider(
      scriptedProvider([() => Promise.reject(new Error("no")), () => Promise.reject(new Error("no")), say("ok")]),
    );
    await rejection(recorder.turn(prompt("a", "b")));
    await rejection(recorder.turn(prompt("a", "b", "c")));
    await recorder.turn(prompt("a", "b"));
    expect(recordedCassette(recorder).entries.map(({ turnIndex, prompt: kept }) => [turnIndex, kept?.keep])).toEqual([
      [0, 0],
    ]);
  });

  it("may be retried with the same prompt", async () => {
    const recorder = recordingProvider(scriptedProvider([say("1"), () => Promise.reject(new Error("429")), say("2")]));
    await recorder.turn(prompt("a"));
    await rejection(recorder.turn(prompt("a", "b")));
    await recorder.turn(prompt("a", "b"));
    expect(recordedCassette(recorder).entries[1]?.prompt).toEqual({ keep: 1, messages: [user("b")] });
  });
});

describe("overlapping calls", () => {
  it("are recorded in the order they were made, however they settle", async () => {
    const { provider, call } = manualProvider();
    const recorder = recordingProvider(provider, { ports: fixedPorts() });
    const turns = [prompt("a"), prompt("a", "b"), prompt("x")].map((request) => recorder.turn(request));
    call(2).resolve(say("third"));
    call(1).resolve(say("second"));
    await Promise.all([turns[1], turns[2]]);
    expect(recorder.turns).toBe(0);
    call(0).resolve(say("first"));
    await turns[0];
    const cassette = recordedCassette(recorder);
    expect(cassette.entries.map((entry) => entry.response.finalAnswer)).toEqual(["first", "second", "third"]);
    expect(rebuildPrompts(cassette)).toEqual([[user("a")], [user("a"), user("b")], [user("x")]]);
  });

  it("of which one fails leave no gap", async () => {
    const { provider, call } = manualProvider();
    const recorder = recordingProvider(provider, { ports: fixedPorts() });
    const turns = [prompt("a"), prompt("b"), prompt("b", "c")].map((request) => recorder.turn(request));
    const failed = rejection(turns[1] as Promise<unknown>);
    call(2).resolve(say("third"));
    call(0).resolve(say("first"));
    call(1).reject(new Error("no"));
    await Promise.all([turns[0], failed, turns[2]]);
    const cassette = recordedCassette(recorder);
    expect(cassette.entries.map(({ turnIndex, response }) => [turnIndex, response.finalAnswer])).toEqual([
      [0, "first"],
      [1, "third"],
    ]);
    expect(rebuildPrompts(cassette)).toEqual([[user("a")], [user("b"), user("c")]]);
    expect(parseCassette(formatCassette(cassette))).toEqual(cassette);
  });

  it("of which the earlier one fails keep the whole prompt of the later one", async () => {
    const { provider, call } = manualProvider();
    const recorder = recordingProvider(provider, { ports: fixedPorts() });
    const first = recorder.turn(prompt("a", "b"));
    call(0).resolve(say("1"));
    await first;
    const failed = rejection(recorder.turn(prompt("x")));
    const later = recorder.turn(prompt("x", "y"));
    call(1).reject(new Error("no"));
    call(2).resolve(say("2"));
    await Promise.all([failed, later]);
    const cassette = recordedCassette(recorder);
    expect(cassette.entries[1]?.prompt).toEqual({ keep: 0, messages: [user("x"), user("y")] });
    expect(parseCassette(formatCassette(cassette))).toEqual(cassette);
  });

  it("refuse toCassette with turn-in-progress until the last one has settled", async () => {
    const { provider, call } = manualProvider();
    const recorder = recordingProvider(provider);
    const turns = [recorder.turn(prompt("a")), recorder.turn(prompt("b"))];
    call(1).resolve(say("2"));
    await turns[1];
    const error = refusal(() => recorder.toCassette()) as CassetteError;
    expect([error.code, error.summary]).toEqual(["turn-in-progress", "2 recorded call(s) are still unanswered"]);
    call(0).resolve(say("1"));
    await turns[0];
    expect(recordedCassette(recorder).entries).toHaveLength(2);
  });
});

describe("what cannot be recorded", () => {
  it.each<[string, unknown]>([
    ["a BigInt", 1n],
    ["a function", () => 1],
    ["a symbol", Symbol("s")],
    ["a Date", new Date(0)],
    ["NaN", NaN],
    ["a lone surrogate", "\udc00"],
  ])("PLK-134 %s in the arguments of a tool call is refused when it happens", async (_, value) => {
    const inner = answering(ask([{ name: "t", arguments: { deep: [{ value }] } as never }]));
    const recorder = recordingProvider(inner);
    const error = await notRecordable(recorder.turn(prompt("a")));
    expect(error.pointer).toBe("/message/toolCalls/0/arguments/deep/0/value");
    expect(error.summary).toContain("this turn cannot be recorded");
    expect(recorder.turns).toBe(0);
  });

  it("is left out, and the turns after it are numbered without a gap", async () => {
    const answers: unknown[] = [ask([{ name: "t", arguments: { n: 1n } as never }]), say("ok")];
    const recorder = recordingProvider({ turn: async () => answers.shift() as LlmTurnResponse });
    await notRecordable(recorder.turn(prompt("a", "b")));
    await recorder.turn(prompt("a", "c"));
    expect(recordedCassette(recorder).entries.map(({ turnIndex, prompt: kept }) => [turnIndex, kept])).toEqual([
      [0, { keep: 0, messages: [user("a"), user("c")] }],
    ]);
  });

  it("a prompt, tools or settings that are not JSON are refused before anything is spent", async () => {
    let spent = 0;
    const recorder = recordingProvider({ turn: async () => (spent++, say("x")) });
    const bad = { role: "user", content: 1n } as unknown as LlmMessage;
    await recorder.turn(prompt("a", "b"));
    await notRecordable(recorder.turn({ messages: [user("a"), bad] }));
    await notRecordable(recorder.turn({ ...prompt("a"), settings: { seed: NaN } }));
    await notRecordable(
      recorder.turn({ ...prompt("a"), tools: [{ name: "t", description: "", schema: { at: new Date(0) as never } }] }),
    );
    expect(spent).toBe(1);
    await recorder.turn(prompt("a", "b", "c"));
    const cassette = recordedCassette(recorder);
    expect(rebuildPrompts(cassette)).toEqual([
      [user("a"), user("b")],
      [user("a"), user("b"), user("c")],
    ]);
    expect(parseCassette(formatCassette(cassette))).toEqual(cassette);
  });

  it.each<[string, unknown, string]>([
    ["nothing", undefined, "it is not an object"],
    ["text", "hello", "it is not an object"],
    ["no message", { stopReason: "stop" }, "/message is not an object"],
    ["a stop reason nobody knows", { ...say("x"), stopReason: "done" }, "/stopReason is not one of"],
  ])("a provider that answers %s", async (_, response, said) => {
    const error = await notRecordable(recordingProvider(answering(response)).turn(prompt("a")));
    expect(error.summary).toContain(said);
  });
});

describe("extensions", () => {
  it("of the caller are kept in addition to our own, which win", async () => {
    const recorder = recordingProvider(scriptedProvider([say("x")]), { ports: fixedPorts() });
    await recorder.turn(prompt("a"));
    const { extensions } = recordedCassette(recorder, {
      extensions: { ticket: "T-1", createdWith: "me", gone: undefined },
    });
    expect(extensions).toMatchObject({ ticket: "T-1", createdWith: "playhead/0.1.0" });
    expect(Object.keys(extensions ?? {})).toEqual(["ticket", "createdWith", "prompts", "contexts"]);
  });

  it("that are not JSON are refused as not-recordable", async () => {
    const recorder = recordingProvider(scriptedProvider([]));
    const error = refusal(() => recorder.toCassette({ extensions: { n: 1n } })) as CassetteError;
    expect([error.code, error.pointer]).toEqual(["not-recordable", "/n"]);
  });

  it("say filtered and redacted when a filter or a redaction was at work, and not otherwise", async () => {
    const plain = await recordTurns([prompt("a")], [say("x")]);
    const both = await recordTurns([prompt("a")], [say("x")], {
      hashFilter: (messages) => messages,
      redact: (response) => response,
    });
    expect(Object.keys(plain.extensions ?? {})).toEqual(["createdWith", "prompts", "contexts"]);
    expect(both.extensions).toMatchObject({ filtered: true, redacted: ["custom"] });
  });
});

describe("a recorder of a recorder", () => {
  it("records the same bytes", async () => {
    const inner = recordingProvider(scriptedProvider([say("x")]), { ports: fixedPorts() });
    const outer = recordingProvider(inner, { ports: fixedPorts() });
    await outer.turn(prompt("a"));
    expect(formatCassette(keepForOracle(outer.toCassette()))).toBe(formatCassette(recordedCassette(inner)));
  });
});
