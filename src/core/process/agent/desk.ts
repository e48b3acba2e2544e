// Carries out the requests of control messages. Settings change at once. Everything else waits until no message is in progress.

import type { JsonObject, JsonValue } from "../../canon/value.js";
import { MAX_PENDING_CONTROLS } from "../../limits.js";
import type { MemorySet } from "./conversation.js";
import { readControl } from "./control.js";

/** The agent that is controlled. */
export interface Controlled {
  override(change: { readonly temperature?: number | null; readonly model?: string | null }): void;
  memory(format?: string): object;
  replace(messages: readonly unknown[]): MemorySet;
}

type Action =
  | { readonly kind: "get"; readonly format: string | undefined }
  | { readonly kind: "set"; readonly messages: readonly JsonObject[] }
  | { readonly kind: "pause" | "resume" | "stop" };

export class ControlDesk {
  readonly #agent: Controlled;
  #pending: Action[] = [];
  isPaused = false;
  isStopping = false;

  constructor(agent: Controlled) {
    this.#agent = agent;
  }

  /** True while a request is waiting. */
  get hasWork(): boolean {
    return this.#pending.length > 0;
  }

  /** Takes one control message. Returns its flaws. */
  take(value: unknown): readonly string[] {
    const { message, warnings } = readControl(value);
    const { set_temp: temperature, set_model: model } = message;
    if (temperature !== undefined) this.#agent.override({ temperature });
    if (model !== undefined) this.#agent.override({ model });
    const actions: Action[] = [];
    if (message.get_memory === true) actions.push({ kind: "get", format: message.format });
    if (message.set_memory !== undefined) actions.push({ kind: "set", messages: message.set_memory });
    for (const kind of ["pause", "resume", "stop"] as const) if (message[kind] === true) actions.push({ kind });
    const isMemory = ({ kind }: Action): boolean => kind === "get" || kind === "set";
    // There is one slot for a memory request: a later message replaces an earlier request.
    if (actions.some(isMemory)) this.#pending = this.#pending.filter((action) => !isMemory(action));
    const room = MAX_PENDING_CONTROLS - this.#pending.length;
    this.#pending.push(...actions.slice(0, room));
    return actions.length <= room
      ? warnings
      : [...warnings, "too many control messages are waiting, so the last one was dropped"];
  }

  /** Carries out the requests in order. Only while no message is in progress. */
  settle(): { readonly replies: readonly JsonValue[]; readonly warnings: readonly string[] } {
    const replies: JsonValue[] = [];
    const warnings: string[] = [];
    for (const action of this.#pending.splice(0)) {
      switch (action.kind) {
        case "get":
          replies.push(this.#agent.memory(action.format) as JsonObject);
          break;
        case "set": {
          const done = this.#agent.replace(action.messages);
          if (done.kind === "refused") warnings.push(`set_memory was refused: ${done.reason}`);
          else replies.push(done);
          break;
        }
        case "pause":
        case "resume":
          this.isPaused = action.kind === "pause";
          replies.push({ kind: `${action.kind}_ack` });
          break;
        case "stop":
          this.isStopping = true;
      }
    }
    return { replies, warnings };
  }
}
