// Telemetry to a reader that may be slow. The agent never waits for it: beyond a limit the oldest events are dropped, and counted.

import type { JsonObject } from "../../../core/index.js";
import type { TelemetryEvent } from "../../../core/process/index.js";
import { MAX_TELEMETRY_BYTES } from "../../limits.js";

export class TelemetryOutbox {
  readonly #send: (event: JsonObject) => Promise<void>;
  #queue: { readonly event: TelemetryEvent; readonly bytes: number }[] = [];
  #bytes = 0;
  #dropped = 0;
  #writing: Promise<void> | undefined;

  constructor(send: (event: JsonObject) => Promise<void>) {
    this.#send = send;
  }

  push(event: TelemetryEvent): void {
    const bytes = JSON.stringify(event).length;
    this.#queue.push({ event, bytes });
    this.#bytes += bytes;
    while (this.#bytes > MAX_TELEMETRY_BYTES) {
      const at = this.#queue.findIndex((queued) => queued.event.kind !== "config");
      const [oldest] = at === -1 ? [] : this.#queue.splice(at, 1);
      if (oldest === undefined) break;
      this.#bytes -= oldest.bytes;
      this.#dropped += 1;
    }
    this.#writing ??= this.#write();
  }

  /** Resolves once everything is sent. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
        if (this.#dropped > 0) {
          const count = this.#dropped;
          this.#dropped = 0;
          await this.#send({ kind: "dropped", count });
        }
        this.#bytes -= next.bytes;
        await this.#send(next.event as unknown as JsonObject);
      }
    } catch {
      // The reader is gone, which ends the agent elsewhere.
      this.#queue = [];
    } finally {
      this.#writing = undefined;
    }
  }
}
