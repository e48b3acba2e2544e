// Writes llms.txt (llmstxt.org): what the package is, and every page of its documentation with a line on what is in it.
//
//   node scripts/llms.mjs [file]        default llms.txt

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (path) => readFileSync(join(root, path), "utf8");

/** By section. A page that is listed nowhere is put last, with the first sentence in it; one that is gone is left out. */
const SECTIONS = {
  "Start here": {
    "docs/ten-minutes.md": "From an empty folder to an agent that is recorded once, replayed in CI and compared.",
    "README.md": "What it is, a recorded and a replayed test, a plan of several agents, and what is proven.",
    "docs/use-cassette.md": "One call gives a test its provider: replaying, recording or live, as the mode says.",
    "docs/vitest.md": "Matchers, the fixture `cassette` and the reporter; also for Jest.",
    "docs/cli.md": "Every command of `cassette` with its options and exit codes.",
  },
  "Agents and models": {
    "docs/runtime.md": "Agents, plans, handoffs, and how a run ends.",
    "docs/providers.md": "The models of vendors behind one interface: options, errors, prices.",
    "docs/fallback.md": "Several providers as one: attempts, waits, rejected keys.",
    "docs/wire.md": "How requests and answers stand on the wires of OpenAI, Anthropic and Ollama.",
    "docs/tools.md": "Tools, the checks of their arguments, time limits and policies.",
    "docs/verbs.md": "The eight built-in tools over HTTP and one folder, and what they may reach.",
    "docs/budgets.md": "Caps on turns, calls, tokens and money.",
    "docs/memory.md": "What agents keep beside their conversations, in this process or in SQLite.",
    "docs/receipts.md": "Signed receipts of turns and tool calls, and traces.",
    "docs/fleet.md": "Many members over many targets: concurrency, rates, breakers.",
  },
  Cassettes: {
    "docs/cassette-format.md": "The file format, version 2: fields, shapes, hashes, limits and refusals.",
    "docs/replay.md": "Replaying tools, forking a run, resuming it, and asking why a request misses.",
    "docs/bundles.md": "Recording and replaying a run of several agents.",
    "docs/streams.md": "Recording and replaying how answers were streamed.",
    "docs/redaction.md": "Taking secrets out before anything is hashed or stored; hash filters.",
    "docs/trust.md": "Hashes, the lock and signatures: what each proves and what not.",
    "docs/security.md": "The threat model.",
    "docs/import.md": "Cassettes from the logs and traces of other tools.",
    "docs/export.md": "Chat messages and traces from cassettes.",
    "docs/show.md": "A recording as one HTML page.",
    "docs/serve.md": "Recording and replaying an agent in any language, by a base URL.",
  },
  "Comparing and judging": {
    "docs/diff.md": "Every way in which two runs can differ, with an example.",
    "docs/tolerances.md": "Which differences in arguments do not count.",
    "docs/drift.md": "The drift gate: sets of runs judged by exact tests.",
    "docs/baselines.md": "Accepted runs, and accepting new ones.",
    "docs/rules.md": "What no run may do, held against recordings and live runs.",
    "docs/step-check.md": "What another model would do next at each recorded prompt.",
    "docs/ci.md": "Reports of the gate for GitHub Actions, GitLab and others.",
  },
  "Testing agents": {
    "docs/faults.md": "Providers and tools that fail on purpose, and doubles for clock, ids and files.",
    "docs/conformance.md": "Contracts of providers, memories and event logs as test cases.",
    "docs/fast-check.md": "Arbitraries, and laws for code of your own.",
    "docs/mutate.md": "Which changes of a recording no test notices.",
  },
  "Other frameworks": {
    "docs/ai-sdk.md": "The AI SDK, versions 5, 6 and 7.",
    "docs/openai-agents.md": "The OpenAI Agents SDK.",
    "docs/langchain.md": "LangChain and LangGraph.",
    "docs/mcp.md": "Tools of MCP servers.",
    "docs/msw.md": "Code that uses a vendor's own client, in tests with MSW.",
  },
  Reference: {
    "docs/types.md": "The types that a function of your own takes or gives.",
    "ARCHITECTURE.md": "How it is built: layers, rooms and rules.",
    "CHANGELOG.md": "What changed.",
  },
  Optional: {
    "docs/requirements.md": "Requirements and their proof.",
    "docs/dependencies.md": "Run-time dependencies, and why each.",
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
  return `The npm package \`${name}\` (TypeScript, ESM, Node ${engines.node}) brings the command \`cassette\`. The pages below are in the package. Every example in them runs in its tests.`;
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
