// The tools of an agent process run where its streams lead: a request goes out on `tool_req`, and its result comes in on `tool_resp`.

import { isPlainObject, showValue, type CustomTool, type JsonObject, type JsonValue } from "../../core/index.js";
import { PlumbError, type OfferedTool } from "../../core/process/index.js";
import type { Reporter } from "./reporter.js";
import type { AgentWire } from "./wire.js";

interface Pending {
  readonly resolve: (content: JsonValue) => void;
  readonly reject: (error: Error) => void;
}

class ToolWire {
  readonly #wire: AgentWire;
  readonly #reporter: Reporter;
  readonly #pending = new Map<string, Pending>();
  #calls = 0;
  #isOver = false;

  constructor(wire: AgentWire, reporter: Reporter) {
    this.#wire = wire;
    this.#reporter = reporter;
    void this.#pump();
  }

  /** Rejects with the error that the model reads. */
  call(name: string, args: JsonObject, callId: string, signal: AbortSignal): Promise<JsonValue> {
    // A model may repeat its ids, and the result of an earlier call may come late.
    const id = `${(this.#calls += 1)}:${callId}`;
    return new Promise((resolve, reject) => {
      if (this.#isOver) {
        reject(gone());
        return;
      }
      this.#pending.set(id, { resolve, reject });
      signal.addEventListener("abort", () => this.#pending.delete(id), { once: true });
      const request = { kind: "message", value: { id, name, arguments: args } } as const;
      this.#wire.write("tool_req", request).catch(reject);
    });
  }

  async #pump(): Promise<void> {
    for (;;) {
      const event = this.#wire.take("tool_resp");
      if (event === undefined) await this.#wire.bell.wait();
      else if (event.kind === "message") this.#settle(event.value);
      else if (event.kind === "eof") break;
    }
    this.#isOver = true;
    for (const { reject } of this.#pending.values()) reject(gone());
    this.#pending.clear();
  }

  #settle(value: JsonValue): void {
    const { id, content, is_error: isError } = isPlainObject(value) ? value : ({} as JsonObject);
    const pending = typeof id === "string" ? this.#pending.get(id) : undefined;
    if (pending === undefined) {
      const hint = "Answer each tool request once, with its id, before it times out.";
      const what = `a tool result for the id ${showValue(id)} was dropped, because no call waits for it`;
      this.#reporter.error(new PlumbError("input-invalid", what, hint));
      return;
    }
    this.#pending.delete(id as string);
    if (content === undefined) pending.reject(new Error("the result of the tool has no content"));
    else if (isError === true)
      pending.reject(new Error(typeof content === "string" ? content : JSON.stringify(content)));
    else pending.resolve(content);
  }
}

function gone(): Error {
  return new Error("the process that runs the tools has closed the stream of results");
}

/** The tools for the model. Without tools, nothing is read or sent. */
export function wireTools(offered: readonly OfferedTool[], wire: AgentWire, reporter: Reporter): CustomTool[] {
  if (offered.length === 0) return [];
  const tools = new ToolWire(wire, reporter);
  return offered.map(({ name, description, inputSchema, isReadOnly }) => ({
    ...{ name, description, schema: inputSchema, effect: isReadOnly ? ("read" as const) : ("write" as const) },
    invoke: (args, { toolCallId, signal }) => tools.call(name, args, toolCallId, signal),
  }));
}
