// node scripts/crash/fabric.mjs FOLDER TRANSPORT: two agents, a vendor that repeats what it is asked, and the outputs in a
// file. Another file says how the run ended: `whole`, or the code of its error.

import { appendFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runFabric } from "playhead/process";
import { anthropicEvents } from "../../.playhead/modules/core/vendors/anthropic/write.js";

export const MESSAGES = 30;

/** Answers a request of Anthropic's API with the last message. */
export function repeat(request, response) {
  let text = "";
  request.on("data", (chunk) => (text += String(chunk)));
  request.on("end", () => {
    const { messages, model } = JSON.parse(text);
    const { content } = messages.at(-1);
    const turn = { message: { role: "assistant", content }, finalAnswer: content, stopReason: "stop" };
    response.writeHead(200, { "content-type": "text/event-stream" });
    const events = anthropicEvents(turn, { id: "1", createdAt: 0, model });
    response.end(events.map((event) => event.text).join(""));
  });
}

async function run(folder, transport, endpoint) {
  const env = { ANTHROPIC_API_KEY: "k", CI: "" };
  const agent = (name) => ({ spec: join(folder, `${name}.${new URL(endpoint).port}.json`), env });
  for (const name of ["first", "second"]) {
    const spec = { name, provider: "anthropic", model: "claude-haiku-4-5", endpoint, control: name === "first" };
    writeFileSync(agent(name).spec, JSON.stringify(spec));
  }
  const wires = [
    { from: "input", to: "first" },
    { from: "first", to: "second" },
    { from: "second", to: "output" },
  ];
  const fabric = await runFabric({ agents: { first: agent("first"), second: agent("second") }, wires }, { transport });
  const reading = (async () => {
    for await (const value of fabric.output) appendFileSync(join(folder, "outputs"), `${value}\n`);
  })();
  for (let at = 0; at < MESSAGES; at++) await fabric.send(at);
  fabric.end();
  await Promise.all([fabric.done(), reading]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, transport] = process.argv.slice(2);
  // The sockets of a killed fabric go with the folder.
  process.env.TMPDIR = folder;
  const server = createServer(repeat);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  console.log("begun");
  let end = "whole";
  try {
    await run(folder, transport, `http://127.0.0.1:${server.address().port}/v1`);
  } catch (error) {
    end = String(error.code);
  }
  writeFileSync(join(folder, "end"), end);
  server.closeAllConnections();
  server.close();
}
