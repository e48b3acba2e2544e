// A coordinator with three subagents in the background, recorded once and replayed 50 times with other delays: always the same events.
//
//   CASSETTE_MODE=record node examples/session/desk.mjs     answers come from a server in this process, after random delays
//   node examples/session/desk.mjs                          50 replays without a server
//   npx cassette verify desk.bundle.json

import { createServer } from "node:http";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { loadWire, openaiProvider } from "playhead";
import { useSession } from "playhead/harness";
import { Agent } from "playhead/session";

const FILE = process.argv[2] ?? "desk.bundle.json";
const HELPERS = { history: "Looks up the past.", weather: "Looks up the weather.", tides: "Looks up the tides." };

/** Waits up to 50 ms before each request, so that no two runs have the same timing. */
const slow = (provider) => ({
  name: provider.name,
  async turn(request) {
    await sleep(Math.random() * 50);
    return provider.turn(request);
  },
});

/** One run of the desk: the events of every turn of the coordinator. */
async function runDesk(url) {
  const session = await useSession(FILE);
  const live = () => openaiProvider({ model: "gpt-5", baseURL: url, apiKey: "none" });
  const open = (name, rest) => {
    const { model, ...recorded } = session.agent(name, live);
    return new Agent({ ...recorded, model: slow(model), instructions: `You are ${name}.`, ...rest });
  };
  const subagents = Object.entries(HELPERS).map(([name, description]) => open(name, { description }));
  const desk = open("desk", { subagents });
  const events = [];
  const read = async (run) => {
    for await (const event of run.events()) if (event.type !== "subagent-job-update") events.push(event);
  };
  const ann = desk.session("ann");
  await read(await ann.send("Can I sail to Rott on Sunday?"));
  for (let id = await ann.nextNotification(); id !== null; id = await ann.nextNotification()) {
    await read(await desk.resume(id));
  }
  await session.done();
  return { mode: session.mode, events };
}

/** A model of its own for the recording: it launches the helpers, retrieves what they found, and answers. */
function answer({ messages }) {
  const last = messages.at(-1);
  const { content } = messages[0];
  const text = typeof last.content === "string" ? last.content : "";
  const says = (words) => ({ message: { role: "assistant", content: words }, finalAnswer: words, stopReason: "stop" });
  const asks = (calls) => ({
    message: {
      role: "assistant",
      content: "",
      toolCalls: calls.map((call, i) => ({ id: `call_${messages.length}_${i}`, ...call })),
    },
    stopReason: "toolUse",
  });
  if (content !== "You are desk.") return says(`${content} I found nothing that speaks against it.`);
  const tasks = [...text.matchAll(/Task ID: (bg_\w+)|^- (bg_\w+)/gm)].map(([, one, many]) => one ?? many);
  if (tasks.length > 0) return asks(tasks.map((task_id) => ({ name: "background_output", arguments: { task_id } })));
  if (last.role === "tool" && text.includes('"running"')) return says("I have asked three helpers.");
  if (last.role === "tool") return says("You can sail on Sunday.");
  return asks(
    Object.keys(HELPERS).map((name) => ({
      name: `delegate_to_${name}`,
      arguments: { prompt: "Is Sunday a day to sail to Rott?", description: name, run_in_background: true },
    })),
  );
}

async function serve() {
  const wire = await loadWire("openai");
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { request: turn } = wire.parse(JSON.parse(Buffer.concat(chunks).toString("utf8")));
    await sleep(Math.random() * 50);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(wire.write(answer(turn), { id: "answer", createdAt: 0, model: "gpt-5" })));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${server.address().port}/v1`, close: () => server.close() };
}

if (["record", "refresh"].includes(process.env.CASSETTE_MODE)) {
  const server = await serve();
  const { events } = await runDesk(server.url);
  server.close();
  console.log(`recorded ${events.length} events in ${FILE}`);
} else {
  const seen = new Set();
  for (let round = 0; round < 50; round++) seen.add(JSON.stringify((await runDesk("http://127.0.0.1:9")).events));
  const [first] = seen;
  for (const { type, toolName = "" } of JSON.parse(first)) console.log(`${type} ${toolName}`.trimEnd());
  console.log(seen.size === 1 ? "50 replays, all equal" : `50 replays, ${seen.size} sequences of events`);
  process.exitCode = seen.size === 1 ? 0 : 1;
}
