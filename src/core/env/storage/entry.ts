// The stored form of a conversation: append-only entries. A marker moves the beginning of the working context and removes nothing.

import { seal } from "../../canon/copy.js";
import { isPlainObject } from "../../canon/value.js";
import { AgentError } from "../../errors.js";
import type { LlmMessage } from "../../model/message.js";
import { findMessageFlaw } from "../../model/response.js";
import { quoteForeign } from "../../text/mask.js";
import { thrownText } from "../../text/thrown.js";

/** One entry of a conversation's log. */
export type ConversationEntry =
  /** Only as entry 0. */
  | { readonly kind: "created"; readonly version: 1; readonly agent: string; readonly sender: string }
  /** Never a system message. Only user messages have a `sender`, if it is not the owner. */
  | { readonly kind: "message"; readonly message: LlmMessage; readonly sender?: string }
  | ArchiveMarker;

/** Archives the messages of entries `from` (inclusive) to `to` (exclusive) under `name`. The context continues with `summary` and the messages from `to`. */
export interface ArchiveMarker {
  readonly kind: "archive";
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly summary: string;
}

/** A sealed copy of an entry that was read. Throws `conversation-failed` with the id and the entry's number. */
export function readEntry(id: string, index: number, given: unknown): ConversationEntry {
  const flaw = findEntryFlaw(index, given);
  if (flaw !== undefined) throw damaged(id, index, flaw);
  try {
    return seal(given as ConversationEntry);
  } catch (error) {
    throw damaged(id, index, quoteForeign(thrownText(error)));
  }
}

/** The first flaw of `entry` at this place of a log, as a clause, or undefined. */
export function findEntryFlaw(index: number, entry: unknown): string | undefined {
  if (!isPlainObject(entry)) return "it is not an object";
  const { kind } = entry;
  if ((kind === "created") !== (index === 0))
    return index === 0 ? "it must be `created`" : "`created` may only be entry 0";
  const unknown = Object.keys(entry).find((key) => !(FIELDS[kind as keyof typeof FIELDS] ?? []).includes(key));
  if (unknown === "kind" || FIELDS[kind as keyof typeof FIELDS] === undefined) return "its kind is unknown";
  if (unknown !== undefined) return `it has an unknown field ${JSON.stringify(unknown)}`;
  switch (kind) {
    case "created":
      if (entry["version"] !== 1) return "its version is not 1";
      return isText(entry["agent"]) && isText(entry["sender"]) ? undefined : "its agent or sender is not a string";
    case "archive":
      return findMarkerFlaw(index, entry);
    default:
      return findMessageEntryFlaw(entry);
  }
}

const FIELDS: Readonly<Record<ConversationEntry["kind"], readonly string[]>> = {
  created: ["kind", "version", "agent", "sender"],
  message: ["kind", "message", "sender"],
  archive: ["kind", "name", "from", "to", "summary"],
};

function findMarkerFlaw(index: number, entry: Readonly<Record<string, unknown>>): string | undefined {
  const { name, from, to, summary } = entry;
  if (!isText(name) || !isText(summary)) return "its name or summary is not a string";
  const isRange = Number.isSafeInteger(from) && Number.isSafeInteger(to);
  if (isRange && (from as number) >= 1 && (from as number) < (to as number) && (to as number) < index) return undefined;
  return "its `from` and `to` are not a range of earlier entries";
}

function findMessageEntryFlaw({ message, sender }: Readonly<Record<string, unknown>>): string | undefined {
  if (sender !== undefined && !isText(sender)) return "its sender is not a string";
  const flaw = findMessageFlaw(message);
  if (flaw !== undefined) return `/message${flaw.pointer} is not ${flaw.expected}`;
  return (message as LlmMessage).role === "system" ? "it is a system message, which is never stored" : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

export function damaged(id: string, index: number, flaw: string): AgentError {
  return new AgentError(
    "conversation-failed",
    `entry ${index} of conversation ${JSON.stringify(id)} is damaged: ${flaw}`,
    {
      hint: "Restore the conversation from a backup, or delete it. Nothing was changed.",
    },
  );
}
