// The demo as a list of steps. Each step does the real work and checks the result before it returns lines to print. A wrong result
// throws, so the demo never prints a false statement.

import { join } from "node:path";
import {
  CASSETTE_SUFFIX,
  CassetteError,
  cassetteProvider,
  createCassetteStore,
  diffCassettes,
  formatCassette,
  recordingProvider,
  type Cassette,
  type CassetteV2,
  type Drift,
} from "../../cassette/index.js";
import { openaiProvider, type FilePort, type RunResult } from "../../core/index.js";
import { research, SYSTEM_PROMPT } from "./agent.js";
import { DEMO_PRICING, serveModel, type DemoModel, serveSite, type ReadPage } from "./servers.js";

export interface DemoStep {
  title: string;
  lines: string[];
}

export interface DemoResult {
  folder: string;
  cassettes: string[];
  report: string;
  drifts: Drift[];
}

const OLD_FILE = "orbit-1.cassette.json";
const NEW_FILE = "orbit-2.cassette.json";
const REPORT_FILE = "drift-report.md";

/** `tell` is called with each step when it is done. */
export async function tellStory(folder: string, files: FilePort, tell: (step: DemoStep) => void): Promise<DemoResult> {
  const store = createCassetteStore(files);
  const refuse = async (name: string, text: string) => {
    const file = join(folder, "tampered", `${name}${CASSETTE_SUFFIX}`);
    await write(files, file, text);
    return [`file: ${file}`, `refused: ${await refusal(() => store.load(file))}`];
  };
  const site = await serveSite();
  try {
    const old = await record("orbit-1", site.readPage);
    await store.save(join(folder, OLD_FILE), old.cassette, { overwrite: true });
    tell({ title: "Record a run of the agent under model orbit-1", lines: recorded(old, join(folder, OLD_FILE)) });

    const pinned = await store.load(join(folder, OLD_FILE), { requireIntegrity: true });
    tell({ title: "Replay it with the model's server stopped", lines: await replay(pinned, old, site.readPage) });
    tell({ title: "Edit one byte of the cassette", lines: await refuse("edited", editOneByte(pinned)) });
    tell({
      title: "Relabel version 2 as version 1, to get round the hashes",
      lines: await refuse("relabelled", relabel(pinned)),
    });
    tell({ title: "Change the system prompt and replay", lines: await missOnChangedPrompt(pinned, site.readPage) });

    const now = await record("orbit-2", site.readPage);
    await store.save(join(folder, NEW_FILE), now.cassette, { overwrite: true });
    tell({ title: "Upgrade to model orbit-2 and record again", lines: recorded(now, join(folder, NEW_FILE)) });

    const drifts = diffCassettes(pinned, now.cassette);
    const report = join(folder, REPORT_FILE);
    await write(files, report, reportText(drifts, old.result, now.result));
    tell({
      title: "Compare the two: what did the upgrade change?",
      lines: [...drifts.map((drift) => `${drift.kind.padEnd(15)} ${drift.sentence}`), `report: ${report}`],
    });
    return { folder, cassettes: [join(folder, OLD_FILE), join(folder, NEW_FILE)], report, drifts };
  } finally {
    await site.close();
  }
}

interface Recorded {
  result: RunResult;
  cassette: CassetteV2;
  requests: number;
  /** All requests that reached the model's server, also after it was stopped. */
  totalRequests: () => number;
}

async function record(model: DemoModel, readPage: ReadPage): Promise<Recorded> {
  const server = await serveModel();
  try {
    const settings = { apiKey: "demo", model, baseURL: `${server.url}/v1`, pricing: DEMO_PRICING };
    const recorder = recordingProvider(openaiProvider(settings));
    const result = await research(recorder, readPage);
    const cassette = recorder.toCassette({ agentId: result.agentId });
    return { result, cassette, requests: server.requests(), totalRequests: server.requests };
  } finally {
    await server.close();
  }
}

function recorded({ result, cassette, requests }: Recorded, file: string): string[] {
  return [
    `${result.turns} turns, ${result.toolCalls} tool calls, ${requests} requests to the model's server`,
    `answer: ${result.finalAnswer}`,
    `cassette: ${file} (version ${cassette.version}, id ${cassette.cassetteId.slice(0, 8)}…)`,
  ];
}

async function replay(pinned: Cassette, old: Recorded, readPage: ReadPage): Promise<string[]> {
  const provider = cassetteProvider(pinned, { requireIntegrity: true });
  const result = await research(provider, readPage);
  provider.assertConsumed();
  const extra = old.totalRequests() - old.requests;
  promise(result.finalAnswer === old.result.finalAnswer, "the replayed answer is the recorded one");
  promise(extra === 0, "no request reached the model's server");
  return [
    `answer: ${result.finalAnswer}`,
    `byte for byte the recorded answer; all ${pinned.entries.length} recorded turns used; ${extra} requests to the model's server`,
  ];
}

function editOneByte(pinned: Cassette): string {
  const text = formatCassette(pinned);
  const edited = text.replace("19 EUR", "29 EUR");
  promise(edited !== text && edited.length === text.length, "exactly one byte was edited");
  return edited;
}

function relabel(pinned: Cassette): string {
  const text = formatCassette(pinned);
  const relabelled = text.replace(`"version": 2`, `"version": 1`);
  promise(relabelled !== text, "the label was changed");
  return relabelled;
}

async function missOnChangedPrompt(pinned: Cassette, readPage: ReadPage): Promise<string[]> {
  try {
    await research(cassetteProvider(pinned), readPage, SYSTEM_PROMPT.replace("one sentence", "two sentences"));
  } catch (error) {
    if (error instanceof CassetteError) return error.message.split("\n");
    throw error;
  }
  throw new Error("the changed prompt was answered");
}

async function refusal(load: () => Promise<Cassette>): Promise<string> {
  try {
    await load();
  } catch (error) {
    if (error instanceof CassetteError) return `${error.summary} [${error.code}]`;
    throw error;
  }
  throw new Error("the tampered cassette was accepted");
}

function reportText(drifts: readonly Drift[], old: RunResult, now: RunResult): string {
  const lines = drifts.map((drift) => `- **${drift.kind}**: ${drift.sentence}\n`).join("");
  return `# Drift from orbit-1 to orbit-2\n\n${lines}\nBefore: ${old.finalAnswer}\n\nAfter: ${now.finalAnswer}\n`;
}

async function write(files: FilePort, path: string, text: string): Promise<void> {
  const written = await files.write(path, text, { overwrite: true });
  if (written.kind !== "written") throw new Error(`${path} could not be written`);
}

/** Stops the demo before it prints something false. */
function promise(holds: boolean, what: string): void {
  if (!holds) throw new Error(`the demo cannot keep its word: ${what}`);
}
