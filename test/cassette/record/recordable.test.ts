// What the recorder keeps, its own loader takes; everything else is refused at the turn that brings it.

import { afterAll, describe, expect, it } from "vitest";
import { CassetteError } from "../../../src/cassette/errors.js";
import { parseCassette } from "../../../src/cassette/trust/load-cassette.js";
import { recordingProvider } from "../../../src/cassette/record/recording-provider.js";
import { cassetteProvider } from "../../../src/cassette/replay/replay.js";
import { formatCassette } from "../../../src/cassette/trust/cassette-store.js";
import type { LlmMessage } from "../../../src/core/model/message.js";
import type { LlmTurnRequest, LlmTurnResponse } from "../../../src/core/model/provider.js";
import { recordedCassette, verifyKept } from "../../support/oracle.js";
import { fixedPorts, prompt, user } from "../../support/recording.js";
import { refusal, rejection } from "../../support/refusal.js";
import { ask, deepObject, say } from "../../support/script.js";

afterAll(verifyKept);

function watched(response: LlmTurnResponse = say("x")) {
  const calls: LlmTurnRequest[] = [];
  const turn = async (request: LlmTurnRequest) => (calls.push(request), response);
  return { calls, turn };
}

async function notRecordable(promise: Promise<unknown>): Promise<CassetteError> {
  const error = (await rejection(promise)) as CassetteError;
  expect(error).toBeInstanceOf(CassetteError);
  expect(error.code).toBe("not-recordable");
  return error;
}

describe("a message that the loader would refuse", () => {
  it.each<[string, unknown, string, string]>([
    ["null for an answer's content", { role: "assistant", content: null, toolCalls: [] }, "/content", "a string"],
    ["the role developer", { role: "developer", content: "a" }, "/role", "one of system, user, assistant, tool"],
    ["a tool's content in parts", { role: "tool", toolCallId: "a", name: "n", content: [] }, "/content", "a string"],
    ["a tool's answer without its name", { role: "tool", toolCallId: "a", content: "x" }, "/name", "a string"],
    ["no content", { role: "user" }, "/content", "a string or a list of parts"],
  ])("is refused before the provider is called, each time: %s", async (_, message, field, expected) => {
    const inner = watched();
    const recorder = recordingProvider(inner);
    const messages = [user("a"), message as LlmMessage];
    for (let time = 0; time < 2; time++) {
      const error = await notRecordable(recorder.turn({ messages }));
      expect([error.summary, error.pointer]).toEqual([
        `message 1 of the prompt is malformed: ${field} is not ${expected}`,
        `/1${field}`,
      ]);
    }
    expect(inner.calls).toHaveLength(0);
    await recorder.turn({ messages: [user("a"), user("b")] });
    expect(parseCassette(formatCassette(recordedCassette(recorder))).entries).toHaveLength(1);
  });

  it("PLK-130 is refused where hashFilter made it", async () => {
    const recorder = recordingProvider(watched(), { hashFilter: (all) => all.map(({ role }) => ({ role }) as never) });
    expect((await notRecordable(recorder.turn(prompt("a")))).hint).toContain("hashFilter");
  });
});

describe("nesting", () => {
  const call = (levels: number) => ask([{ name: "t", arguments: deepObject(levels) }]);
  /** Levels around the arguments in the file, the root included. */
  const inResponse = 7;
  const inPrompt = 8;

  it("of arguments is recorded as far as a file may go, and refused at its turn beyond", async () => {
    const fits = recordingProvider(watched(call(128 - inResponse)), { ports: fixedPorts() });
    await fits.turn(prompt("a"));
    expect(parseCassette(formatCassette(recordedCassette(fits))).entries).toHaveLength(1);
    const beyond = recordingProvider(watched(call(129 - inResponse)));
    expect((await notRecordable(beyond.turn(prompt("a")))).summary).toBe(
      "the response is nested deeper than the 125 levels a cassette has room for",
    );
    expect(recordedCassette(beyond).entries).toEqual([]);
  });

  it("of a message is recorded as far as a file may go, and refused before the call beyond", async () => {
    const asking = (levels: number): LlmTurnRequest => ({ messages: [user("a"), call(levels).message] });
    const inner = watched();
    const recorder = recordingProvider(inner, { ports: fixedPorts() });
    await recorder.turn(asking(128 - inPrompt));
    const error = await notRecordable(recorder.turn(asking(129 - inPrompt)));
    expect([error.summary, error.pointer]).toEqual([
      "message 1 of the prompt is nested deeper than the 123 levels a cassette has room for",
      "/1",
    ]);
    expect(inner.calls).toHaveLength(1);
    expect(parseCassette(formatCassette(recordedCassette(recorder))).entries).toHaveLength(1);
  });

  it("of tools and settings is recorded as far as a file may go, and refused before the call beyond", async () => {
    const tool = (levels: number) => ({
      ...prompt("a"),
      tools: [{ name: "t", description: "", schema: deepObject(levels) }],
    });
    const format = (levels: number) => ({
      ...prompt("a"),
      settings: { responseFormat: { name: "f", schema: deepObject(levels) } },
    });
    const inner = watched();
    const recorder = recordingProvider(inner, { ports: fixedPorts() });
    await recorder.turn(tool(122));
    await recorder.turn(format(122));
    for (let time = 0; time < 2; time++) {
      expect((await notRecordable(recorder.turn(tool(123)))).pointer).toBe("/tools");
      expect((await notRecordable(recorder.turn(format(123)))).pointer).toBe("/settings");
    }
    expect(inner.calls).toHaveLength(2);
    expect(parseCassette(formatCassette(recordedCassette(recorder))).entries).toHaveLength(2);
  });
});

describe("what goes into the envelope", () => {
  it.each([5, "\ud800", {}])("is a provider's name only if it is well-formed text: %j", (name) => {
    const error = refusal(() => recordingProvider({ ...watched(), name: name as string }));
    expect(error).toMatchObject({ code: "invalid-options" });
  });

  it.each<[string, object]>([
    ["a lone surrogate in agentId", { agentId: "\ud800" }],
    ["a number for agentId", { agentId: 5 }],
    ["an extension that is not JSON", { extensions: { at: new Date(0) } }],
    ["an extension that lies too deep", { extensions: { deep: deepObject(127) } }],
    ["invalid contexts", { extensions: { contexts: "none" } }],
  ])("is refused by toCassette as not recordable: %s", (_, options) => {
    const error = refusal(() => recordingProvider(watched()).toCassette(options));
    expect(error).toBeInstanceOf(CassetteError);
    expect(error).toMatchObject({ code: "not-recordable" });
  });

  it("is refused where the ports give no identity", () => {
    const ports = { randomBytes: () => new Uint8Array(3) };
    expect(refusal(() => recordingProvider(watched(), { ports }).toCassette())).toMatchObject({
      code: "not-recordable",
      pointer: "/cassetteId",
    });
  });
});

it("whatever a recording holds, its loader takes and its replay answers", async () => {
  const recorder = recordingProvider(watched(), { ports: fixedPorts() });
  const request = { messages: [user("a"), { role: "tool", toolCallId: "c", name: "t", content: "" } as const] };
  await recorder.turn(request);
  const replay = cassetteProvider(parseCassette(formatCassette(recordedCassette(recorder))));
  expect(await replay.turn(request)).toEqual(say("x"));
});
