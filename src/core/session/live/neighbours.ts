// Which sessions of a store the agents of this process use. A store keeps sessions by key alone, so agents that use one key share it.

import { MAX_IDLE_SESSIONS } from "../../limits.js";
import type { Ports } from "../../ports.js";

interface Users {
  /** The namespace of the agent that used a key last. */
  readonly byKey: Map<string, string>;
  hasWarned: boolean;
}

const stores = new WeakMap<object, Users>();

/** Finds named agents that use a session of the same store. An agent without a name is not checked. */
export class Neighbours {
  readonly #namespace: string;
  readonly #ports: Pick<Ports, "warn">;
  readonly #users: Users;

  constructor(store: object, namespace: string, ports: Pick<Ports, "warn">) {
    this.#namespace = namespace;
    this.#ports = ports;
    this.#users = stores.get(store) ?? { byKey: new Map(), hasWarned: false };
    stores.set(store, this.#users);
  }

  /** Warns, once for each store, if another agent uses the session too. */
  enter(key: string): void {
    const { byKey, hasWarned } = this.#users;
    const other = byKey.get(key);
    byKey.delete(key);
    byKey.set(key, this.#namespace);
    if (byKey.size > MAX_IDLE_SESSIONS) byKey.delete(byKey.keys().next().value as string);
    if (hasWarned || other === undefined || other === this.#namespace) return;
    this.#users.hasWarned = true;
    this.#ports.warn(
      `playhead: the agents ${other} and ${this.#namespace} share the session ${JSON.stringify(key)}: a store keeps ` +
        "sessions by key alone. Use another key or another store for each agent.",
    );
  }

  /** The agent is closed, so another one may go on with its sessions. */
  leave(): void {
    const { byKey } = this.#users;
    for (const [key, namespace] of byKey) if (namespace === this.#namespace) byKey.delete(key);
  }
}
