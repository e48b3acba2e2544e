// The events that came in on the streams of an agent and wait to be taken.

import { IN_PORTS, type InPort } from "../../core/process/index.js";
import { Bell } from "./bell.js";
import type { WireEvent } from "./wire.js";

interface Queued {
  readonly event: WireEvent;
  readonly bytes: number;
}

export class Inbox {
  readonly bell = new Bell();
  readonly #queues = new Map<InPort, Queued[]>(IN_PORTS.map((port) => [port, []]));
  readonly #ended = new Set<InPort>();
  /** Bytes of everything that waits. */
  bytes = 0;

  /** Ignores everything after the end of a stream. */
  push(port: InPort, event: WireEvent, bytes = 0): void {
    if (this.#ended.has(port)) return;
    if (event.kind === "eof") this.#ended.add(port);
    this.#queues.get(port)?.push({ event, bytes });
    this.bytes += bytes;
    this.bell.ring();
  }

  take(port: InPort): WireEvent | undefined {
    const queued = this.#queues.get(port)?.shift();
    if (queued === undefined) return undefined;
    this.bytes -= queued.bytes;
    this.bell.ring();
    return queued.event;
  }

  /** The number of waiting events of a stream. */
  count(port: InPort): number {
    return this.#queues.get(port)?.length ?? 0;
  }

  /** The number of waiting messages of a stream. */
  waiting(port: InPort): number {
    return (this.#queues.get(port) ?? []).filter(({ event }) => event.kind === "message").length;
  }
}
