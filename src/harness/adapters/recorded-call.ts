// The recorded result of a call by a tool of another framework.

import type { CassetteTools, TapeResult } from "../../cassette/index.js";
import { AgentError, isPlainObject, showValue, type JsonObject } from "../../core/index.js";
import type { ToolSide } from "../cassette/tool-side.js";
import { asText, toJson, toLoose } from "./loose.js";

/** The part of a `useCassette` handle that has the recorded results. */
export type TapeHandle = Pick<ToolSide, "tape">;

/** A call as a framework passes it to a tool. */
interface ForeignCall {
  readonly name: string;
  /** An object, or whatever the model wrote instead of one. */
  readonly args: unknown;
  readonly id?: unknown;
}

/** Uses the next result of a call. Throws `TapeMissError`. A call with malformed arguments is found by its id. */
export function takeRecorded(tape: CassetteTools, { name, args, id }: ForeignCall): TapeResult {
  const callId = typeof id === "string" ? id : undefined;
  if (isPlainObject(args)) return tape.take(name, toJson(args) as JsonObject, callId);
  const malformed = tape.results.find((result) => result.isMalformed === true && result.callId === id);
  return malformed?.content === undefined ? tape.take(name, { input: asText(args) }) : malformed;
}

/** The results of `handle`; undefined if its tools run live. Throws `AgentError` `invalid-options` for another value. */
export function tapeOf(handle: TapeHandle): CassetteTools | undefined {
  if (typeof toLoose(handle)["tape"] === "function") return handle.tape();
  throw new AgentError("invalid-options", `replayTools needs the handle of useCassette, not ${showValue(handle)}`, {
    hint: "Write replayTools(handle, tools).",
  });
}

/** The error for a tool that has no function to replace. */
export function notReplayable(what: string, hint: string): AgentError {
  return new AgentError("invalid-options", `replayTools cannot replay ${what}`, { hint });
}

/** Throws for tools that are not a list. */
export function assertList(tools: unknown, hint: string): void {
  if (!Array.isArray(tools)) throw notReplayable(showValue(tools), hint);
}
