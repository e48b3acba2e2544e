// The steps for each framework's agent: replay the recording, refuse a tampered one, and compare it with another
// model's run. The recordings are in cassettes/frameworks/<model>, and `--record` makes them again.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { diffCassettes, loadCassette, parseCassette, recordingProvider, saveCassette } from "playhead/cassette";
import { useCassette } from "playhead/harness";

const fileOf = (name, model) =>
  fileURLToPath(new URL(`../../cassettes/frameworks/${model}/${name}.cassette.json`, import.meta.url));

/** Runs the agent with the model that stands in for a real one, and returns the recording. */
async function record({ live, run }, model) {
  const recorder = recordingProvider(live(model));
  await run(recorder);
  return recorder.toCassette({ agentId: "packer" });
}

/** The differences between the kept recording and one made today, including texts. */
async function age(framework, model) {
  const kept = await loadCassette(fileOf(framework.name, model));
  const differences = diffCassettes(kept, await record(framework, model));
  return `${kept.entries.length} turns, ${differences.length} differences today`;
}

/** Runs the agent against the recording alone. Fails if it requests anything else, or less. */
async function replay({ name, run }, model) {
  const asked = () => {
    throw new Error("the model was asked");
  };
  const cassette = await useCassette(fileOf(name, model), asked, { mode: "replay" });
  const answer = await run(cassette.provider);
  await cassette.done();
  return answer;
}

/** Changes one word of the recorded answer, and returns the code of the refusal. */
async function tamper({ name }, model) {
  const text = await readFile(fileOf(name, model), "utf8");
  try {
    parseCassette(text.replaceAll("the boots", "the hat"));
  } catch (error) {
    return error.code;
  }
  throw new Error("a changed recording was taken");
}

/** The differences between the tool calls of `model` and those of `base`. */
async function drift({ name }, base, model) {
  const [pinned, other] = [await loadCassette(fileOf(name, base)), await loadCassette(fileOf(name, model))];
  return diffCassettes(pinned, other, { ignoreContent: true });
}

/** All results on one line. */
export async function examine(framework) {
  return {
    framework: framework.name,
    recorded: await age(framework, "orbit-1"),
    replayed: await replay(framework, "orbit-1"),
    tampered: `refused: ${await tamper(framework, "orbit-1")}`,
    "orbit-2": (await drift(framework, "orbit-1", "orbit-2")).map(({ kind, tool }) => `${kind} ${tool}`).join(", "),
  };
}

/** Runs the steps if the file of a framework is started by itself. */
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
