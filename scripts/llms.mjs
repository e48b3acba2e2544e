// Writes llms.txt (llmstxt.org): a description of the package, and one line about every page of its documentation.
//
//   node scripts/llms.mjs [file]        default llms.txt

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (path) => readFileSync(join(root, path), "utf8");

/** By section. A page without a line here comes last, with its first sentence. A line without a page is left out. */
const SECTIONS = {
  "Start here": {
    "docs/ten-minutes.md": "From an empty folder to an agent that is recorded once, replayed in CI and compared.",
    "docs/upgrade.md": "From an empty folder with eight tests to the verdict on a new model, in three commands.",
    "README.md": "What Playhead does, and the shortest path to a replayed test.",
    "docs/README.md": "The index of all pages.",
    "docs/glossary.md": "Ten words with one meaning each.",
  },
  "Testing agents": {
    "docs/tests.md": "Cassettes in Vitest, Jest, `node:test` and other runners: modes, files and options.",
    "docs/frameworks.md": "The AI SDK, the OpenAI Agents SDK, LangChain and MCP.",
    "docs/msw.md": "Code that uses a vendor's own client, in tests with MSW.",
    "docs/python.md": "The pytest plugin: record, replay and misses of each test, with any client.",
    "docs/coding-agents.md":
      "Claude Code, Codex CLI and others: recorded and replayed with their files, and forked onto another model.",
    "docs/serve.md": "Recording and replaying an agent in any language, by a base URL.",
    "docs/replay.md": "Replaying tools, forks, streams, runs of several agents, and why a request misses.",
    "docs/faults.md": "Providers and tools that fail on purpose, and doubles for clock, ids and files.",
    "docs/contracts.md": "Conformance suites and property tests for your own implementations.",
    "docs/mutate.md": "Changes of a recording that no test notices.",
    "docs/bench.md": "What a turn costs besides the model, and whether a change made it slower.",
  },
  "Comparing and judging": {
    "docs/diff.md": "Every way in which two runs can differ, tolerances, and a recording as an HTML page.",
    "docs/drift.md": "The drift gate: sets of runs judged by exact tests, baselines, and reports for CI.",
    "docs/step-check.md": "Another model's next turn at each recorded prompt.",
    "docs/rules.md": "Calls that runs must or must not make, checked in recordings and live.",
  },
  "Trust and data": {
    "docs/trust.md": "Hashes, the lock and signatures, the threat model, and limits.",
    "docs/redaction.md": "Removing secrets before anything is hashed or stored, and hash filters.",
    "docs/receipts.md": "Signed receipts of turns and tool calls, and traces.",
    "docs/convert.md": "Import from logs and traces of other tools, and export to them.",
  },
  "Agents and models": {
    "docs/runtime.md": "Agents, plans, memory, budgets and fleets.",
    "docs/process.md":
      "Agents as processes: specs, JSON lines, control, telemetry, and fabrics of several agents with loops.",
    "docs/agent-runner.md":
      "An agent as one vertex of a graph or workflow engine: prompts, tools, failover, costs, one outcome.",
    "docs/session.md": "Sessions by key for chat backends: turns that a consumer drives, steering, stores and plugins.",
    "docs/background.md": "From an empty folder to an agent whose background helper goes on after a crash.",
    "docs/providers.md": "The vendors' models behind one interface: options, prices, errors, fallback, wires.",
    "docs/tools.md": "Tools, argument checks, policies, and the eight built-in verbs.",
  },
  Reference: {
    "docs/cli.md": "Every command of `cassette` with its options and exit codes.",
    "docs/configuration.md": "Files, environment variables and their precedence.",
    "docs/matchers.md": "The thirteen matchers for Vitest and Jest.",
    "docs/cassette-format.md": "The file format, version 2: fields, shapes, hashes, limits and refusals.",
    "docs/wires.md": "What Playhead makes of real traffic of every vendor, counted by a test.",
    "docs/types.md": "The types that your own functions take or return.",
  },
  Optional: {
    "ARCHITECTURE.md": "How the package is built: layers, rooms and rules.",
    "CHANGELOG.md": "What changed.",
    "bench/README.md": "What is measured and how.",
    "SECURITY.md": "Reporting a vulnerability.",
  },
};

const pages = readdirSync(join(root, "docs"))
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`)
  .sort();
const listed = Object.values(SECTIONS).flatMap(Object.keys);
const rest = pages.filter((page) => !listed.includes(page));
const sections = Object.entries(SECTIONS).map(([title, about]) => section(title, Object.entries(about)));
if (rest.length > 0) {
  const more = section(
    "More",
    rest.map((page) => [page, firstSentence(read(page))]),
  );
  sections.splice(-1, 0, more);
}

const [, title, summary] = /^# (.+)\n+\*\*(.+)\*\*$/m.exec(read("README.md"));
const text = [`# ${title}`, `> ${summary}`, about(), ...sections].join("\n\n");
writeFileSync(resolve(process.argv[2] ?? join(root, "llms.txt")), `${text}\n`);

function about() {
  const { name, engines } = JSON.parse(read("package.json"));
  return `The npm package \`${name}\` (TypeScript, ESM, Node ${engines.node}) installs the command \`cassette\`. The pages below are in the package. Every example in them runs in its tests.`;
}

function section(heading, entries) {
  const there = entries.filter(([page]) => existsSync(join(root, page)));
  return `## ${heading}\n\n${there.map(([page, what]) => `- [${titleOf(page)}](${page}): ${what}`).join("\n")}`;
}

function titleOf(page) {
  return /^# (.+)$/m.exec(read(page))[1].replaceAll("`", "");
}

function firstSentence(page) {
  const prose = page.split(/\n\n+/).find((block) => /^[A-Z`*[]/.test(block)) ?? "";
  return (/^.+?[.!?](?=\s|$)/s.exec(prose)?.[0] ?? prose).replaceAll("\n", " ").replace(/\[([^\]]+)\]\([^)]*\)/g, "$1");
}
