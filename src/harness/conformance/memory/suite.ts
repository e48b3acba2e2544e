// The contract of RuntimeMemory as cases for any test runner. It does not cover failures of processes, disks or networks.

import type { RuntimeMemory } from "../../../core/index.js";
import { Violation, type Clause } from "../../contract/clause.js";
import { within } from "../../contract/waiting.js";
import {
  blameFactory,
  readPatience,
  suiteFactory,
  toCases,
  type ConformanceCase,
  type ConformanceOptions,
} from "../case.js";
import { keyClauses } from "./keys.js";
import { scopeClauses } from "./scopes.js";
import { valueClauses } from "./values.js";
import { walkClauses } from "./walk.js";

/** Opens a new, empty store at each call. */
export type OpenMemory = () => RuntimeMemory | Promise<RuntimeMemory>;

const OWNER = "memoryConformance";

/**
 * The cases for the store that `open` returns, a new and empty one at each call. Each case closes its store. The names of the cases
 * are not stable, and later versions may add cases. Throws `AgentError` `invalid-options` for a value that is not a function that
 * opens stores, and for an unknown option.
 */
export function memoryConformance(open: OpenMemory, options: ConformanceOptions = {}): ConformanceCase[] {
  const patienceMs = readPatience(OWNER, options);
  const methods = ["get", "set", "delete", "keys", "clear"];
  const kind = { suite: OWNER, kind: "store", methods, patienceMs, made: new WeakSet() };
  const opened = suiteFactory(kind, "open", open);
  const blame = blameFactory(kind, "open");
  /** A store that another case has written to would be blamed for what that case did. */
  const assertEmpty = async (memory: RuntimeMemory): Promise<void> => {
    const keys: unknown = await (memory.keys("s") as Promise<string[]>).catch((error: unknown) => {
      if (error instanceof Violation) throw error;
    });
    if (Array.isArray(keys) && keys.length > 0) blame(`gave a store that already has ${keys.length} keys`, { keys });
  };
  const clauses = [...keyClauses, ...valueClauses, ...scopeClauses, ...walkClauses];
  const onEmpty = clauses.map(({ check, ...clause }): Clause<RuntimeMemory> => ({
    ...clause,
    check: async (memory) => {
      await assertEmpty(memory);
      await check(memory);
    },
  }));
  return toCases(
    onEmpty,
    async () => withPatience(await opened(), patienceMs),
    patienceMs,
    (memory) => memory.close?.(),
  );
}

function withPatience(memory: RuntimeMemory, patienceMs: number): RuntimeMemory {
  const call = <T>(what: string, work: () => T | Promise<T>): Promise<T> => within(patienceMs, what, work);
  let closed: Promise<void> | undefined;
  return {
    get: (scope, key) => call("get", () => memory.get(scope, key)),
    set: (scope, key, value) => call("set", () => memory.set(scope, key, value)),
    delete: (scope, key) => call("delete", () => memory.delete(scope, key)),
    keys: (scope) => call("keys", () => memory.keys(scope)),
    clear: (scope) => call("clear", () => memory.clear(scope)),
    close: () => (closed ??= call("close", () => memory.close?.())),
  };
}
