// One conversation in memory: its working context, and the stored entry of each message. It changes only after the store has
// acknowledged a change, so memory is never ahead of storage.

import { NotJsonError } from "../../canon/value.js";
import { seal } from "../../canon/copy.js";
import { toSummaryMessage } from "../../context/compaction.js";
import { createContextMeter, type ContextMeter } from "../../context/meter.js";
import { AgentError } from "../../errors.js";
import type { LlmMessage } from "../../model/message.js";
import { andThen, type Maybe } from "../../time/wait.js";
import type { ArchiveMarker, ConversationEntry } from "../storage/entry.js";
import { conflict, type StoreGate } from "../storage/gate.js";
import type { ConversationRef } from "../storage/storage.js";

/** A conversation as it is stored. */
export interface ConversationView extends ConversationRef {
  /** The working context, without the instructions: the summary of what was archived, and the messages since. */
  readonly context: readonly LlmMessage[];
  /** Number of stored entries. 0 if there is no conversation yet. */
  readonly entries: number;
  /** The newest archive, if any. */
  readonly archive?: ArchiveMarker;
  /** True if the last message is not a final answer, so a run can continue there. */
  readonly isOpen: boolean;
}

/** The place of a summary, which is not a message entry. */
const NO_PLACE = -1;

export class Conversation {
  readonly ref: ConversationRef;
  readonly meter: ContextMeter = createContextMeter();
  readonly #gate: StoreGate;
  #entries = 0;
  #messages: LlmMessage[] = [];
  /** The entry of each message. */
  #places: number[] = [];
  #archive: ArchiveMarker | undefined;

  constructor(ref: ConversationRef, gate: StoreGate) {
    this.ref = ref;
    this.#gate = gate;
  }

  get entries(): number {
    return this.#entries;
  }

  get messages(): readonly LlmMessage[] {
    return this.#messages;
  }

  get archive(): ArchiveMarker | undefined {
    return this.#archive;
  }

  get isOpen(): boolean {
    const last = this.#messages.at(-1);
    return last !== undefined && (last.role !== "assistant" || (last.toolCalls ?? []).length > 0);
  }

  get view(): ConversationView {
    return {
      ...this.ref,
      context: Object.freeze([...this.#messages]),
      entries: this.#entries,
      ...(this.#archive === undefined ? {} : { archive: this.#archive }),
      isOpen: this.isOpen,
    };
  }

  /** Applies a stored entry, both for loading and for committing. */
  take(entry: ConversationEntry, index: number): void {
    this.#entries = index + 1;
    if (entry.kind === "message") {
      this.#messages.push(entry.message);
      this.#places.push(index);
    }
    if (entry.kind === "archive") this.#begin(entry);
  }

  /** Stores messages in one append. A conflict is a result, so the first append of a run can be tried again. */
  append(messages: readonly LlmMessage[]): Maybe<"appended" | "conflict"> {
    const { id, agent, sender } = this.ref;
    const created: ConversationEntry = { kind: "created", version: 1, agent, sender };
    const entries = [
      ...(this.#entries === 0 ? [created] : []),
      ...messages.map((message) => toEntry(message, this.ref)),
    ];
    return this.#append(id, entries);
  }

  /** Stores messages in one append. Throws or rejects with `conversation-failed` if another run has written. */
  commit(messages: readonly LlmMessage[]): Maybe<void> {
    return andThen(this.append(messages), (end) => this.#assertAppended(end));
  }

  /** Archives the first `count` messages, of which at least one is stored. */
  archiveFirst(count: number, summary: string): Maybe<ArchiveMarker> {
    const { id } = this.ref;
    const from = this.#archive?.to ?? 1;
    const to = this.#places[count] as number;
    const marker: ArchiveMarker = { kind: "archive", name: nextName(this.#archive), from, to, summary };
    return andThen(this.#append(id, [seal(marker)]), (end) => {
      this.#assertAppended(end);
      return this.#archive as ArchiveMarker;
    });
  }

  /** True if archiving the first `count` messages would archive a stored one, and keep one. */
  canArchive(count: number): boolean {
    const to = this.#places[count];
    return to !== undefined && to > (this.#archive?.to ?? 1);
  }

  #append(id: string, entries: readonly ConversationEntry[]): Maybe<"appended" | "conflict"> {
    const at = this.#entries;
    return andThen(this.#gate.append(id, at, entries), (end) => {
      if (end === "appended") for (const [index, entry] of entries.entries()) this.take(entry, at + index);
      return end;
    });
  }

  #assertAppended(end: "appended" | "conflict"): void {
    if (end === "conflict") throw conflict(this.ref.id);
  }

  /** Moves the beginning of the context to `to`. Messages before it are no longer held. */
  #begin(marker: ArchiveMarker): void {
    const first = this.#places.findIndex((place) => place >= marker.to);
    const gone = first < 0 ? this.#places.length : first;
    const summary = toSummaryMessage(marker.summary);
    this.meter.measure(this.#messages);
    this.meter.replace(gone, [summary]);
    this.#messages = [summary, ...this.#messages.slice(gone)];
    this.#places = [NO_PLACE, ...this.#places.slice(gone)];
    this.#archive = marker;
  }
}

function nextName(archive: ArchiveMarker | undefined): string {
  const count = Number(/^archive-(\d+)$/.exec(archive?.name ?? "archive-0")?.[1]);
  return `archive-${Number.isSafeInteger(count) ? count + 1 : 1}`;
}

function toEntry(message: LlmMessage, { id, sender }: ConversationRef): ConversationEntry {
  try {
    const isSent = message.role === "user" && sender !== "";
    return seal(isSent ? { kind: "message", message, sender } : { kind: "message", message });
  } catch (error) {
    if (!(error instanceof NotJsonError)) throw error;
    const what = `a message of conversation ${JSON.stringify(id)} cannot be stored: ${error.message}`;
    throw new AgentError("conversation-failed", what, { hint: "The provider must return plain JSON.", cause: error });
  }
}
