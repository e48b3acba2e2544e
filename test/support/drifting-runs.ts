// Recorded runs that make the given tool calls, for tests that compare sets of runs.

import { buildCassette, type BuiltTurn } from "../../src/cassette/file/build.js";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import { hashPrompt } from "../../src/cassette/prompt/prompt-delta.js";
import type { LlmMessage, LlmTurnResponse } from "../../src/core/index.js";

/** One call in each turn, then an answer. Another `run` makes another recording. `success` is kept if it is given. */
export function recordRun(tools: readonly string[], run: number, success?: boolean): CassetteV2 {
  let prompt: LlmMessage[] = [];
  const take = (added: LlmMessage[], response: LlmTurnResponse): BuiltTurn => {
    const keep = prompt.length;
    prompt = [...prompt, ...added];
    return { promptHash: hashPrompt(prompt), prompt: { keep, messages: added }, response };
  };
  let added: LlmMessage[] = [{ role: "user", content: "Please refund my order." }];
  const turns = tools.map((name, index) => {
    const toolCalls = [{ id: `call-${index}`, name, arguments: { order: "W-100" } }];
    const message = { role: "assistant" as const, content: "", toolCalls };
    const turn = take(added, { message, stopReason: "toolUse", usage: { inputTokens: 20, outputTokens: 5 } });
    added = [message, { role: "tool", toolCallId: `call-${index}`, name, content: "done" }];
    return turn;
  });
  turns.push(take(added, { message: { role: "assistant", content: "Done." }, stopReason: "stop" }));
  const head = {
    recordedAt: "2026-11-20T12:00:00.000Z",
    recordedProvider: "scripted:test",
    cassetteId: String(run).padStart(32, "0"),
  };
  return buildCassette({ ...head, ...(success === undefined ? {} : { extensions: { outcome: { success } } }) }, turns);
}
