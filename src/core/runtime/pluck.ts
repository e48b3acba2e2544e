// createPluck: an instance with verbs, a memory and ports, which makes runtimes and offers the verbs to code outside any run.

import type { JsonObject } from "../canon/value.js";
import { createInMemoryRuntimeMemory } from "../memory/memory.js";
import { viewOutsideRuns } from "../memory/run-memory.js";
import type { RuntimeMemory } from "../model/memory.js";
import { assertKnownOptions } from "../options.js";
import type { Ports } from "../ports.js";
import { VERB_NAMES, type VerbBodies, type VerbName } from "../tools/verbs.js";
import { createRuntime, type AgentRuntime, type RuntimeOptions } from "./runtime.js";
import { callVerb } from "./verbs.js";

/** The options of {@link createPluck}. */
export interface PluckOptions {
  /** Bodies for the eight verbs. Default none; `createPluck` of `playhead/host` has them. */
  readonly verbs?: VerbBodies;
  /** Shared by all runtimes of the instance. Default: each runtime has its own. */
  readonly memory?: RuntimeMemory;
  readonly ports?: Partial<Ports>;
}

/** A verb called by the host: its body sees the agent id "" and a memory that belongs to no run. */
export type InstanceVerb = (args: JsonObject, options?: { readonly signal?: AbortSignal }) => Promise<unknown>;

/**
 * The eight verbs as functions, and `runtime`. A verb rejects with the error of its body, with `capability-missing` if it has none,
 * and with `aborted` once its signal has fired. Its arguments come from trusted code and are passed on unchecked.
 */
export interface PluckInstance extends Readonly<Record<VerbName, InstanceVerb>> {
  /** Like `createRuntime`. The defaults of `verbs`, `memory` and `ports` are the instance's. */
  runtime(options: RuntimeOptions): AgentRuntime;
}

/** Creates an instance, with no verbs by default: `createPluck` of `playhead/host` has them. Throws `AgentError` `invalid-options`. */
export function createPluck(options: PluckOptions = {}): PluckInstance {
  assertKnownOptions("createPluck", options, ["verbs", "memory", "ports"]);
  const defaults = { ...options };
  const memory = viewOutsideRuns(defaults.memory ?? createInMemoryRuntimeMemory());
  const bind =
    (name: VerbName): InstanceVerb =>
    async (args, given = {}) => {
      assertKnownOptions(name, given, ["signal"]);
      const { signal = new AbortController().signal } = given;
      return callVerb(defaults.verbs, name, args, { signal, agentId: "", memory });
    };
  const verbs = Object.fromEntries(VERB_NAMES.map((name) => [name, bind(name)])) as Record<VerbName, InstanceVerb>;
  return { ...verbs, runtime: (given) => createRuntime({ ...defaults, ...given }) };
}
