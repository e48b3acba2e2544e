// Our loop as a command for `cassette bench`: node bench/loop-agent.mjs TURNS [MICROSECONDS]. It speaks to the server that
// OPENAI_BASE_URL names, and its tool also works for these microseconds. Its client is that of node:http, because `fetch` costs
// more than the loop.

import { Agent, request } from "node:http";
import { createRuntime, openaiProvider } from "playhead";
import { add, ADD_SCHEMA, GOAL, SYSTEM } from "./workload.mjs";

const [turns = 10, extra = 0] = process.argv.slice(2).map(Number);

/** Waits by working, because a timer is late by a millisecond. */
function work(micros) {
  const until = process.hrtime.bigint() + BigInt(micros * 1000);
  while (process.hrtime.bigint() < until);
}

const connection = new Agent({ keepAlive: true, maxSockets: 1 });

function post(url, { method, headers, body }) {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { ...headers }, agent: connection }, (answer) => {
      const parts = [];
      answer.on("data", (part) => parts.push(part));
      answer.on("end", () => resolve(new Response(Buffer.concat(parts), { status: answer.statusCode })));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

const invoke = (numbers) => {
  if (extra > 0) work(extra);
  return add(numbers);
};
const provider = openaiProvider({
  apiKey: process.env.OPENAI_API_KEY,
  baseURL: process.env.OPENAI_BASE_URL,
  model: "bench",
  fetch: post,
});
const runtime = createRuntime({
  agents: [
    {
      id: "bench",
      systemPrompt: SYSTEM,
      provider,
      customTools: [{ name: "add", description: "Adds two numbers", schema: ADD_SCHEMA, invoke }],
      budget: { maxTurns: turns, maxToolCalls: turns },
    },
  ],
});
await runtime.run({ goal: GOAL });
await runtime.destroy();
