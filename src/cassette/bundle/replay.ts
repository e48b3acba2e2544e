// Replays a run of several agents, each from its own cassette. Path and end must be the recorded ones, with no turn unused.

import type { LlmProviderAdapter, Ports } from "../../core/index.js";
import { assertKnownOptions, CassetteError } from "../errors.js";
import type { HashFilterOption } from "../prompt/hash-filters.js";
import type { RedactOption } from "../redact/options.js";
import { cassetteProvider, type CassetteProvider } from "../replay/replay.js";
import { assertStreaming, STREAMING_OPTIONS, type StreamingOptions } from "../stream/play.js";
import { checkBundle } from "./check.js";
import { endDifference, pathDifference, planDifference } from "./compare.js";
import type { AgentBundle, BundleFile, PlanLike, RunLike } from "./format.js";
import type { WithProvider } from "./record.js";
import { assertAgents, toBundlePlan, toBundleRun } from "./run.js";

/** The options of {@link replayAgents}. */
export interface AgentReplayOptions extends StreamingOptions {
  /** The plan of the run. Default: none. */
  readonly plan?: PlanLike;
  /** False answers with the agent's next unused turn if no recorded prompt fits. Default true. */
  readonly strict?: boolean;
  /** Has no effect, since a bundle has no version 1 cassettes. Accepted so that the options of a cassette can be passed on. */
  readonly requireIntegrity?: boolean;
  /** The function the recording was made with. */
  readonly hashFilter?: HashFilterOption;
  /** As for `cassetteProvider`. */
  readonly redact?: RedactOption;
  /** As for `cassetteProvider`. */
  readonly allowRedacted?: boolean;
  /** `timed` waits with `now` and `timer`. */
  readonly ports?: Partial<Pick<Ports, "warn" | "now" | "timer">>;
}

/** A bundle being replayed. Created by {@link replayAgents}. */
export interface AgentReplay<A> {
  /** The agents' definitions in order, each with a replaying provider. */
  readonly agents: WithProvider<A, LlmProviderAdapter>[];
  /** Throws `path-changed` with the first step or end that differs, `unconsumed`, or `invalid-options` for anything but a result. */
  finish(result: RunLike): void;
}

const OPTIONS = [
  ...["plan", "strict", "requireIntegrity", "hashFilter", "redact", "allowRedacted", "ports"],
  ...STREAMING_OPTIONS,
];

/**
 * Replays a bundle of several agents. Checks the bundle and its cassettes as if they came from files, and does not use the agents' own
 * providers. Throws `CassetteError` with a `LoadErrorCode`, or `plan-changed` if the agents or the plan differ from the recorded ones.
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
  const newPlan = planDifference(bundle.plan, plan === undefined ? undefined : toBundlePlan(plan));
  if (newPlan !== undefined) throw planChanged(newPlan);

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
  if (missing !== undefined)
    throw planChanged(`agent ${JSON.stringify(missing)} was recorded, but is not among the agents`);
  const added = ids.find((id) => !recorded.includes(id));
  if (added !== undefined)
    throw planChanged(`agent ${JSON.stringify(added)} is among the agents, but was not recorded`);
}

/** The provider of an agent that made no model call in the recorded run. */
export function neverAsked(agentId: string): LlmProviderAdapter {
  return {
    name: "cassette:none",
    async turn() {
      const why = "it made no model call in the recorded run, and now makes one";
      throw new CassetteError("exhausted", `agent ${JSON.stringify(agentId)} has no cassette: ${why}`, {
        hint: "The run took another path than the recorded one. Undo the change, or record again.",
      });
    },
  };
}

function assertAllConsumed(replays: ReadonlyMap<string, CassetteProvider>): void {
  const left = [...replays].filter(([, { remaining }]) => remaining > 0);
  if (left.length === 0) return;
  const agents = left.map(
    ([id, { remaining, cassette }]) => `${remaining} of ${cassette.entries.length} of agent ${JSON.stringify(id)}`,
  );
  throw new CassetteError("unconsumed", `recorded turns were not used: ${agents.join(", ")}`, {
    hint: "The run made fewer model calls than the recorded one. Undo the change, or record again.",
  });
}

function planChanged(what: string): CassetteError {
  return new CassetteError("plan-changed", `the plan is not the recorded one: ${what}`, {
    hint: "Pass the agents and the plan of the recorded run, or record again.",
  });
}

function pathChanged(what: string): CassetteError {
  return new CassetteError("path-changed", `the run is not the recorded one: ${what}`, {
    hint: "Check the final answer of the previous agent, and the conditions of the plan, or record again.",
  });
}
