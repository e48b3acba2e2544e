// OpenAI Agents: a Runner without tracing, without a session or with one in memory, arguments checked by zod.

import { Agent, MemorySession, Runner, tool, Usage } from "@openai/agents";
import { z } from "zod";
import { assertKept, createScript, DESCRIPTION, GOAL, SYSTEM } from "./script.mjs";

const parameters = z.object({ a: z.number(), b: z.number() });

function createModel(script) {
  return {
    async getResponse({ input }) {
      const { calls, text } = script.answer(input.length);
      const usage = new Usage({ requests: 1, inputTokens: 100, outputTokens: 10, totalTokens: 110 });
      if (calls === undefined) {
        const content = [{ type: "output_text", text }];
        return { usage, output: [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content }] };
      }
      const output = calls.map(({ id, name, json }) => {
        return { type: "function_call", id: `fc_${id}`, callId: id, name, status: "completed", arguments: json };
      });
      return { usage, output };
    },
    getStreamedResponse() {
      throw new Error("nobody asked for a stream");
    },
  };
}

async function runAgent(turns, calls, kept = {}) {
  const script = createScript(turns, calls);
  const agent = new Agent({
    name: "calculator",
    instructions: SYSTEM,
    model: createModel(script),
    tools: [tool({ name: "add", description: DESCRIPTION, parameters, execute: script.add })],
  });
  const runner = new Runner({ tracingDisabled: true });
  const { finalOutput } = await runner.run(agent, GOAL, { ...kept, maxTurns: turns + 1 });
  script.assertDone(finalOutput);
}

export const run = (turns, calls) => runAgent(turns, calls);

async function runSession(turns, calls) {
  const session = new MemorySession();
  await runAgent(turns, calls, { session });
  assertKept((await session.getItems()).length, 2 + (turns - 1) * 2 * calls);
}

export const contestants = { session: { run: runSession } };
