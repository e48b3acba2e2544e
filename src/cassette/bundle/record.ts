// Records a run of several agents: each has its own recorder, and a bundle ties the cassettes to the plan and path of the run.

import { seal, type LlmProviderAdapter } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import type { CassetteV2 } from "../file/format.js";
import { recordingProvider, type RecordingProvider } from "../record/recording-provider.js";
import type { RecordingOptions } from "../record/recorder.js";
import { hashBundle } from "./check.js";
import type { AgentBundle, BundleFile, BundleMember, PlanLike, RunLike } from "./format.js";
import { toCassetteName } from "./name.js";
import { assertAgents, findStranger, toBundlePlan, toBundleRun, type BundleRun } from "./run.js";

/** The part of an agent's definition that recording needs; the runtime's `AgentDefinition` has it. */
export interface RecordableAgent {
  readonly id: string;
  readonly provider: LlmProviderAdapter;
}

export type WithProvider<A, P> = Omit<A, "provider"> & { readonly provider: P };

export interface RecordedRun {
  /** The plan of the run. Default: none. */
  readonly plan?: PlanLike;
  readonly result: RunLike;
}

/** A recording of several agents in progress. Created by {@link recordAgents}. */
export interface AgentRecording<A> {
  /** The agents' definitions in order, for `createRuntime`. */
  readonly agents: WithProvider<A, RecordingProvider>[];
  /** Builds the frozen bundle. Throws `turn-in-progress`, `nothing-recorded`, or `invalid-options` for a result or plan of another run. */
  toBundle(run: RecordedRun): AgentBundle;
}

/** Records one run of several agents. Agents that share a provider are recorded separately, and it is destroyed once. Throws `invalid-options`. */
export function recordAgents<A extends RecordableAgent>(
  agents: readonly A[],
  options: RecordingOptions = {},
): AgentRecording<A> {
  assertAgents("recordAgents", agents);
  const destroyed = new Map<LlmProviderAdapter, Promise<void>>();
  const recorders = agents.map(({ id, provider }): [string, RecordingProvider] => {
    assertProvider(id, provider);
    const recorder = recordingProvider(provider, options);
    const destroyOnce = (): Promise<void> => {
      const destroying = destroyed.get(provider) ?? destroy(provider);
      destroyed.set(provider, destroying);
      return destroying;
    };
    return [id, Object.assign(recorder, { destroy: destroyOnce })];
  });

  return {
    agents: agents.map((agent, index) => ({ ...agent, provider: (recorders[index] as (typeof recorders)[0])[1] })),
    toBundle({ plan, result }) {
      const run: BundleRun = { ...(plan === undefined ? {} : { plan: toBundlePlan(plan) }), ...toBundleRun(result) };
      const ids = agents.map(({ id }) => id);
      const cassettes = recorders.map(([id, recorder]): RecordedMember => [id, recorder.toCassette({ agentId: id })]);
      const recorded = cassettes.filter(([, { entries }]) => entries.length > 0);
      assertSameRun(run, ids, recorded);
      return toAgentBundle(run, ids, recorded);
    },
  };
}

/** A bundle of the cassettes of agents. `ids` are those of all agents, also of those without a cassette. */
export function toAgentBundle(
  run: BundleRun,
  ids: readonly string[],
  recorded: readonly RecordedMember[],
): AgentBundle {
  const asked = new Set(recorded.map(([id]) => id));
  const unasked = ids.filter((id) => !asked.has(id));
  return Object.freeze({
    bundle: seal(buildBundle(run, recorded, unasked)),
    cassettes: Object.freeze(Object.fromEntries(recorded)),
  });
}

export type RecordedMember = [id: string, cassette: CassetteV2];

function buildBundle(run: BundleRun, recorded: readonly RecordedMember[], unasked: readonly string[]): BundleFile {
  const members = recorded.map(([id, { cassetteId, envelopeHash, entries }]): [string, BundleMember] => [
    id,
    { cassette: toCassetteName(id, envelopeHash), cassetteId, envelopeHash, entries: entries.length },
  ]);
  const bundle: BundleFile = {
    bundleVersion: 1,
    ...run,
    agents: Object.fromEntries(members),
    unasked: [...unasked],
    bundleHash: "",
  };
  return { ...bundle, bundleHash: hashBundle(bundle) };
}

/** Refuses the result of another run, or a run of other agents, before a bundle is made of it. */
function assertSameRun(run: BundleRun, ids: readonly string[], recorded: readonly RecordedMember[]): void {
  if (recorded.length === 0) {
    throw new CassetteError("nothing-recorded", "no agent recorded a turn, so no bundle was written", {
      hint: "Pass `agents` of recordAgents() to createRuntime, and call toBundle() after the run.",
    });
  }
  const stranger = findStranger(run, new Set(ids));
  const idle = recorded.find(([id]) => !run.path.includes(id));
  if (stranger === undefined && idle === undefined) return;
  const what =
    stranger === undefined
      ? `agent ${JSON.stringify(idle?.[0])} was recorded, but according to the result it was never entered`
      : `the ${stranger.where[0] === "plan" ? "plan" : "result"} names agent ${JSON.stringify(stranger.agentId)}, which is not recorded here`;
  throw new CassetteError("invalid-options", what, {
    hint: "Pass the plan and the result of the run that these agents recorded.",
  });
}

async function destroy(provider: LlmProviderAdapter): Promise<void> {
  await provider.destroy?.();
}

function assertProvider(id: string, provider: unknown): void {
  if (typeof (provider as Partial<LlmProviderAdapter> | null | undefined)?.turn === "function") return;
  throw new CassetteError("invalid-options", `agent ${JSON.stringify(id)} has no provider`, {
    hint: "Pass an object with a turn(request) method, such as openaiProvider(…).",
  });
}
