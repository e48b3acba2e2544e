// What a cassette holds and an export format does not. Nothing is left out of an export, or changed in it, without being
// counted here.

/** One closed word for each thing that did not fit. docs/convert.md says which format has which. */
export type LossKind =
  /** The run went on with another assistant message than the one recorded as the answer; the one of the prompt is kept. */
  | "answer-rewritten"
  /** The id of a tool call was changed into one that the vendor accepts. */
  | "call-id"
  | "cost"
  /** A tool's error without words, which the vendor refuses, is given the word "error". */
  | "empty-error"
  /** A message without text and without calls, which the vendor refuses, is left out. */
  | "empty-message"
  /** A `finalAnswer` that is not the text of its message. */
  | "final-answer"
  /** What the model wrote in the place of arguments. The call keeps `{}`. */
  | "malformed-arguments"
  /** A turn that another model answered than the one the document names. */
  | "model-changed"
  /** A turn whose prompt is stored as a hash alone. */
  | "prompt"
  /** Something the model thought. */
  | "reasoning"
  /** The vendor's signature of something the model thought, which is itself kept. */
  | "reasoning-signature"
  /** Settings of the request, such as the temperature. */
  | "settings"
  /** A stop reason that does not follow from the message: `length`, `contentFilter`, `error`. */
  | "stop-reason"
  /** Where the chunks of a streamed answer began. */
  | "stream"
  /** A system message that was joined with the first one. */
  | "system-joined"
  /** A system message that stood after another message, and now stands before all. */
  | "system-moved"
  /** A tool whose definition has not our shape. */
  | "tool-definition"
  /** The mark that a tool result is an error. */
  | "tool-error"
  /** A name that the vendor refuses was changed, or a tool result has another name than its call or no call at all. */
  | "tool-name"
  /** A turn that was offered other tools than the document lists. */
  | "tools-changed"
  /** Messages of an imported log after the last answer. */
  | "trailing"
  | "usage";

/** How often one thing was lost. */
export interface Loss {
  kind: LossKind;
  count: number;
}

/** Counts the losses of one export. */
export interface LossLog {
  /** `count` may be 0, which notes nothing. */
  add(kind: LossKind, count?: number): void;
  /** By kind, in alphabetical order. */
  list(): Loss[];
}

/** A new count. */
export function createLossLog(): LossLog {
  const counts = new Map<LossKind, number>();
  return {
    add(kind, count = 1) {
      if (count > 0) counts.set(kind, (counts.get(kind) ?? 0) + count);
    },
    list: () => [...counts].map(([kind, count]) => ({ kind, count })).sort((a, b) => (a.kind < b.kind ? -1 : 1)),
  };
}
