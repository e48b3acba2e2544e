// What a turn costs besides the model, on four frameworks with one recording. Run it: node examples/frameworks/bench.mjs
import { fileURLToPath } from "node:url";
import { loadCassette } from "playhead/cassette";
import { benchLoop } from "playhead/harness";
import { framework as aiSdk } from "./ai-sdk.mjs";
import { framework as langchain } from "./langchain.mjs";
import { framework as openaiAgents } from "./openai-agents.mjs";
import { framework as runtime } from "./runtime.mjs";

const folder = new URL("../../cassettes/frameworks/orbit-1/", import.meta.url);

for (const { name, run } of [runtime, aiSdk, openaiAgents, langchain]) {
  const cassette = await loadCassette(fileURLToPath(new URL(`${name}.cassette.json`, folder)));
  // The agents of the example stop after five turns.
  const { lengths, first, heap } = await benchLoop(run, cassette, { clock: "cpu", lengths: [5] });
  const { turn } = lengths[0];
  const [middle, low, high] = [turn.median, turn.low, turn.high].map(Math.round);
  const kept = Math.max(0, Math.round(heap.median / 1000));
  console.log(
    `${name}: ${middle} µs a turn (${low} … ${high}), ${Math.round(first)} in the first run, ${kept} kB kept`,
  );
}
