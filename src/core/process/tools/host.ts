// Runs the tools of an agent process in the process that started it. A request on `tool_req` gives a result for `tool_resp`.

import { isPlainObject, type JsonObject, type JsonValue } from "../../canon/value.js";
import { AgentError } from "../../errors.js";
import { MAX_RESULT_CHARACTERS } from "../../limits.js";
import type { LlmToolCall } from "../../model/message.js";
import type { Ports } from "../../ports.js";
import { showValue } from "../../text/show.js";
import { executeCall, prepareCall } from "../../tools/call.js";
import { createToolSet, type ToolSet } from "../../tools/registry.js";
import type { CustomTool } from "../../tools/tool.js";
import { malformed } from "../wire/payload.js";

/** The agent cuts a result again, so what says how much is missing must fit. */
const RESULT_LIMIT = MAX_RESULT_CHARACTERS - 100;

export class ToolHost {
  readonly #agent: string;
  readonly #tools: ToolSet;
  readonly #ports: Ports;

  /** Throws `AgentError` `invalid-options` for a tool that cannot be used. */
  constructor(agent: string, tools: readonly CustomTool[], ports: Ports) {
    const set = createToolSet(agent, { tools: [], customTools: tools }, undefined);
    this.#agent = agent;
    this.#ports = ports;
    const byName = new Map([...set.byName].map(([name, tool]) => [name, { ...tool, resultLimit: RESULT_LIMIT }]));
    this.#tools = { ...set, byName };
  }

  /** The tools as MCP lists them. */
  get list(): JsonObject[] {
    return this.#tools.definitions.map(({ name, description, schema }) => ({
      ...{ name, description, inputSchema: schema },
      ...(this.#tools.byName.get(name)?.effect === "write" ? {} : { annotations: { readOnlyHint: true } }),
    }));
  }

  /** Rejects with `PlumbError` `frame-malformed` for a request without an id, and with what forbids a call. */
  async answer(request: JsonValue, signal: AbortSignal): Promise<JsonObject> {
    const call = this.#read(request);
    const context = { agentId: this.#agent, signal, pluck: NONE, memory: NONE };
    const outcome = await executeCall(prepareCall(call, this.#tools), { context, ports: this.#ports });
    if (outcome.kind === "denied") throw outcome.error;
    const { kind, content } = outcome;
    return kind === "ok" ? { id: call.id, content } : { id: call.id, content, is_error: true };
  }

  /** The result of a call that may not run. Throws `PlumbError` `frame-malformed` for a request without an id. */
  refuse(request: JsonValue, why: string): JsonObject {
    return { id: this.#read(request).id, content: why, is_error: true };
  }

  #read(request: JsonValue): LlmToolCall {
    const { id, name, arguments: args } = isPlainObject(request) ? request : ({} as JsonObject);
    if (typeof id !== "string" || id === "")
      throw malformed(`a tool request of ${this.#agent} has the id ${showValue(id)}`, "Send a text as its id.");
    return { id, name: typeof name === "string" ? name : "", arguments: args as JsonObject };
  }
}

/** Stands for the verbs and the memory, which tools of an agent process do not have. */
export const NONE = new Proxy({} as never, {
  get() {
    throw new AgentError("capability-missing", "an agent process has neither verbs nor memory for its tools");
  },
});
