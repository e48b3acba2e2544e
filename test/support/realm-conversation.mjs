// A conversation with a compaction, written for a realm without `process`, `fetch` and timers.

import { createEnvRuntime, createInMemoryStorage } from "door";

const answers = ["seen", "A summary.", "end"];
const provider = {
  turn: async () => {
    const content = answers.shift();
    return { message: { role: "assistant", content }, finalAnswer: content, stopReason: "stop" };
  },
};
let time = 0;
const ports = {
  now: () => ++time,
  randomBytes: (length) => new Uint8Array(length).map(() => ++time % 256),
  warn: (message) => {
    throw new Error(message);
  },
};
const storage = createInMemoryStorage();
const runtime = createEnvRuntime(
  { storage, provider, env: {} },
  {
    agents: [{ name: "a", instructions: "Be brief.", compaction: { maxTokens: 60, keepTokens: 20 } }],
    ports,
  },
);
await runtime.send({ agent: "a", content: "Go. ".repeat(200) });
const { finalAnswer, archives } = await runtime.send({ agent: "a", content: "On. ".repeat(200) });
globalThis.result = {
  finalAnswer,
  archives,
  missing: ["process", "fetch", "setTimeout"].filter((name) => !(name in globalThis)),
};
