// The conversation of one turn: its own history, the inputs that wait for a place in it, and how much of it is complete.

import type { LlmMessage } from "../../model/message.js";
import type { Placement } from "../event.js";
import type { ReadInput, UserInput } from "../input.js";
import { Overlays } from "./overlay.js";

interface Waiting extends ReadInput {
  readonly placement: Placement;
}

export class Talk {
  /** Instructions, the session's messages, the user's message, and the messages of the turn. The loop works on this list. */
  readonly history: LlmMessage[] = [];
  readonly overlays = new Overlays();
  /** The place that accepts input now. Undefined while the model or a tool works. */
  window: Placement | undefined = "turn-start";
  /** False once no step can follow. */
  isOpen = true;
  /** The number of messages that would stay if the turn ended now. */
  #whole = 0;
  #head = 0;
  #userIndex = 0;
  #waiting: Waiting[] = [];

  /** Begins with the instructions and the session's messages. */
  begin(system: LlmMessage | undefined, held: readonly LlmMessage[]): void {
    if (system !== undefined) this.history.push(system);
    this.#head = this.history.length;
    for (const message of held) this.history.push(message);
    this.#userIndex = this.history.length;
    this.#whole = this.history.length;
  }

  get hasBegun(): boolean {
    return this.history.length > this.#userIndex;
  }

  get userIndex(): number {
    return this.#userIndex;
  }

  /** Messages of this turn, beginning with the user's. */
  get added(): readonly LlmMessage[] {
    return this.history.slice(this.#userIndex);
  }

  append(message: LlmMessage): void {
    this.history.push(message);
    this.markWhole();
  }

  /** Everything so far is complete: every call has its result. */
  markWhole(): void {
    this.#whole = this.history.length;
  }

  /** The messages of the session after this turn. `whole`: without an incomplete step. */
  kept(only: "all" | "whole"): readonly LlmMessage[] {
    return this.history.slice(this.#head, only === "all" ? undefined : this.#whole);
  }

  /** Replaces the messages of the session up to the index `count`, counted without instructions. */
  replaceFirst(count: number, messages: readonly LlmMessage[]): void {
    this.history.splice(this.#head, count, ...messages);
    this.#userIndex = Math.max(this.#head, this.#userIndex - count + messages.length);
    this.markWhole();
  }

  /** Adds an input to this turn. Undefined: it is too late. */
  wait(read: ReadInput): Placement | undefined {
    if (!this.isOpen) return undefined;
    const placement = this.window ?? "step-end";
    this.#waiting.push({ ...read, placement });
    return placement;
  }

  /** The inputs that wait for this place, in order. */
  take(placement: Placement): readonly ReadInput[] {
    if (this.#waiting.length === 0) return [];
    const taken = this.#waiting.filter((input) => input.placement === placement);
    this.#waiting = this.#waiting.filter((input) => input.placement !== placement);
    return taken;
  }

  /** Accepted inputs that no step read. */
  get unapplied(): readonly UserInput[] {
    return this.#waiting.map(({ input }) => input);
  }

  get waiting(): number {
    return this.#waiting.length;
  }
}
