// What passes over a stream of an agent process: messages, markers and the end.

import type { JsonObject, JsonValue } from "../../canon/value.js";

export type WireItem =
  /** `trace` is where the message came from. An agent adds itself and passes it on. */
  | {
      readonly kind: "message";
      readonly value: JsonValue;
      readonly trace?: JsonObject;
      /** Within a fabric: the agent that sent it. */
      readonly topic?: string;
    }
  /** Passes through agents in order, without a turn. When it comes back, everything before it was answered. */
  | { readonly kind: "marker"; readonly name: string }
  | { readonly kind: "eof" };

/** The marker by which a fabric learns how far an agent is. No merge has this name. */
export const FLOW_MARKER = "@flow";

export const EOF: WireItem = Object.freeze({ kind: "eof" });

/** Names of agents, barriers and merges. */
export const NODE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
