// A stream read whole, and what is wrong with its pieces: the response comes once and last, and the deltas are parts of it.

import {
  canonicalize,
  parseBoundedJson,
  type LlmStreamEvent,
  type LlmToolCall,
  type LlmTurnResponse,
} from "../../core/index.js";
import { describeThrown } from "./thrown.js";

/** A stream that says more than this never ends. */
export const MAX_PIECES = 100_000;

/** Everything that a stream gave, in its order. `afterwards`: what it threw though its response had come. */
export interface Gathered {
  readonly events: readonly LlmStreamEvent[];
  readonly afterwards?: { readonly error: unknown };
}

/** Reads a stream to its end, or to one piece more than there may be. Rejects as the stream does, unless its response had come. */
export async function gather(stream: AsyncIterable<LlmStreamEvent>): Promise<Gathered> {
  const events: LlmStreamEvent[] = [];
  try {
    for await (const event of stream) {
      events.push(event);
      // One that never waits leaves no room for the timer of whoever waits for it.
      if (events.length > MAX_PIECES) break;
    }
  } catch (error) {
    if (events.some((event: Partial<LlmStreamEvent> | null) => event?.type === "response")) {
      return { events, afterwards: { error } };
    }
    throw error;
  }
  return { events };
}

/** `whole` is the response, once there is no fault before it. */
export function findStreamFault({ events, afterwards }: Gathered): { fault?: string; whole?: unknown } {
  if (afterwards !== undefined) return { fault: `it threw ${describeThrown(afterwards.error)} after its response` };
  if (events.length > MAX_PIECES) return { fault: `it gave more than ${MAX_PIECES} pieces and no end` };
  const odd = events.findIndex((event: unknown) => typeof event !== "object" || event === null);
  if (odd !== -1) return { fault: `piece ${odd} is no object` };
  const strange = events.findIndex(({ type }) => !PIECES.includes(type));
  if (strange !== -1) return { fault: `piece ${strange} is of type ${String(events[strange]?.type)}, which is none` };
  const places = events.flatMap(({ type }, index) => (type === "response" ? [index] : []));
  if (places.length !== 1) return { fault: `it gave ${places.length} responses` };
  if (places[0] !== events.length - 1) return { fault: "something came after the response" };
  const { response } = events.at(-1) as { response: LlmTurnResponse };
  const fault = findDeltaFault(events.slice(0, -1), response);
  return fault === undefined ? { whole: response } : { fault };
}

function findDeltaFault(deltas: readonly LlmStreamEvent[], response: LlmTurnResponse): string | undefined {
  const said = deltas.map((delta) => (delta.type === "text-delta" ? delta.text : "")).join("");
  const content = response?.message?.content;
  if (said !== "" && said !== content)
    return `its text is ${JSON.stringify(said)} and that of the response ${JSON.stringify(content)}`;
  const calls = response?.message?.toolCalls ?? [];
  const pieces = deltas.filter((delta) => delta.type === "tool-call-delta");
  if (pieces.some(({ index }) => calls[index] === undefined))
    return "a piece is of a call that the response does not have";
  for (const [index, call] of calls.entries()) {
    const own = pieces.filter((piece) => piece.index === index);
    const fault = own.length === 0 ? undefined : findPieceFault(own, call);
    if (fault !== undefined) return `of call ${index} ${fault}`;
  }
  return undefined;
}

type Piece = Extract<LlmStreamEvent, { type: "tool-call-delta" }>;

function findPieceFault(pieces: readonly Piece[], call: LlmToolCall): string | undefined {
  for (const key of ["id", "name"] as const) {
    const told = pieces.filter((piece) => piece[key] !== undefined).length;
    if (told > 1) return `the ${key} came ${told} times`;
  }
  const text = pieces.map(({ argumentsText }) => argumentsText).join("");
  const whole = call.malformedArguments ?? canonicalize(call.arguments);
  const said = call.malformedArguments === undefined ? readArguments(text) : text;
  return said === whole ? undefined : `the arguments came as ${JSON.stringify(text)}, and the response has ${whole}`;
}

/** No text at all, and null, stand for no arguments. */
function readArguments(text: string): string {
  try {
    return canonicalize(text.trim() === "" ? {} : (parseBoundedJson(text) ?? {}));
  } catch {
    return text;
  }
}

const PIECES: readonly unknown[] = ["text-delta", "reasoning-delta", "tool-call-delta", "response"];
