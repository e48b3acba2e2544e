// The losses of an export: parts of a cassette that the format cannot hold. Every omission and every change is counted.

import type { Tallied, Tally } from "../count/tally.js";

/** A thing that did not fit into a format. docs/convert.md lists the losses of each format. */
export type LossKind =
  /** The next prompt had another assistant message than the recorded answer. The one of the prompt is kept. */
  | "answer-rewritten"
  /** The id of a tool call was changed into one that the vendor accepts. */
  | "call-id"
  | "cost"
  /** A tool's empty error, which the vendor refuses, became the word "error". */
  | "empty-error"
  /** A message without text and calls, which the vendor refuses, was left out. */
  | "empty-message"
  /** A `finalAnswer` that is not the text of its message. */
  | "final-answer"
  /** An HTTP exchange that is not a turn. */
  | "exchange"
  /** Malformed arguments, as the model wrote them. The call keeps `{}`. */
  | "malformed-arguments"
  /** A turn that another model answered than the document names. */
  | "model-changed"
  /** A turn whose prompt is stored only as a hash. */
  | "prompt"
  | "reasoning"
  /** The vendor's signature of a thought. The thought itself is kept. */
  | "reasoning-signature"
  /** Settings of the request, such as the temperature. */
  | "settings"
  /** A stop reason that does not follow from the message: `length`, `contentFilter`, `error`. */
  | "stop-reason"
  /** Where the chunks of a streamed answer began. */
  | "stream"
  /** A system message that was joined with the first one. */
  | "system-joined"
  /** A system message that was moved before all other messages. */
  | "system-moved"
  /** A tool whose definition is not in our shape. */
  | "tool-definition"
  /** The mark that a tool result is an error. */
  | "tool-error"
  /** A changed name that the vendor refuses, or the name of a tool result that differs from its call or has no call. */
  | "tool-name"
  /** A turn that was offered other tools than the document lists. */
  | "tools-changed"
  /** Messages of an imported log after the last answer. */
  | "trailing"
  | "usage";

export type Loss = Tallied<LossKind>;

export type LossLog = Tally<LossKind>;
