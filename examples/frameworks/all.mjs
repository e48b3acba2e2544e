// One agent on four frameworks, and the steps of each with its recording. Run it: node examples/frameworks/all.mjs
import { framework as aiSdk } from "./ai-sdk.mjs";
import { framework as langchain } from "./langchain.mjs";
import { framework as openaiAgents } from "./openai-agents.mjs";
import { framework as runtime } from "./runtime.mjs";
import { examine, recordIfAsked } from "./steps.mjs";

globalThis.fetch = () => {
  throw new Error("nothing here may reach for a network");
};

const rows = [];
for (const framework of [runtime, aiSdk, openaiAgents, langchain]) {
  await recordIfAsked(framework);
  rows.push(await examine(framework));
}
const columns = Object.keys(rows[0]).map((name) => ({
  name,
  width: Math.max(name.length, ...rows.map((row) => row[name].length)),
}));
const line = (row) =>
  columns
    .map(({ name, width }) => row[name].padEnd(width))
    .join("  ")
    .trimEnd();
console.log(line(Object.fromEntries(columns.map(({ name }) => [name, name]))));
for (const row of rows) console.log(line(row));
