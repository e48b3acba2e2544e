// Checks the authored parts of a vertex, field by field, before any call. Each error names the vertex and the field.

import { isPlainObject } from "../canon/value.js";
import { invalidOptions, type AgentError } from "../errors.js";
import { backoffProblem } from "../providers/fallback/backoff.js";
import { showValue } from "../text/show.js";
import type { AgentNode, PlanVertex, ResolvedAgent } from "./vertex.js";

/** The authored parts of an agent vertex. */
export interface Authored {
  readonly node: AgentNode;
  readonly agent: ResolvedAgent;
}

type Check = (value: unknown) => string;
type Fields = Readonly<Record<string, readonly [check: Check, isNeeded?: true]>>;

const text: Check = (value) => (typeof value === "string" ? "" : "a string");
const filled: Check = (value) => (typeof value === "string" && value.trim() !== "" ? "" : "a non-empty string");
const texts: Check = (value) =>
  Array.isArray(value) && value.every((item) => typeof item === "string") ? "" : "a list of strings";
const object: Check = (value) => (isPlainObject(value) ? "" : "an object");
const finite: Check = (value) => (Number.isFinite(value) ? "" : "a number");
const count: Check = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 1 ? "" : "a whole number of 1 or more";
const retry: Check = (value) => {
  if (!isPlainObject(value)) return "an object { max, backoff? }";
  if (count(value["max"]) !== "") return `an object whose max is ${count(value["max"])}`;
  const problem = backoffProblem(value["backoff"]);
  return problem === "" ? "" : `an object with a usable backoff (${problem})`;
};
const fallbacks: Check = (value) => {
  if (!Array.isArray(value)) return "a list of { provider, model, max_attempts? }";
  const wrong = value.findIndex((entry) => findFlaw(entry, FALLBACK) !== undefined);
  if (wrong === -1) return "";
  return `a list of valid entries (item ${wrong}${findFlaw(value[wrong], FALLBACK) ?? ""})`;
};

const FALLBACK: Fields = { provider: [filled, true], model: [filled, true], max_attempts: [count] };
const SHARED: Fields = {
  tools: [texts],
  output_schema: [object],
  temperature: [finite],
  max_tokens: [count],
  retry: [retry],
};
const NODE: Fields = {
  ...{ agent_ref: [filled, true], prompt_template: [text, true], system_prompt_append: [text] },
  ...{ model: [filled], modalities: [texts], ...SHARED },
};
const AGENT: Fields = {
  ...{ id: [filled, true], provider: [filled, true], model: [filled, true], system_prompt: [text, true] },
  ...{ fallback_chain: [fallbacks], ...SHARED },
};

/** Throws `AgentError` `invalid-options`, which is `validation`. */
export function readAuthored({ id, config }: PlanVertex): Authored {
  const fields: unknown = config;
  if (!isPlainObject(fields)) throw refuse(id, `config is ${showValue(fields)} and must be an object`);
  const { kind, node, resolvedAgent: agent } = fields;
  if (kind !== "agent")
    throw refuse(id, `config.kind is ${showValue(kind)} and must be "agent", like the type of the vertex`);
  const flaw = findFlaw(node, NODE);
  if (flaw !== undefined) throw refuse(id, `node${flaw}`);
  const { agent_ref: ref } = node as AgentNode;
  if (agent === undefined) {
    const hint = "Define the agent, or correct the reference.";
    throw invalidOptions(`vertex ${id}: agent_ref ${JSON.stringify(ref)} is not resolved`, hint);
  }
  const agentFlaw = findFlaw(agent, AGENT);
  if (agentFlaw !== undefined) throw refuse(id, `agent ${JSON.stringify(ref)}${agentFlaw}`);
  return { node: node as AgentNode, agent: agent as ResolvedAgent };
}

function findFlaw(value: unknown, fields: Fields): string | undefined {
  if (!isPlainObject(value)) return ` is ${showValue(value)} and must be an object`;
  for (const [name, [check, isNeeded]] of Object.entries(fields)) {
    const field = Object.hasOwn(value, name) ? value[name] : undefined;
    if (field === undefined && isNeeded !== true) continue;
    const expected = check(field);
    if (expected !== "") return `.${name} is ${showValue(field)} and must be ${expected}`;
  }
  return undefined;
}

function refuse(id: string, what: string): AgentError {
  return invalidOptions(`vertex ${id}: ${what}`, "Correct the graph.");
}
