// Reads a conversation back to its last marker. Older entries are not needed and not read. Nothing is repaired silently.

import type { LlmMessage } from "../../model/message.js";
import { isPlainObject } from "../../canon/value.js";
import { CONVERSATION_PAGE } from "../../limits.js";
import { damaged, readEntry, type ArchiveMarker } from "../storage/entry.js";
import { readEntries, type StoreGate } from "../storage/gate.js";
import type { ConversationRef } from "../storage/storage.js";
import { Conversation } from "./conversation.js";

/** Rejects with `AgentError` `conversation-failed`. A conversation without entries is new. */
export async function loadConversation(ref: ConversationRef, gate: StoreGate): Promise<Conversation> {
  const conversation = new Conversation(ref, gate);
  const { id } = ref;
  const length = await gate.length(id);
  if (length === 0) return conversation;
  await takeCreated(conversation, gate);
  const { from, entries } = await readTail(id, length, gate);
  const tail = readEntries(id, from, entries);
  assertWhole(
    id,
    tail.map((entry, index) => ({
      index: from + index,
      message: entry.kind === "message" ? entry.message : undefined,
    })),
  );
  for (const [index, entry] of tail.entries()) conversation.take(entry, from + index);
  return conversation;
}

async function takeCreated(conversation: Conversation, gate: StoreGate): Promise<void> {
  const { id, agent, sender } = conversation.ref;
  const [first] = await gate.range(id, 0, 1);
  const created = readEntry(id, 0, first);
  if (created.kind !== "created" || created.agent !== agent || created.sender !== sender)
    throw damaged(id, 0, "it names another agent or sender");
  conversation.take(created, 0);
}

/** The entries from the `to` of the last marker on, or all but the first. */
async function readTail(id: string, length: number, gate: StoreGate): Promise<{ from: number; entries: unknown[] }> {
  const pages: (readonly unknown[])[] = [];
  let from = 1;
  let marker: ArchiveMarker | undefined;
  let start = length;
  while (start > from) {
    const at = Math.max(from, start - CONVERSATION_PAGE);
    const page = await gate.range(id, at, start);
    pages.push(page);
    start = at;
    const last = page.findLastIndex((entry) => isPlainObject(entry) && entry["kind"] === "archive");
    if (marker !== undefined || last < 0) continue;
    marker = readEntry(id, at + last, page[last]) as ArchiveMarker;
    from = marker.to;
  }
  return {
    from: Math.max(from, start),
    entries: pages
      .reverse()
      .flat()
      .slice(Math.max(0, from - start)),
  };
}

/** Throws for a result without its call, and for a call without its result. */
function assertWhole(id: string, places: readonly { index: number; message: LlmMessage | undefined }[]): void {
  const open = new Set<string>();
  for (const { index, message } of places) {
    if (message === undefined) continue;
    if (message.role === "tool") {
      if (!open.delete(message.toolCallId)) throw damaged(id, index, "it is a tool result without its call");
      continue;
    }
    if (open.size > 0) throw damaged(id, index, "an earlier call has no result");
    if (message.role === "assistant") for (const call of message.toolCalls ?? []) open.add(call.id);
  }
  if (open.size > 0) throw damaged(id, (places.at(-1)?.index ?? 0) + 1, "an earlier call has no result");
}

/** The archived messages under `name`, or undefined. Reads page by page, and holds one archive. */
export async function readArchive(
  id: string,
  name: string,
  gate: StoreGate,
): Promise<readonly LlmMessage[] | undefined> {
  const length = await gate.length(id);
  for (let at = 1; at < length; at += CONVERSATION_PAGE) {
    const page = await gate.range(id, at, Math.min(length, at + CONVERSATION_PAGE));
    const index = page.findIndex(
      (entry) => isPlainObject(entry) && entry["kind"] === "archive" && entry["name"] === name,
    );
    if (index < 0) continue;
    const { from, to } = readEntry(id, at + index, page[index]) as ArchiveMarker;
    const entries = readEntries(id, from, await gate.range(id, from, to));
    return Object.freeze(entries.flatMap((entry) => (entry.kind === "message" ? [entry.message] : [])));
  }
  return undefined;
}
