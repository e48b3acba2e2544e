// What is done with each framework's agent: replay what was recorded, refuse what was tampered with, and compare with what
// another model did. The recordings are in cassettes/frameworks/<model>; `--record` makes them anew.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { diffCassettes, loadCassette, parseCassette, recordingProvider, saveCassette } from "playhead/cassette";
import { useCassette } from "playhead/harness";

const fileOf = (name, model) =>
  fileURLToPath(new URL(`../../cassettes/frameworks/${model}/${name}.cassette.json`, import.meta.url));

/** Asks the model that stands in for a real one, and gives what was recorded. */
async function record({ live, run }, model) {
  const recorder = recordingProvider(live(model));
  await run(recorder);
  return recorder.toCassette({ agentId: "packer" });
}

/** How the recording that is kept differs from one of today, texts included. */
async function age(framework, model) {
  const kept = await loadCassette(fileOf(framework.name, model));
  const differences = diffCassettes(kept, await record(framework, model));
  return `${kept.entries.length} turns, ${differences.length} differences today`;
}

/** Runs the agent against the recording alone; fails where it asks for anything else, or for less. */
async function replay({ name, run }, model) {
  const asked = () => {
    throw new Error("the model was asked");
  };
  const cassette = await useCassette(fileOf(name, model), asked, { mode: "replay" });
  const answer = await run(cassette.provider);
  await cassette.done();
  return answer;
}

/** Changes one word of the recorded answer, and gives the code of the refusal. */
async function tamper({ name }, model) {
  const text = await readFile(fileOf(name, model), "utf8");
  try {
    parseCassette(text.replaceAll("the boots", "the hat"));
  } catch (error) {
    return error.code;
  }
  throw new Error("a changed recording was taken");
}

/** How the tool calls under `model` differ from those under `base`. */
async function drift({ name }, base, model) {
  const [pinned, other] = [await loadCassette(fileOf(name, base)), await loadCassette(fileOf(name, model))];
  return diffCassettes(pinned, other, { ignoreContent: true });
}

/** All of it in a line. */
export async function examine(framework) {
  return {
    framework: framework.name,
    recorded: await age(framework, "orbit-1"),
    replayed: await replay(framework, "orbit-1"),
    tampered: `refused: ${await tamper(framework, "orbit-1")}`,
    "orbit-2": (await drift(framework, "orbit-1", "orbit-2")).map(({ kind, tool }) => `${kind} ${tool}`).join(", "),
  };
}

/** When the file of a framework is run by itself. */
export async function demonstrate(url, framework) {
  if (process.argv[1] !== fileURLToPath(url)) return;
  await recordIfAsked(framework);
  for (const [what, found] of Object.entries(await examine(framework))) console.log(`${what.padEnd(10)} ${found}`);
}

export async function recordIfAsked(framework) {
  if (!process.argv.includes("--record")) return;
  for (const model of ["orbit-1", "orbit-2"])
    await saveCassette(fileOf(framework.name, model), await record(framework, model), { overwrite: true });
}
