// A tool that fails as the world behind it does, by a plan that is the same for the same seed.

import {
  copyJson,
  defined,
  NotJsonError,
  portsProblem,
  showValue,
  sleep,
  untilAborted,
  withSystemPorts,
  type CustomTool,
  type JsonValue,
  type Ports,
} from "../../core/index.js";
import { countTo, fieldsProblem, oneOf, optional, text, wait, type Check, type KindsOf } from "./fields.js";
import {
  assertFaultOptions,
  assertNone,
  createPlan,
  PLAN_OPTIONS,
  type FaultPlanOptions,
  type Injected,
  type Scheduled,
} from "./plan.js";

/** One thing that goes wrong in a tool, as plain JSON. See docs/faults.md. */
export type ToolFault =
  /** It throws before it does anything. */
  | { readonly kind: "throw"; readonly message?: string }
  /** It does its work, and then throws: the answer is lost. */
  | { readonly kind: "lost-answer" }
  /** It waits until its signal fires, whether by its time limit or by the run's end. */
  | { readonly kind: "hang" }
  /** It waits until long after its signal fired: what heeds no signal at all. */
  | { readonly kind: "deaf" }
  /** It does its work `ms` milliseconds later. */
  | { readonly kind: "slow"; readonly ms: number }
  /** It returns `value`, default null, whatever it is described to return. */
  | { readonly kind: "wrong-type"; readonly value?: JsonValue }
  /** It returns what JSON cannot say. */
  | { readonly kind: "not-json"; readonly what: "bigint" | "cycle" | "function" | "throws" }
  /** It returns a text of so many characters. Default 1,000,000. */
  | { readonly kind: "huge"; readonly characters?: number }
  /** It returns an object with keys that pollute a careless merge: `__proto__`, `constructor`, `prototype`. */
  | { readonly kind: "forbidden-key" };

/** The options of `faultyTool`: `faults` or a `schedule`, and the clock. A wrong one is `HarnessError` `faults-unclear`. */
export type FaultyToolOptions = FaultPlanOptions<ToolFault> & {
  /** The clock that slowness goes by. */
  readonly ports?: Partial<Ports>;
};

/** A tool that fails by a plan; made by `faultyTool`. */
export interface FaultyTool extends CustomTool {
  /** Every fault so far with the call it struck. The same list as `schedule` gives the same faults again. */
  readonly injected: readonly Injected<ToolFault>[];
  /** What of the schedule was not injected: its calls were not made, or `maxFaults` was met. Empty without a schedule. */
  readonly pending: readonly Scheduled<ToolFault>[];
}

const MAX_HUGE_CHARACTERS = 100_000_000;

const json: Check = (field, value) => {
  try {
    copyJson(value);
    return "";
  } catch (error) {
    if (!(error instanceof NotJsonError)) throw error;
    return `${field} is ${showValue(value)}: give plain JSON, and see not-json for what is none`;
  }
};

const KINDS: KindsOf<ToolFault> = {
  throw: { message: optional(text) },
  "lost-answer": {},
  hang: {},
  deaf: {},
  slow: { ms: wait },
  "wrong-type": { value: optional(json) },
  "not-json": { what: oneOf(["bigint", "cycle", "function", "throws"]) },
  huge: { characters: optional(countTo(MAX_HUGE_CHARACTERS)) },
  "forbidden-key": {},
};

/** Every kind of fault of a tool. */
export const TOOL_FAULT_KINDS = Object.keys(KINDS) as readonly ToolFault["kind"][];

/** One of every fault that a tool can have, in a fixed order. */
export function everyToolFault(): ToolFault[] {
  return [
    { kind: "throw" },
    { kind: "lost-answer" },
    { kind: "hang" },
    { kind: "deaf" },
    { kind: "slow", ms: 30_000 },
    { kind: "wrong-type" },
    { kind: "wrong-type", value: 42 },
    ...(["bigint", "cycle", "function", "throws"] as const).map((what): ToolFault => ({ kind: "not-json", what })),
    { kind: "huge" },
    { kind: "forbidden-key" },
  ];
}

/**
 * Wraps `tool`: the same name, description and schema. Calls are counted as they are made, whoever makes them. Throws
 * `HarnessError` `faults-unclear`.
 */
export function faultyTool(tool: CustomTool, options: FaultyToolOptions): FaultyTool {
  assertTool(tool);
  assertFaultOptions("faultyTool", options, [...PLAN_OPTIONS, "ports"]);
  assertNone("faultyTool", [portsProblem(options.ports)]);
  const plan = createPlan<ToolFault>("faultyTool", options, {
    problemOf: (fault) => fieldsProblem(KINDS, fault),
  });
  const ports = withSystemPorts(options.ports);
  const { name, description, schema, effect, timeoutMs } = tool;
  const faulty: CustomTool = {
    ...tool,
    // Of an instance of a class, these may stand in its prototype.
    ...{ name, description, schema },
    ...defined({ effect, timeoutMs }),
    invoke(args, context) {
      const struck = plan.next();
      const work = () => tool.invoke(args, context);
      return struck === undefined ? work() : suffer(struck.fault, work, { tool, signal: context.signal, ports });
    },
  };
  // Not among its keys: an agent refuses a tool with a field that nobody reads.
  return Object.defineProperties(faulty as FaultyTool, {
    injected: { get: () => plan.injected },
    pending: { get: () => plan.pending },
  });
}

function assertTool(tool: unknown): void {
  const { name, invoke } = (tool ?? {}) as Partial<Record<keyof CustomTool, unknown>>;
  assertNone("faultyTool", [
    typeof invoke === "function" && typeof name === "string"
      ? ""
      : `it was given no tool: ${showValue(tool)}; pass what defineTool({ name, description, schema, invoke }) gives`,
  ]);
}

interface Scene {
  readonly tool: CustomTool;
  readonly signal: AbortSignal;
  readonly ports: Ports;
}

function suffer(fault: ToolFault, work: () => unknown, { tool, signal, ports }: Scene): unknown {
  switch (fault.kind) {
    case "throw":
      throw new Error(fault.message ?? `${tool.name}: the service behind it answered 503`);
    case "lost-answer":
      return Promise.resolve(work()).then(() => {
        throw new Error(`${tool.name}: the connection broke before the answer came`);
      });
    case "hang":
      return untilAborted(new Promise(() => undefined), signal);
    case "deaf":
      return untilAborted(new Promise(() => undefined), signal).catch(() => sleep(1_000, ports).then(work));
    case "slow":
      return sleep(fault.ms, ports, signal).then(work);
    case "wrong-type":
      // A copy each time: an agent may do with it what it likes.
      return copyJson(fault.value ?? null);
    case "not-json":
      return withoutJson(fault.what);
    case "huge":
      return "x".repeat(fault.characters ?? 1_000_000);
    case "forbidden-key":
      return JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}},"prototype":1}');
  }
}

function withoutJson(what: Extract<ToolFault, { kind: "not-json" }>["what"]): unknown {
  switch (what) {
    case "bigint":
      return { count: 2n ** 64n };
    case "cycle": {
      const self: Record<string, unknown> = { name: "self" };
      self["self"] = self;
      return self;
    }
    case "function":
      return () => "never called";
    case "throws":
      return {
        toJSON() {
          throw new Error("this value has no JSON");
        },
      };
  }
}
