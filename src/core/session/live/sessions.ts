// The sessions of one agent in this process, by key. Those without work leave memory when there are too many.

import { MAX_IDLE_SESSIONS } from "../../limits.js";
import type { RunKeeper } from "../state/keeper.js";
import type { House } from "./house.js";
import type { Neighbours } from "./neighbours.js";
import { Session } from "./session.js";

export class Sessions {
  readonly #house: House;
  readonly #keeper: RunKeeper;
  readonly #neighbours: Neighbours | undefined;
  /** In the order of their last use. */
  readonly #live = new Map<string, Session>();

  constructor(house: House, keeper: RunKeeper, neighbours?: Neighbours) {
    this.#house = house;
    this.#keeper = keeper;
    this.#neighbours = neighbours;
  }

  /** The session of a key, as it is in memory or new. */
  of(key: string): Session {
    const known = this.#live.get(key);
    if (known === undefined) this.#neighbours?.enter(key);
    const session = known ?? new Session(key, this.#house, this.#keeper);
    this.#live.delete(key);
    this.#live.set(key, session);
    if (this.#live.size > MAX_IDLE_SESSIONS) this.#forgetOldest(key);
    return session;
  }

  /** Suspends the turn of a run. */
  async leave(runId: string, graceMs: number): Promise<void> {
    await Promise.all(Array.from(this.#live.values(), (session) => session.leave(runId, graceMs)));
  }

  /** Whether a session has no turn under way and none waits. */
  isQuiet(key: string): boolean {
    return this.#live.get(key)?.isQuiet ?? true;
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#live.values(), (session) => session.close()));
    this.#neighbours?.leave();
  }

  #forgetOldest(used: string): void {
    for (const [key, session] of this.#live) {
      if (key === used || !session.isIdle) continue;
      this.#live.delete(key);
      this.#keeper.drop(key);
      return;
    }
  }
}
