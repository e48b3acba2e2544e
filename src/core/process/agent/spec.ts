// The spec of an agent process as a value. All flaws are reported together.

import { isPlainObject, type JsonObject } from "../../canon/value.js";
import { MIN_THINKING_TOKENS } from "../../limits.js";
import type { BudgetLimits } from "../../loop/budget.js";
import { showValue } from "../../text/show.js";
import { thrownText } from "../../text/thrown.js";
import { createValueMatch } from "../../tools/argument-check.js";
import { createBudget } from "../../loop/budget.js";
import { TOOL_NAME } from "../../tools/registry.js";
import { PlumbError } from "../errors.js";
import { NODE_NAME } from "../wire/item.js";
import { PIN_TOOLS } from "./pin-tools.js";

export type ProviderName = "anthropic" | "openai";

/** A spec: one JSON object in a file. */
export interface AgentSpec {
  readonly name: string;
  /** Default: `PLUMB_PROVIDER`. */
  readonly provider?: ProviderName;
  /** Default: `PLUMB_MODEL`. */
  readonly model?: string;
  /** The base URL of the provider. Default: the vendor's own. */
  readonly endpoint?: string;
  readonly prompt?: string;
  /** Files for the system prompt. One without a slash is looked up in `PLUMB_RESOURCES`, any other one is relative to the spec. */
  readonly prompts?: readonly string[];
  /** JSON Schema of each message. Default: any value. */
  readonly input?: JsonObject;
  /** JSON Schema of each answer. Default: any value. */
  readonly output?: JsonObject;
  /** Default 8,192. */
  readonly max_tokens?: number;
  readonly temperature?: number;
  readonly thinking_budget?: number;
  /** Tells the model before each turn what it has used. Default false. */
  readonly runtime_context?: boolean;
  /** Takes control messages. Default false. */
  readonly control?: boolean;
  /** Further attempts if an answer does not match `output`. Default 3. */
  readonly max_retries?: number;
  /** Tool calls of one message. Default 200. */
  readonly max_tool_calls?: number;
  /** Turns of one message. Default 50. */
  readonly max_turns?: number;
  /** Caps of the whole process. */
  readonly budget?: BudgetLimits;
  /** The names of its tools. Their schemas are in the file that `PLUMB_MCP_TOOLS` names. */
  readonly tools?: readonly string[];
  /** Forgets each message once it is answered. Default false. */
  readonly amnesiac?: boolean;
  /** Ends after this many messages. */
  readonly max_messages?: number;
  /** What a failed message does: it ends the process, or it is skipped. Default `stop`. */
  readonly on_error?: "stop" | "skip";
}

type Check = (value: unknown) => string;

const text: Check = (value) => (typeof value === "string" ? "" : "a string");
const flag: Check = (value) => (typeof value === "boolean" ? "" : "true or false");
const atLeast =
  (least: number): Check =>
  (value) =>
    Number.isSafeInteger(value) && Number(value) >= least ? "" : `a whole number of ${least} or more`;
const word =
  (...words: readonly unknown[]): Check =>
  (value) =>
    words.includes(value) ? "" : `one of ${words.join(", ")}`;
const schema: Check = (value) => {
  if (!isPlainObject(value)) return "a JSON Schema, as an object";
  try {
    createValueMatch("the spec", value as JsonObject);
    return "";
  } catch (error) {
    return `a usable JSON Schema (${thrownText(error)})`;
  }
};

const isToolName = (name: unknown): boolean =>
  typeof name === "string" && TOOL_NAME.test(name) && !PIN_TOOLS.includes(name);

const FIELDS: Readonly<Record<keyof AgentSpec, Check>> = {
  name: (value) =>
    typeof value === "string" && NODE_NAME.test(value) ? "" : `a name that matches ${NODE_NAME.source}`,
  provider: word("anthropic", "openai"),
  model: (value) => (typeof value === "string" && value !== "" ? "" : "the name of a model"),
  endpoint: (value) => (typeof value === "string" && URL.canParse(value) ? "" : "a URL"),
  prompt: text,
  prompts: (value) =>
    Array.isArray(value) && value.every((item) => text(item) === "" && item !== "") ? "" : "a list of file names",
  input: schema,
  output: schema,
  max_tokens: atLeast(1),
  temperature: (value) => (typeof value === "number" && value >= 0 && value <= 2 ? "" : "a number from 0 to 2"),
  thinking_budget: atLeast(MIN_THINKING_TOKENS),
  runtime_context: flag,
  control: flag,
  max_retries: atLeast(0),
  max_tool_calls: atLeast(0),
  max_turns: atLeast(1),
  budget: (value) => {
    try {
      createBudget(value as BudgetLimits, "budget");
      return isPlainObject(value) ? "" : "an object";
    } catch (error) {
      return `a usable budget (${thrownText(error)})`;
    }
  },
  tools: (value) =>
    Array.isArray(value) && value.every(isToolName) && new Set(value).size === value.length
      ? ""
      : `a list of different names of tools, without ${PIN_TOOLS.join(" and ")}`,
  amnesiac: flag,
  max_messages: atLeast(1),
  on_error: word("stop", "skip"),
};

/** Throws `PlumbError` `spec-malformed`. `place` is the file, for the message. */
export function readSpec(value: unknown, place = "the spec"): AgentSpec {
  const refuse = (what: string): PlumbError =>
    new PlumbError(
      "spec-malformed",
      `${place}: ${what}`,
      `A spec is a JSON object with ${Object.keys(FIELDS).join(", ")}.`,
    );
  if (!isPlainObject(value)) throw refuse(`it is ${showValue(value)} and must be an object`);
  const flaws = Object.keys(value)
    .filter((key) => !Object.hasOwn(FIELDS, key))
    .map((key) => `unknown field ${JSON.stringify(key)}`);
  if (!Object.hasOwn(value, "name")) flaws.push("name is missing");
  for (const [name, check] of Object.entries(FIELDS)) {
    const expected = Object.hasOwn(value, name) ? check(value[name]) : "";
    if (expected !== "") flaws.push(`${name} is ${showValue(value[name])} and must be ${expected}`);
  }
  if (flaws.length > 0) throw refuse(flaws.join("; "));
  return value as unknown as AgentSpec;
}
