// Step checks on real runs: the first turn of one recorded model against what another model really did at the very same prompt,
// taken from its own recorded runs. Later prompts hold ids and results of a run of their own, so no other model was at them.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Cassette } from "../../../src/cassette/file/format.js";
import { importLog } from "../../../src/cassette/import/import.js";
import { rebuildPrompts } from "../../../src/cassette/prompt/rebuild.js";
import { canonicalize } from "../../../src/core/canon/json.js";
import type { LlmProviderAdapter, LlmTurnResponse } from "../../../src/core/index.js";
import { stepCheck } from "../../../src/harness/step-check/check.js";
import { createStepGate } from "../../../src/harness/step-check/gate.js";
import { summariseSteps, type StepSummary } from "../../../src/harness/step-check/summary.js";
import { fixedPorts } from "../../support/recording.js";
import { hasShared, readSharedLines } from "../../support/shared.js";

const LOG = "data/trajectories/agentdojo-utility.jsonl.gz";
const RECORDED = "gpt-4o-2024-05-13";
const OTHERS = ["claude-3-5-sonnet-20241022", "claude-3-opus-20240229", "gpt-4o-mini-2024-07-18"];
const PAGE = new URL("../../../docs/step-check.md", import.meta.url);

interface RawRun {
  model: string;
  task: string;
  data: {
    messages: {
      role: string;
      content: unknown;
      tool_calls?: { function: string; args: Record<string, unknown> }[] | null;
    }[];
  };
}

const runs = hasShared ? readSharedLines<RawRun>(LOG).filter(({ model }) => [RECORDED, ...OTHERS].includes(model)) : [];
const runsOf = (model: string): Map<string, RawRun> =>
  new Map(runs.filter((run) => run.model === model).map((run) => [run.task, run]));

/** The prompt and the calls of the first turn of a raw run, read without any code of ours. */
function firstTurn(run: RawRun | undefined): { prompt: string; calls: string[]; tools: string[] } {
  const messages = run?.data.messages ?? [];
  const at = messages.findIndex(({ role }) => role === "assistant");
  const calls = messages[at]?.tool_calls ?? [];
  const prompt = JSON.stringify(messages.slice(0, at).map(({ role, content }) => [role, content]));
  return {
    prompt,
    calls: calls.map((call) => JSON.stringify([call.function, Object.entries(call.args).sort()])).sort(),
    tools: calls.map((call) => call.function).sort(),
  };
}

function countByHand(other: string): Record<string, number> {
  const counts = { prompts: 0, same: 0, "other-arguments": 0, "other-tools": 0, answered: 0, called: 0 };
  const theirs = runsOf(other);
  for (const [task, run] of runsOf(RECORDED)) {
    const [old, now] = [firstTurn(run), firstTurn(theirs.get(task))];
    if (old.prompt !== now.prompt) continue;
    counts.prompts++;
    if (old.calls.join() === now.calls.join()) counts.same++;
    else if (now.calls.length === 0) counts.answered++;
    else if (old.calls.length === 0) counts.called++;
    else if (old.tools.join() === now.tools.join()) counts["other-arguments"]++;
    else counts["other-tools"]++;
  }
  return counts;
}

function cassettesOf(model: string): Cassette[] {
  const text = [...runsOf(model).values()].map((run) => JSON.stringify(run)).join("\n");
  const options = { source: "runs.jsonl", recordedAt: "2026-11-21T12:00:00.000Z" };
  return [...importLog(text, options)].map(({ cassette }) => cassette);
}

/** A model that says what it said in its own recorded runs, and fails at a prompt that it never had. */
function asRecorded(model: string): LlmProviderAdapter {
  const answers = new Map<string, LlmTurnResponse>();
  for (const cassette of cassettesOf(model)) {
    const [first] = rebuildPrompts(cassette) ?? [];
    const [entry] = cassette.entries;
    if (first !== undefined && entry !== undefined) answers.set(canonicalize(first), entry.response);
  }
  return {
    name: model,
    turn({ messages }) {
      const answer = answers.get(canonicalize(messages));
      return answer === undefined ? Promise.reject(new Error("never asked this")) : Promise.resolve(answer);
    },
  };
}

async function checkFirstTurns(provider: LlmProviderAdapter): Promise<StepSummary> {
  const checks = [];
  for (const cassette of cassettesOf(RECORDED)) {
    // The logs do not hold the tools that were offered; a model that only repeats itself needs none.
    const gate = createStepGate({ maxTurns: 1 });
    checks.push(await stepCheck(cassette, provider, { gate, tools: [], ports: fixedPorts() }));
  }
  return summariseSteps(checks);
}

const percent = (rate: number): string => `${Number((100 * rate).toFixed(1))} %`;

describe.skipIf(!hasShared)("the first turns of 42 AgentDojo tasks", () => {
  it.each(OTHERS)(
    "of gpt-4o against %s: counted by hand, and as the page says",
    { timeout: 180_000 },
    async (other) => {
      const { compared, verdicts, failed, agreement } = await checkFirstTurns(asRecorded(other));
      const { prompts, ...byHand } = countByHand(other);
      expect({ compared, verdicts }).toEqual({ compared: prompts, verdicts: byHand });
      expect(compared + failed).toBe(42);
      const { same, answered, called } = verdicts;
      const figures = [compared, same, verdicts["other-arguments"], verdicts["other-tools"], answered, called];
      const { rate = NaN, low = NaN, high = NaN } = agreement ?? {};
      const row = `| ${[other, ...figures, percent(rate), `${percent(low)} to ${percent(high)}`].join(" | ")} |`;
      expect(readFileSync(PAGE, "utf8")).toContain(row);
    },
  );

  it("of gpt-4o against itself agree in every turn", { timeout: 180_000 }, async () => {
    const { compared, agreement } = await checkFirstTurns(asRecorded(RECORDED));
    expect([compared, agreement?.rate]).toEqual([42, 1]);
  });
});
