// Ends a loop once nothing moves in it any more. When everything that enters the loop has ended, each merge sends a marker. Agents and
// barriers pass markers in order. So when all markers are back, everything that was under way has arrived. If no message arrived,
// the feedback inputs are closed. Otherwise, another round begins.

import type { Merge, MergeInput } from "./merge.js";

export class Drain {
  readonly #merges: readonly Merge[];
  readonly #hasSideStreams: boolean;
  /** Rounds so far. */
  rounds = 0;
  #isClosed = false;
  /** A message arrived on a feedback input since the round began. */
  #isMoving = false;
  /** A message was sent to a node of the loop. */
  #wasEntered = false;
  /** Messages that came to a feedback input after it was closed. Always 0, unless an agent sends markers too early. */
  lost = 0;

  /** `hasSideStreams`: agents send into the loop unasked, such as telemetry. Then even a loop that nothing entered needs a round. */
  constructor(merges: readonly Merge[], hasSideStreams: boolean) {
    this.#merges = merges;
    this.#hasSideStreams = hasSideStreams;
  }

  /** A message goes to a node of the loop. */
  enter(): void {
    this.#wasEntered = true;
  }

  /** A message was taken from a feedback input. */
  move(): void {
    this.#isMoving = true;
  }

  /** Goes on if it can. `isForwardEnded`: nothing more will enter the loop. */
  settle(isForwardEnded: boolean): void {
    if (this.#isClosed || !isForwardEnded) return;
    if (this.rounds === 0) {
      if (this.#wasEntered || this.#hasSideStreams) this.#begin();
      else this.#close();
    } else if (this.#feedback.every(({ isQuiet }) => isQuiet)) {
      if (this.#isMoving) this.#begin();
      else this.#close();
    }
  }

  #begin(): void {
    this.rounds++;
    this.#isMoving = false;
    for (const { seen } of this.#feedback) seen.clear();
    for (const { ended, out, port } of this.#merges) if (!ended) out.push({ kind: "marker", name: port });
  }

  #close(): void {
    this.#isClosed = true;
    for (const input of this.#feedback) {
      this.lost += input.queue.filter(({ kind }) => kind === "message").length;
      input.queue.length = 0;
      input.ended = true;
    }
    for (const merge of this.#merges) merge.endIfDone();
  }

  get #feedback(): MergeInput[] {
    return this.#merges.flatMap(({ inputs }) => inputs.filter(({ isFeedback }) => isFeedback));
  }
}
