// Replaying a run of several agents: every agent is answered from its own cassette, and at the end the run must have been the
// recorded one: the same path, the same end, nothing left over.

import type { LlmProviderAdapter, Ports } from "../../core/index.js";
import { assertKnownOptions, CassetteError } from "../errors.js";
import type { HashFilterOption } from "../prompt/filters.js";
import type { RedactOption } from "../redact/options.js";
import { cassetteProvider, type CassetteProvider } from "../replay/replay.js";
import { assertStreaming, STREAMING_OPTIONS, type StreamingOptions } from "../stream/play.js";
import { assertAgents } from "./agents.js";
import { checkBundle } from "./check.js";
import { endDifference, pathDifference, planDifference } from "./compare.js";
import type { AgentBundle, BundleFile, PlanLike, RunLike } from "./format.js";
import type { WithProvider } from "./record.js";
import { toBundlePlan, toBundleRun } from "./run.js";

/** The options of {@link replayAgents}. */
export interface AgentReplayOptions extends StreamingOptions {
  /** The plan that the run will be given. Left out: it has none. */
  readonly plan?: PlanLike;
  /** False answers with the next unused turn of the agent when no recorded prompt fits. Default true. */
  readonly strict?: boolean;
  /** A bundle lists no version 1, so both values mean the same; taken so that options of one cassette can be passed on. */
  readonly requireIntegrity?: boolean;
  /** The function the recording was made with. */
  readonly hashFilter?: HashFilterOption;
  /** As for `cassetteProvider`. */
  readonly redact?: RedactOption;
  /** As for `cassetteProvider`. */
  readonly allowRedacted?: boolean;
  /** `now` and `timer` are what `timed` waits by. */
  readonly ports?: Partial<Pick<Ports, "warn" | "now" | "timer">>;
}

/** A bundle being replayed; made by {@link replayAgents}. */
export interface AgentReplay<A> {
  /** The definitions in their order with a replaying provider each. */
  readonly agents: WithProvider<A, LlmProviderAdapter>[];
  /**
   * To be called with what the run resolved to. Throws `CassetteError`: `path-changed` naming the first step or the end that
   * differs, or `unconsumed` naming the turns that were never asked for. `invalid-options` for what is no result.
   */
  finish(result: RunLike): void;
}

const OPTIONS = [
  "plan",
  "strict",
  "requireIntegrity",
  "hashFilter",
  "redact",
  "allowRedacted",
  "ports",
  ...STREAMING_OPTIONS,
];

/**
 * Checks the bundle with its cassettes as if they came from files. Throws `CassetteError` with a `LoadErrorCode`, or
 * `plan-changed` when agents or plan are not the recorded ones. The agents need no provider; one they have is not used.
 */
export function replayAgents<A extends { readonly id: string }>(
  recording: AgentBundle,
  agents: readonly A[],
  options: AgentReplayOptions = {},
): AgentReplay<A> {
  assertKnownOptions("replayAgents", options, OPTIONS);
  assertAgents("replayAgents", agents);
  assertStreaming("replayAgents", options);
  const { plan, ...each } = options;
  const { bundle, cassettes } = checkBundle(recording);
  assertSameAgents(bundle, agents);
  assertSamePlan(bundle, plan);

  const replays = new Map<string, CassetteProvider>();
  for (const [id, { cassette: file }] of Object.entries(bundle.agents)) {
    replays.set(id, cassetteProvider(cassettes[id], { ...each, file }));
  }
  return {
    agents: agents.map((agent) => ({ ...agent, provider: replays.get(agent.id) ?? neverAsked(agent.id) })),
    finish(result) {
      const { path, ended } = toBundleRun(result);
      const changed = pathDifference(bundle.path, path) ?? endDifference(bundle.ended, ended);
      if (changed !== undefined) throw pathChanged(changed);
      assertAllConsumed(replays);
    },
  };
}

function assertSameAgents({ agents, unasked }: BundleFile, given: readonly { readonly id: string }[]): void {
  const recorded = [...Object.keys(agents), ...unasked];
  const ids = given.map(({ id }) => id);
  const missing = recorded.find((id) => !ids.includes(id));
  if (missing !== undefined) throw planChanged(`agent ${JSON.stringify(missing)} was recorded and was not handed in`);
  const added = ids.find((id) => !recorded.includes(id));
  if (added !== undefined) throw planChanged(`agent ${JSON.stringify(added)} was handed in and was not recorded`);
}

function assertSamePlan(bundle: BundleFile, plan: PlanLike | undefined): void {
  const changed = planDifference(bundle.plan, plan === undefined ? undefined : toBundlePlan(plan));
  if (changed !== undefined) throw planChanged(changed);
}

/** Stands for an agent that no model was asked for: it has nothing to answer with. */
function neverAsked(agentId: string): LlmProviderAdapter {
  return {
    name: "cassette:none",
    async turn() {
      throw new CassetteError(
        "exhausted",
        `agent ${JSON.stringify(agentId)} has no cassette: it was not asked in the recorded run, and is now`,
        { hint: "The run went another way than the recorded one. Undo the change, or record again." },
      );
    },
  };
}

function assertAllConsumed(replays: ReadonlyMap<string, CassetteProvider>): void {
  const left = [...replays].filter(([, { remaining }]) => remaining > 0);
  if (left.length === 0) return;
  const agents = left.map(
    ([id, { remaining, cassette }]) => `${remaining} of ${cassette.entries.length} of agent ${JSON.stringify(id)}`,
  );
  throw new CassetteError("unconsumed", `recorded turns were never asked for: ${agents.join(", ")}`, {
    hint: "The run asked less than the recorded one. Undo the change, or record again.",
  });
}

function planChanged(what: string): CassetteError {
  return new CassetteError("plan-changed", `the plan is not the recorded one: ${what}`, {
    hint: "Hand in the agents and the plan of the recorded run, or record again.",
  });
}

function pathChanged(what: string): CassetteError {
  return new CassetteError("path-changed", `the run is not the recorded one: ${what}`, {
    hint: "Look at the final answer of the agent before, and at the conditions of the plan; or record again.",
  });
}
