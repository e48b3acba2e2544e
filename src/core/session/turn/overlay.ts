// Overlays: messages that the model reads in one turn and that are never stored. Each keeps its place for the whole turn, so each prompt
// only extends the previous one.

import type { LlmMessage } from "../../model/message.js";
import type { OverlayPreview, Placement } from "../event.js";
import { kindsOf, type ReadInput } from "../input.js";

export interface Overlay extends ReadInput {
  readonly placement: Placement;
}

export function toPreview({ input }: ReadInput): OverlayPreview {
  const kinds = kindsOf(input);
  return { type: input.type, partCount: kinds.length, preview: [...new Set(kinds)].join(", ") };
}

/** A message in front of the message at `index` of the history. */
interface Frame {
  readonly index: number;
  readonly message: LlmMessage;
}

/** The overlays of one turn. */
export class Overlays {
  readonly taken: Overlay[] = [];
  readonly #frames: Frame[] = [];
  #placed = 0;

  add(overlay: Overlay): void {
    this.taken.push(overlay);
  }

  /** The prompt of the next step: the history with the overlays in their places. Undefined without overlays. */
  apply(history: readonly LlmMessage[], userIndex: number, isFirst: boolean): readonly LlmMessage[] | undefined {
    if (this.taken.length === 0) return undefined;
    // Before the user's message until the first model call, afterwards at the end.
    for (; this.#placed < this.taken.length; this.#placed++) {
      const { message } = this.taken[this.#placed] as Overlay;
      this.#frames.push({ index: isFirst ? userIndex : history.length, message });
    }
    const prompt: LlmMessage[] = [];
    let from = 0;
    for (const { index, message } of this.#frames) {
      for (; from < index; from++) prompt.push(history[from] as LlmMessage);
      prompt.push(message);
    }
    for (; from < history.length; from++) prompt.push(history[from] as LlmMessage);
    return prompt;
  }
}
