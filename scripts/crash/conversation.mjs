// A conversation on SQLite whose tool acts once a step, until it is killed. What was told as stored goes into a file.
//
//   node conversation.mjs FOLDER        sends one message, or goes on where the last process stopped
//   node conversation.mjs FOLDER look   checks what is stored, goes on to the end, and checks again

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createEnvRuntime, toolHook } from "playhead/env";
import { openFileStorage } from "playhead/host";

const [folder, mode] = process.argv.slice(2);
const STEPS = 150;
const [acknowledged, ledger] = ["acknowledged.txt", "ledger.txt"].map((name) => join(folder, name));
const linesOf = (file) => (existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : []);

const note = {
  name: "note",
  description: "Writes a line.",
  schema: { type: "object", properties: { step: { type: "integer" } } },
  invoke: async ({ step }) => (appendFileSync(ledger, `${step}\n`), `noted ${step}`),
};
const provider = {
  async turn({ messages }) {
    const say = (content) => ({ message: { role: "assistant", content }, finalAnswer: content, stopReason: "stop" });
    if (messages[0].content.startsWith("You summarise")) return say("Steps were noted.");
    const last = messages.findLast(({ role }) => role === "tool")?.content ?? "noted 0";
    const step = Number(last.slice("noted ".length)) + 1;
    if (step > STEPS) return say("all noted");
    const toolCalls = [{ id: `call_${step}`, name: "note", arguments: { step } }];
    return { message: { role: "assistant", content: "", toolCalls }, stopReason: "toolUse" };
  },
};
const storage = await openFileStorage(join(folder, "store"));
const env = {
  hook: () => toolHook([note]),
  onAgentEvent: (_agent, _id, event) => {
    // Step numbers restart in each run, so the length of the log is noted.
    if (event.type === "step-end") appendFileSync(acknowledged, `${storage.conversations.length("a:")}\n`);
  },
};
const agents = [
  {
    name: "a",
    instructions: "Note.",
    budget: { maxTurns: 1_000, maxToolCalls: 1_000 },
    compaction: { maxTokens: 300, keepTokens: 100 },
  },
];
const runtime = createEnvRuntime({ storage, provider, env }, { agents });

/** The steps that are stored with their result. Throws for a step without one, and for a damaged log. */
async function storedSteps() {
  const { entries, context } = await runtime.conversation("a");
  const told = Math.max(0, ...linesOf(acknowledged).map(Number));
  if (entries < told) throw new Error(`${told} entries were acknowledged, and ${entries} are stored`);
  const all = entries === 0 ? [] : await storage.conversations.read("a:", 0, entries);
  const steps = all.flatMap(({ message }) => (message?.role === "tool" ? [Number(message.content.slice(6))] : []));
  const calls = all.filter(({ message }) => message?.toolCalls !== undefined).length;
  if (calls !== steps.length) throw new Error(`${calls} steps and ${steps.length} results are stored`);
  steps.forEach((step, index) => {
    if (step !== index + 1) throw new Error(`step ${step} is stored in place of step ${index + 1}`);
  });
  return { steps, context };
}

async function goOn() {
  const { entries, isOpen } = await runtime.conversation("a");
  if (entries === 0) await runtime.send({ agent: "a", content: "Go." });
  else if (isOpen) await runtime.send({ agent: "a" });
}

if (mode === "look") {
  const before = await storedSteps();
  const torn = before.steps.length + 1;
  await goOn();
  const { steps, context } = await storedSteps();
  if (steps.length !== STEPS || context.at(-1).content !== "all noted")
    throw new Error(`it went on to step ${steps.length} of ${STEPS}`);
  const written = linesOf(ledger).map(Number);
  for (const step of steps) {
    const times = written.filter((each) => each === step).length;
    if (times < 1 || times > (step === torn ? 2 : 1)) throw new Error(`the tool of step ${step} ran ${times} times`);
  }
} else {
  process.stdout.write("ready\n");
  await goOn();
}
storage.close();
