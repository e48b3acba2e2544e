// A tool that fails like the services behind it, by a plan that depends only on its seed.

import {
  copyJson,
  defined,
  isPlainObject,
  portsProblem,
  showValue,
  sleep,
  untilAborted,
  withSystemPorts,
  type CustomTool,
  type JsonValue,
  type Ports,
} from "../../core/index.js";
import { MAX_HUGE_CHARACTERS } from "../limits.js";
import { countTo, fieldsProblem, json, oneOf, optional, text, wait, type KindsOf } from "./fields.js";
import {
  assertFaultOptions,
  assertNone,
  createPlan,
  PLAN_OPTIONS,
  type FaultLog,
  type FaultPlanOptions,
} from "./plan.js";

/** One failure of a tool, as plain JSON. See docs/faults.md. */
export type ToolFault =
  /** It throws before its work. */
  | { readonly kind: "throw"; readonly message?: string }
  /** It throws after its work, so the answer is lost. */
  | { readonly kind: "lost-answer" }
  /** It waits until its signal fires, at its time limit or the run's end. */
  | { readonly kind: "hang" }
  /** It ignores its signal and ends long after it fired. */
  | { readonly kind: "deaf" }
  /** It does its work `ms` milliseconds later. */
  | { readonly kind: "slow"; readonly ms: number }
  /** It returns `value`, default null, instead of its own type. */
  | { readonly kind: "wrong-type"; readonly value?: JsonValue }
  /** It returns a value that JSON cannot hold. */
  | { readonly kind: "not-json"; readonly what: "bigint" | "cycle" | "function" | "throws" }
  /** It returns a text of this length. Default 1,000,000. */
  | { readonly kind: "huge"; readonly characters?: number }
  /** It returns an object with keys that pollute a careless merge: `__proto__`, `constructor`, `prototype`. */
  | { readonly kind: "forbidden-key" };

/** The options of `faultyTool`: `faults` or a `schedule`, and the clock. A wrong one is `HarnessError` `faults-unclear`. */
export type FaultyToolOptions = FaultPlanOptions<ToolFault> & {
  readonly ports?: Partial<Ports>;
};

/** A tool that fails by a plan, made by `faultyTool`. */
export interface FaultyTool extends CustomTool, FaultLog<ToolFault> {}

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

export const TOOL_FAULT_KINDS = Object.keys(KINDS) as readonly ToolFault["kind"][];

/** Wraps `tool`, with the same name, description and schema. Counts all calls together. Throws `faults-unclear`. */
export function faultyTool(tool: CustomTool, options: FaultyToolOptions): FaultyTool {
  assertTool(tool);
  assertFaultOptions("faultyTool", options, [...PLAN_OPTIONS, "ports"]);
  assertNone("faultyTool", [portsProblem(options.ports)]);
  const plan = createPlan<ToolFault>("faultyTool", options, { problemOf: (fault) => fieldsProblem(KINDS, fault) });
  const ports = withSystemPorts(options.ports);
  const { name, description, schema, effect, retryPolicy, timeoutMs } = tool;
  const faulty: CustomTool = {
    // An instance of a class may have fields of its own, which an agent would refuse in a plain object.
    ...(isPlainObject(tool) ? tool : {}),
    ...{ name, description, schema },
    ...defined({ effect, retryPolicy, timeoutMs }),
    invoke(args, context) {
      const struck = plan.next();
      const work = () => tool.invoke(args, context);
      return struck === undefined ? work() : suffer(struck.fault, work, { tool, signal: context.signal, ports });
    },
  };
  // Not enumerable, because an agent refuses a tool with unknown fields.
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
      : `the tool is ${showValue(tool)}: pass the result of defineTool({ name, description, schema, invoke })`,
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
      // A copy each time, because an agent may change it.
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
