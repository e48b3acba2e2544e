// A coding agent that starts two sub-agents at once, each with a conversation and an id of its own, as Claude Code does. With the argument
// `swap`, the first one begins once the second one has ended.

import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";

const swap = process.argv.includes("swap");
let agents = 0;
let end;
const secondEnd = new Promise((resolve) => (end = resolve));
console.log(await converse("You lead.", "Write two notes."));

async function converse(system, prompt) {
  const messages = [{ role: "user", content: prompt }];
  for (;;) {
    const response = await fetch(`${process.env.ANTHROPIC_BASE_URL}/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "anthropic-version": "2023-06-01", "x-api-key": "none" },
      body: JSON.stringify({ model: "small", max_tokens: 100, system, messages }),
    });
    const { content, error } = await response.json();
    if (error !== undefined) throw new Error(error.message);
    messages.push({ role: "assistant", content });
    const calls = content.filter(({ type }) => type === "tool_use");
    if (calls.length === 0) return content[0].text;
    const results = await Promise.all(calls.map(async ({ id, name, input }) => result(id, await use(name, input))));
    messages.push({ role: "user", content: results });
  }
}

function result(id, text) {
  return { type: "tool_result", tool_use_id: id, content: text };
}

async function use(name, { prompt, file, text }) {
  if (name === "Write") {
    writeFileSync(file, text);
    return `wrote ${file}`;
  }
  const place = ++agents;
  if (swap && place === 1) await secondEnd;
  const answer = await converse("You write.", prompt);
  if (place === 2) end();
  return `${answer}\nagentId: ${randomBytes(8).toString("hex")} (use SendMessage to go on)`;
}
