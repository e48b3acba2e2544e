// Recorded runs for the tests of the cassette layer: fixed ports, a small scripted run of an agent with one tool, and
// a replay that gets one request after the other.

import { createRuntime } from "../../src/core/runtime/runtime.js";
import type { RunResult } from "../../src/core/runtime/run-plan.js";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import type { LlmMessage } from "../../src/core/model/message.js";
import type { LlmProviderAdapter, LlmTurnRequest, LlmTurnResponse } from "../../src/core/model/provider.js";
import type { Ports } from "../../src/core/ports.js";
import { scriptedProvider, type ScriptStep } from "../../src/core/providers/scripted.js";
import { recordingProvider } from "../../src/cassette/record/recording-provider.js";
import type { RecordingOptions } from "../../src/cassette/record/recorder.js";
import { recordedCassette } from "./oracle.js";
import { ask, say, tool } from "./script.js";

/** A fixed clock, and bytes that count up from `first`. */
export function fixedPorts(first = 0): Pick<Ports, "now" | "randomBytes"> {
  return {
    now: () => Date.UTC(2026, 10, 20, 12),
    randomBytes: (length) => Uint8Array.from({ length }, (_, index) => (first + index) % 256),
  };
}

export interface WeatherRun {
  systemPrompt?: string;
  goal?: string;
  /** The tool's answer. */
  weather?: string;
}

/** Two turns: the model asks for the weather in Oslo, reads it, and answers. */
export const WEATHER_SCRIPT: readonly LlmTurnResponse[] = [
  ask([{ id: "call_1", name: "weather", arguments: { city: "Oslo", days: 2 } }], { content: "Let me look." }),
  say("Take an umbrella.", { usage: { inputTokens: 40, outputTokens: 5 }, costUsd: 0.001, model: "m-1" }),
];

/** Drives `provider` through the weather run of one agent. */
export async function runWeather(provider: LlmProviderAdapter, options: WeatherRun = {}): Promise<RunResult> {
  const { systemPrompt = "You are brief.", goal = "Umbrella?", weather = "rain" } = options;
  const runtime = createRuntime({
    agents: [{ id: "researcher", systemPrompt, provider, customTools: [tool("weather", () => weather)] }],
  });
  return runtime.run({ goal });
}

/** The weather run as a cassette. */
export async function weatherCassette(options: RecordingOptions = {}, run: WeatherRun = {}): Promise<CassetteV2> {
  const recorder = recordingProvider(scriptedProvider(WEATHER_SCRIPT), { ports: fixedPorts(), ...options });
  await runWeather(recorder, run);
  return recordedCassette(recorder, { agentId: "researcher" });
}

/** Records one turn for each request, answered by the steps in order. */
export async function recordTurns(
  requests: readonly LlmTurnRequest[],
  steps: readonly ScriptStep[],
  options: RecordingOptions = {},
): Promise<CassetteV2> {
  const recorder = recordingProvider(scriptedProvider(steps), { ports: fixedPorts(), ...options });
  for (const request of requests) await recorder.turn(request);
  return recordedCassette(recorder);
}

/** A request with only user messages. */
export function prompt(...texts: string[]): LlmTurnRequest {
  return { messages: texts.map((content) => ({ role: "user", content })) };
}

export function user(content: string): LlmMessage {
  return { role: "user", content };
}

/** A deep copy that may be changed. */
export function draft<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
