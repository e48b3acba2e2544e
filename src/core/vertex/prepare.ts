// Prepares one conversation of an agent vertex: checked authored fields, granted tools, messages and settings.

import { seal } from "../canon/copy.js";
import { defined } from "../defined.js";
import { AgentError, invalidOptions } from "../errors.js";
import { MAX_KEPT_GRANTS } from "../limits.js";
import type { LlmMessage } from "../model/message.js";
import type { LlmSettings } from "../model/provider.js";
import { isThrown } from "../text/thrown.js";
import { narrowToolSet, type ToolSet } from "../tools/registry.js";
import type { Authored } from "./authored.js";
import { createOutputReader, responseFormat } from "./output.js";
import type { NodeRef } from "./vertex.js";

/** Narrows the executor's tools to a grant. The sets of the last grants are cached, because hashing a new set is costly. */
export type Grant = (nodeId: string, authored: Authored) => ToolSet;

export function createGrants(tools: ToolSet): Grant {
  const kept = new Map<string, ToolSet>();
  return (nodeId, { node, agent }) => {
    const names = node.tools ?? agent.tools ?? [];
    assertNarrower(nodeId, node.tools ?? [], agent.tools ?? []);
    const missing = names.filter((name) => !tools.byName.has(name));
    if (missing.length > 0) {
      throw new AgentError("capability-missing", `vertex ${nodeId}: the host has no definition of ${list(missing)}`, {
        hint: "Add it to the tools of createAgentNodeExecutor.",
      });
    }
    const key = JSON.stringify([...new Set(names)].sort());
    const known = kept.get(key) ?? narrowToolSet(tools, names);
    kept.delete(key);
    kept.set(key, known);
    if (kept.size > MAX_KEPT_GRANTS) kept.delete(kept.keys().next().value as string);
    return known;
  };
}

function assertNarrower(nodeId: string, wanted: readonly string[], allowed: readonly string[]): void {
  const wider = wanted.filter((name) => !allowed.includes(name));
  if (wider.length === 0) return;
  throw invalidOptions(
    `vertex ${nodeId}: node.tools has ${list(wider)}, which the agent does not grant (node: ${list(wanted)}; agent: ${list(allowed)})`,
    "A node can only narrow the tools of its agent.",
  );
}

function list(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.map((name) => JSON.stringify(name)).join(", ");
}

/** The vertex as it is passed to the host's functions. */
export function toNodeRef(nodeId: string, { node, agent }: Authored): NodeRef {
  return { nodeId, agentRef: node.agent_ref, providerId: agent.provider, model: node.model ?? agent.model };
}

/** The system message is authored text as written. Data is only in the user message. */
export function toMessages({ node, agent }: Authored, prompt: string): LlmMessage[] {
  const system = [agent.system_prompt, node.system_prompt_append ?? ""].filter((text) => text !== "").join("\n\n");
  const user: LlmMessage = seal({ role: "user", content: prompt });
  return system === "" ? [user] : [seal({ role: "system", content: system.toWellFormed() }), user];
}

/** The settings of every turn, and the reader of the answer if there is a schema. */
export interface Contract {
  readonly settings?: LlmSettings;
  readonly read?: (answer: string) => unknown;
}

/** Throws `AgentError` `invalid-options` for an invalid schema. */
export function toContract(nodeId: string, { node, agent }: Authored, check: "json" | "schema"): Contract {
  const schema = node.output_schema ?? agent.output_schema;
  const temperature = node.temperature ?? agent.temperature;
  const maxTokens = node.max_tokens ?? agent.max_tokens;
  const format = schema === undefined ? undefined : responseFormat(agent.id, schema);
  const settings = defined({ temperature, maxTokens, responseFormat: format });
  const read = schema === undefined ? undefined : createOutputReader(schema, check);
  return {
    ...(Object.keys(settings).length === 0 ? {} : { settings: sealed(nodeId, settings) }),
    ...defined({ read }),
  };
}

function sealed(nodeId: string, settings: LlmSettings): LlmSettings {
  try {
    return seal(settings);
  } catch (error) {
    if (!isThrown(error, AgentError)) throw error;
    throw invalidOptions(`vertex ${nodeId}: output_schema: ${error.message}`, "Write it as plain JSON.", error);
  }
}
