// Wakes everyone who waits for a change. Each of them checks its own condition again, so a bell carries no value.

export class Bell {
  #ring: () => void = () => undefined;
  #next = new Promise<void>((resolve) => (this.#ring = resolve));

  /** Resolves at the next change. */
  wait(): Promise<void> {
    return this.#next;
  }

  ring(): void {
    const ring = this.#ring;
    this.#next = new Promise<void>((resolve) => (this.#ring = resolve));
    ring();
  }
}
