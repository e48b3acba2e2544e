// How many messages one agent may hold. After every half of the window the fabric sends a marker. Agents pass markers in order, so a
// marker that comes back says that everything before it was answered. Thus it works with any agent, in any language.

export class Flow {
  readonly #half: number;
  #sinceMarker = 0;
  #markersOut = 0;

  /** `window`: 2 or more. */
  constructor(window: number) {
    this.#half = Math.floor(window / 2);
  }

  /** True while a message may be sent. */
  get isOpen(): boolean {
    return this.#markersOut < 2;
  }

  /** Counts a message. Returns true if a marker has to follow it. */
  send(): boolean {
    this.#sinceMarker += 1;
    if (this.#sinceMarker < this.#half) return false;
    this.#sinceMarker = 0;
    this.#markersOut += 1;
    return true;
  }

  /** A marker came back. */
  acknowledge(): void {
    this.#markersOut = Math.max(0, this.#markersOut - 1);
  }
}
