// Writes docs/api: one page of reference for each door of package.json, made from the docstrings by typedoc and
// typedoc-plugin-markdown. The package holds it; git does not.
//
// `npm run api` and `npm pack` run it, and scripts/llms.mjs after it.
//
//   node scripts/api.mjs [folder]        default docs/api

import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Application, Comment } from "typedoc";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = resolve(process.argv[2] ?? join(root, "docs/api"));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** In the order they are written: a name that several doors have is described at the first, and the others link to it. */
const ABOUT = {
  playhead: "The runtime, providers, tools, budgets, events and receipts: the core, which runs anywhere.",
  "playhead/agent-runner": "One vertex of a graph as an agent: templates, tool grants, failover, events and costs.",
  "playhead/process": "Agents as processes: fabrics of several, with loops, barriers and schedules.",
  "playhead/cassette": "Recording, replaying, checking, comparing, signing, importing and exporting cassettes.",
  "playhead/vitest": "Matchers for Vitest's `expect`, and a `test` with the fixture `cassette`.",
  "playhead/vitest/reporter": "A reporter for Vitest that lists cassettes no test uses.",
  "playhead/jest": "The matchers for Jest's `expect`.",
  "playhead/fast-check": "Arbitraries of what agents exchange, and laws to hold code of your own to.",
  "playhead/ai-sdk": "Cassettes for the AI SDK.",
  "playhead/openai-agents": "Cassettes for the OpenAI Agents SDK.",
  "playhead/langchain": "Cassettes for LangChain.",
  "playhead/env": "Conversations of several agents on one config of storage, provider and environment.",
  "playhead/session": "Agents with sessions by key: turns that a consumer drives, steering, overlays and plugins.",
  "playhead/plugins": "Plugins for agents with sessions.",
  "playhead/execution": "The host of sessions in memory, and the ports of a host of your own.",
  "playhead/postgres": "The durable host of sessions for several machines, on PostgreSQL.",
  "playhead/bullmq": "A queue on Redis for the workers of a durable host.",
  "playhead/session-store/file": "Sessions in a folder.",
  "playhead/session-store/memory": "Sessions in memory.",
  "playhead/mcp": "The tools of an MCP server as tools of ours.",
  "playhead/msw": "Cassettes as request handlers of MSW.",
  "playhead/harness":
    "`useCassette`, the drift gate, faults and doubles, conformance suites, and what the other doors are made of.",
  "playhead/host": "Files, memory on disk, the durable host, the verbs, fleets and servers: what needs Node.",
};

const doors = Object.entries(manifest.exports)
  .filter(([, door]) => door.types !== undefined)
  .map(([path, { types }]) => ({
    name: path.replace(".", manifest.name),
    source: types.replace("./dist/", "src/").replace(/\.d\.ts$/, ".ts"),
  }));
const unsaid = doors.find(({ name }) => ABOUT[name] === undefined);
if (unsaid !== undefined) throw new Error(`scripts/api.mjs says nothing about ${unsaid.name}: give it a line in ABOUT`);
const order = Object.keys(ABOUT);
doors.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));

const app = await Application.bootstrapWithPlugins({
  plugin: ["typedoc-plugin-markdown"],
  entryPoints: doors.map(({ source }) => join(root, source)),
  tsconfig: join(root, "tsconfig.json"),
  outputs: [{ name: "markdown", path: out }],
  name: "API reference",
  readme: "none",
  router: "module",
  disableSources: true,
  disableGit: true,
  includeVersion: false,
  excludeExternals: true,
  excludePrivate: true,
  excludeInternal: true,
  githubPages: false,
  skipErrorChecking: true,
  sort: ["alphabetical"],
  sortEntryPoints: false,
  validation: { notExported: false, invalidLink: true, notDocumented: false },
  entryFileName: "README",
  hidePageHeader: true,
  hideBreadcrumbs: true,
  hideGroupHeadings: false,
  useCodeBlocks: true,
  expandObjects: false,
  expandParameters: false,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  classPropertiesFormat: "table",
  typeAliasPropertiesFormat: "table",
  propertyMembersFormat: "table",
  enumMembersFormat: "table",
  indexFormat: "table",
  tableColumnSettings: { hideSources: true, hideModifiers: true, hideInherited: true, hideOverrides: true },
  formatWithPrettier: false,
});

const project = await app.convert();
if (project === undefined) process.exit(1);
// Called by their files until here.
for (const { name, source } of doors) {
  const called = source.replace("src/entry/", "").replace(/\.ts$/, "");
  const page = project.children.find((child) => child.name === called);
  page.name = name;
  page.comment = new Comment([{ kind: "text", text: ABOUT[name] }]);
}
await app.generateOutputs(project);
if (app.logger.hasErrors()) process.exit(1);
