// A conversation on one environment, from its first message to its last answer.

import { createEnvRuntime, createInMemoryStorage, toolHook } from "playhead/env";
import { add, ADD_SCHEMA, createModel, GOAL, SYSTEM } from "./workload.mjs";

const hook = toolHook([{ name: "add", description: "Adds two numbers", schema: ADD_SCHEMA, invoke: add }]);

export async function send(provider, turns, storage, sender = "") {
  const agent = {
    name: "bench",
    instructions: SYSTEM,
    compaction: false,
    streaming: false,
    budget: { maxTurns: turns, maxToolCalls: turns * 10 },
  };
  const runtime = createEnvRuntime({ storage, provider, env: { hook: () => hook } }, { agents: [agent] });
  return runtime.send({ agent: "bench", sender, content: GOAL });
}

export function assertTurns(turns) {
  return (result) => {
    if (result.turns !== turns) throw new Error(`it took ${result.turns} of ${turns} turns`);
  };
}

export const contestants = {
  conversation: {
    run: (turns, calls) => send(createModel(turns, calls), turns, createInMemoryStorage()),
    check: (result, turns) => assertTurns(turns)(result),
  },
};
