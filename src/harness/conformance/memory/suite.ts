// The contract of RuntimeMemory (see its comment) as cases for any test runner, so that a store of one's own can be held to it:
//
//   for (const { name, run } of memoryConformance(openMyStore)) test(name, run);
//
// What it does not see: whether a store outlives its process, and how it fails when its disk or its network does.

import type { RuntimeMemory } from "../../../core/index.js";
import { assertOptionsObject, assertWait } from "../../contract/given.js";
import { MEMORY_ADVICE } from "./advice.js";
import { keyCases } from "./keys.js";
import { scopeCases } from "./scopes.js";
import { valueCases } from "./values.js";
import { walkCases } from "./walk.js";
import { assertFactory, checkedFactory, DEFAULT_PATIENCE_MS, MAX_END_MS } from "../subject.js";
import { advised, fail, Violation, within, type ConformanceCase, type MemoryCheck } from "../case.js";

/** Opens a store that is new and empty at each call. */
export type OpenMemory = () => RuntimeMemory | Promise<RuntimeMemory>;

/** The options of `memoryConformance`. */
export interface MemoryConformanceOptions {
  /** Milliseconds that a call may take before a case takes it for one that never ends. Default 4,000. */
  readonly patienceMs?: number;
}

const OWNER = "memoryConformance";
const METHODS = ["get", "set", "delete", "keys", "clear"];

const closeCases = {
  async "closes without an error"(memory) {
    await memory.set("s", "k", 1);
    await memory.close?.();
  },
} satisfies Record<string, MemoryCheck>;

const cases = { ...keyCases, ...valueCases, ...scopeCases, ...walkCases, ...closeCases };

/**
 * The cases for the store that `open` gives: a new and empty one at each call. Each case closes its store. The names of the cases
 * are part of no promise, and later versions may add some. Throws `AgentError` `invalid-options` for what is no function that opens
 * one, and for an option that is none.
 */
export function memoryConformance(open: OpenMemory, options: MemoryConformanceOptions = {}): ConformanceCase[] {
  assertOptionsObject(OWNER, options, ["patienceMs"]);
  const { patienceMs = DEFAULT_PATIENCE_MS } = options;
  assertWait(OWNER, "patienceMs", patienceMs);
  const owner = `open of ${OWNER}`;
  assertFactory(owner, open, "store", METHODS);
  const made = new WeakSet<object>();
  const opened = checkedFactory({ owner, kind: "store", methods: METHODS, patienceMs, made }, open);
  return (Object.entries(cases) as [keyof typeof cases, MemoryCheck][]).map(([name, check]) => ({
    name,
    run: async () => {
      const memory = withPatience(await opened(), patienceMs);
      try {
        await advised(MEMORY_ADVICE[name], async () => {
          await assertEmpty(memory);
          await check(memory);
        });
      } finally {
        // What goes wrong here is the matter of the case about the end.
        await within(Math.min(patienceMs, MAX_END_MS), "close", memory.close()).catch(() => undefined);
      }
    },
  }));
}

/** One that another case has written to would be blamed for what that case did. */
async function assertEmpty(memory: RuntimeMemory): Promise<void> {
  let keys: unknown;
  try {
    keys = await memory.keys("s");
  } catch (error) {
    if (error instanceof Violation) throw error;
    return;
  }
  if (Array.isArray(keys) && keys.length > 0)
    fail(`what open of ${OWNER} gives at each call`, { keys }, "an empty store");
}

type PatientMemory = Omit<RuntimeMemory, "close"> & { close(): Promise<void> };

/** The same store, each call of which ends: by what it gives, or by the verdict that it never does. */
function withPatience(memory: RuntimeMemory, patienceMs: number): PatientMemory {
  const call = <T>(what: string, work: () => T | Promise<T>): Promise<T> =>
    within(patienceMs, what, (async () => work())());
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
