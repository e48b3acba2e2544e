// Assembles the tool calls of a chat completion from deltas. The vendor's `index` says which call a delta belongs to. Where that is
// missing, -1 or the same for every call, its id and name say it.

import type { JsonObject } from "../../canon/value.js";
import type { LlmStreamDelta } from "../../model/provider.js";
import { assertRoom, toPiece } from "../../http/fold.js";
import { unknownFields } from "../../wire/fields.js";
import { toCount, toJsonText, toObject, type Decoding, type WireObject } from "../../http/json-readers.js";

export interface CallFold {
  take(delta: unknown): LlmStreamDelta;
  /** In the order in which they began. */
  calls(): WireObject[];
}

interface FoldedCall {
  place: number;
  id: string;
  name: string;
  /** Text, or any other value that came whole. */
  arguments: unknown;
  /** Fields that are kept as they are. */
  own: WireObject;
  nesting: Nesting;
}

type CallPiece = Pick<FoldedCall, "id" | "name" | "arguments" | "own">;

export function createCallFold(decoding: Decoding): CallFold {
  const calls: FoldedCall[] = [];
  const byIndex = new Map<number, FoldedCall>();
  const byId = new Map<string, FoldedCall>();

  const open = (): FoldedCall => {
    assertRoom(calls.length, "tool calls", decoding);
    const nesting = { depth: 0, inText: false, isEscaped: false };
    const call = { place: calls.length, id: "", name: "", arguments: "", own: {}, nesting };
    calls.push(call);
    return call;
  };
  return {
    take(delta) {
      const fields = toObject(delta);
      const index = toCount(fields["index"]);
      const piece = readPiece(fields);
      const known = index === undefined ? (byId.get(piece.id) ?? calls.at(-1)) : byIndex.get(index);
      const call = known === undefined || beginsAnother(known, piece) ? open() : known;
      if (index !== undefined) byIndex.set(index, call);
      if (piece.id !== "" && call.id === "") byId.set(piece.id, call);
      return merge(call, piece);
    },
    calls: () =>
      calls.map(({ id, name, own, ...call }) => ({ ...own, id, function: { name, arguments: call.arguments } })),
  };
}

function readPiece(delta: WireObject): CallPiece {
  const named = toObject(delta["function"]);
  const custom = toObject(delta["custom"]);
  const isCustom = toPiece(named["name"]) === "" && !Object.hasOwn(named, "arguments");
  return {
    id: toPiece(delta["id"]),
    name: toPiece(named["name"]) || toPiece(custom["name"]),
    arguments: (isCustom ? custom["input"] : named["arguments"]) ?? "",
    own: ownOfCall(delta),
  };
}

/** Signatures that a client must repeat with the call: Gemini's over this wire, and those that a gateway passes on. */
export function ownOfCall({ extra_content, provider_specific_fields }: WireObject): JsonObject {
  return unknownFields({ extra_content, provider_specific_fields }, []);
}

/**
 * Whether this is the first delta of another call under the same index, or under none. Only a delta with a name can be: Novita
 * repeats id and name in every delta of a call, old vLLM sends a new id in each, and others give no id at all.
 */
function beginsAnother(call: FoldedCall, piece: CallPiece): boolean {
  if (piece.name === "" || call.name === "") return false;
  if (piece.id !== "" && call.id !== "") return piece.id !== call.id;
  return piece.name !== call.name || (piece.arguments !== "" && call.arguments !== "" && call.nesting.depth === 0);
}

function merge(call: FoldedCall, piece: CallPiece): LlmStreamDelta {
  const isFirstId = call.id === "" && piece.id !== "";
  const isFirstName = call.name === "" && piece.name !== "";
  if (isFirstId) call.id = piece.id;
  if (isFirstName) call.name = piece.name;
  call.own = { ...call.own, ...piece.own };
  const argumentsText = toWritten(piece.arguments);
  call.arguments = call.arguments === "" ? piece.arguments : toWritten(call.arguments) + argumentsText;
  scan(call.nesting, argumentsText);
  return {
    type: "tool-call-delta",
    index: call.place,
    ...(isFirstId ? { id: piece.id } : {}),
    ...(isFirstName ? { name: piece.name } : {}),
    argumentsText,
  };
}

function toWritten(value: unknown): string {
  return typeof value === "string" ? value : toJsonText(value);
}

/** The state of a JSON text that comes in pieces. At depth 0 it is a whole object, or not an object at all. */
interface Nesting {
  depth: number;
  inText: boolean;
  isEscaped: boolean;
}

/** Reads every character once, however many pieces there are. */
function scan(nesting: Nesting, text: string): void {
  for (const character of text) {
    if (nesting.inText) {
      if (character === '"' && !nesting.isEscaped) nesting.inText = false;
      nesting.isEscaped = character === "\\" && !nesting.isEscaped;
    } else if (character === '"') nesting.inText = true;
    else if (character === "{" || character === "[") nesting.depth += 1;
    else if (character === "}" || character === "]") nesting.depth -= 1;
  }
}
