// Runs for the tests of the matchers: a scripted agent that looks up and then says something, recorded or replayed.

import {
  cassetteProvider,
  recordingProvider,
  type CassetteProvider,
  type CassetteV2,
} from "../../../src/cassette/index.js";
import { createRuntime, type LlmToolCall, type LlmTurnResponse, type RunResult } from "../../../src/core/index.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { recordedCassette } from "../../support/oracle.js";
import { ask, say, tool } from "../../support/script.js";

export type Call = Partial<LlmToolCall> & Pick<LlmToolCall, "name">;

export interface Recorded {
  cassette: CassetteV2;
  recorder: ReturnType<typeof recordingProvider>;
  result: RunResult;
}

/** Runs an agent on `steps` with the tools `lookup` and `save`, recording it. */
export async function record(steps: readonly LlmTurnResponse[]): Promise<Recorded> {
  const recorder = recordingProvider(scriptedProvider(steps));
  const result = await run(recorder);
  return { recorder, result, cassette: recordedCassette(recorder) };
}

/** One lookup, one answer: the run most tests pin. */
export function lookupRun(args: LlmToolCall["arguments"] = { city: "Paris" }, answer = "sunny"): Promise<Recorded> {
  return record([ask([{ name: "lookup", arguments: args }]), say(answer)]);
}

/** Every call in its own turn, then an answer. */
export function callRun(...calls: Call[]): Promise<Recorded> {
  return record([...calls.map((call) => ask([call])), say("done")]);
}

/** The whole cassette replayed by the agent that recorded it. */
export async function replay(cassette: CassetteV2): Promise<{ provider: CassetteProvider; result: RunResult }> {
  const provider = cassetteProvider(cassette);
  return { provider, result: await run(provider) };
}

export async function run(provider: Parameters<typeof recordingProvider>[0]): Promise<RunResult> {
  const customTools = ["lookup", "save"].map((name) => tool(name, async () => "ok"));
  return createRuntime({ agents: [{ id: "a", provider, systemPrompt: "Be brief.", customTools }] }).run({ goal: "go" });
}
