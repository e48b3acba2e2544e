// An agent as a process, with a tool that runs in this one. The model is replayed from a cassette, so you need no key. To record it
// again, set CASSETTE_MODE=record and ANTHROPIC_API_KEY.
import { defineTool } from "playhead";
import { runFabric } from "playhead/process";

const PRICES = { kite: 12, rocket: 40 };
const price = defineTool({
  name: "price",
  description: "The price of a thing in euros.",
  schema: { type: "object", required: ["thing"], properties: { thing: { type: "string" } } },
  effect: "read",
  invoke({ thing }) {
    if (!Object.hasOwn(PRICES, thing)) throw new Error(`we do not sell any ${thing}`);
    console.log(`somebody asks for the price of a ${thing}`);
    return PRICES[thing];
  },
});

const here = import.meta.dirname;
const clerk = {
  spec: `${here}/clerk.json`,
  cassette: `${here}/clerk.cassette.json`,
  env: { CASSETTE_MODE: process.env.CASSETTE_MODE ?? "replay" },
  tools: [price],
};
const fabric = await runFabric({
  agents: { clerk },
  wires: [
    { from: "input", to: "clerk" },
    { from: "clerk", to: "output" },
  ],
});
await fabric.send("What is a rocket?");
await fabric.send("And a boat?");
fabric.end();
for await (const answer of fabric.output) console.log(answer);
await fabric.done();
