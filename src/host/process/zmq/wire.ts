// The streams of an agent over ZeroMQ, one socket each.

import type { Ports } from "../../../core/index.js";
import {
  decodeFrame,
  encodeFrame,
  EOF,
  IN_PORTS,
  OUT_PORTS,
  PlumbError,
  type InPort,
  type OutPort,
  type WireItem,
} from "../../../core/process/index.js";
import { MAX_QUEUED_INPUTS, ZMQ_SIDE_END_MS } from "../../limits.js";
import type { Bell } from "../bell.js";
import { Inbox } from "../inbox.js";
import type { Environment } from "../spec-file.js";
import { outputClosed, type AgentWire, type WireEvent } from "../wire.js";
import { readCurveKeys } from "./curve.js";
import { loadZeromq, type ZmqPull } from "./driver.js";
import type { Endpoints } from "./endpoint.js";
import { Sockets, type Sender } from "./sockets.js";

export interface ZmqOptions {
  /** The name of the agent. */
  readonly name: string;
  readonly env: Environment;
  readonly endpoints: Endpoints;
  /** Ends all waiting for readers. Frames that they have not taken are lost. */
  readonly signal: AbortSignal;
  readonly ports: Ports;
}

class ZmqWire implements AgentWire {
  readonly isTraced = true;
  isBroken = false;
  readonly #options: ZmqOptions;
  readonly #sockets: Sockets;
  readonly #senders: ReadonlyMap<OutPort, Sender>;
  readonly #readers: ReadonlyMap<InPort, ZmqPull>;
  readonly #inbox = new Inbox();
  readonly #abort = (): void => this.#close(false);
  #isClosed = false;

  constructor(
    options: ZmqOptions,
    sockets: Sockets,
    senders: ReadonlyMap<OutPort, Sender>,
    readers: ReadonlyMap<InPort, ZmqPull>,
  ) {
    this.#options = options;
    this.#sockets = sockets;
    this.#senders = senders;
    this.#readers = readers;
    options.signal.addEventListener("abort", this.#abort, { once: true });
    for (const [port, reader] of readers) void this.#pump(port, reader);
    // Nobody waits for it, and the agent begins at once.
    void this.write("ctrl_out", { kind: "message", value: { status: "ready" } }).catch(() => undefined);
  }

  get bell(): Bell {
    return this.#inbox.bell;
  }

  has(port: InPort | OutPort): boolean {
    return (
      this.#options.endpoints.has(port) && (this.#senders.has(port as OutPort) || this.#readers.has(port as InPort))
    );
  }

  take(port: InPort): WireEvent | undefined {
    return this.#inbox.take(port);
  }

  waiting(port: InPort): number {
    return this.#inbox.waiting(port);
  }

  async write(port: OutPort, item: WireItem): Promise<void> {
    const sender = this.#senders.get(port);
    if (sender === undefined) return;
    const sent = sender.send(encodeFrame(this.#options.name, item)).catch((cause: unknown) => {
      throw outputClosed(cause);
    });
    await (item.kind === "eof" && port !== "data_out" ? this.#endSide(sender, sent) : sent);
  }

  /** Nobody has to read the end of a side stream. */
  async #endSide(sender: Sender, sent: Promise<void>): Promise<void> {
    sender.stopWaiting();
    let stop = (): void => undefined;
    const patience = new Promise<void>((resolve) => (stop = this.#options.ports.timer(ZMQ_SIDE_END_MS, resolve)));
    await Promise.race([sent.catch(() => undefined), patience]);
    stop();
  }

  close(): void {
    this.#close(!this.#options.signal.aborted);
  }

  #close(isWhole: boolean): void {
    if (!this.#isClosed) this.#sockets.close(isWhole);
    this.#isClosed = true;
    this.#options.signal.removeEventListener("abort", this.#abort);
    this.bell.ring();
  }

  async #pump(port: InPort, reader: ZmqPull): Promise<void> {
    for (let isOpen = true; isOpen;) {
      let frames: Uint8Array[];
      try {
        frames = await reader.receive();
      } catch {
        // The socket was closed.
        this.#inbox.push(port, EOF);
        return;
      }
      isOpen = this.#deliver(port, frames);
      while (this.#inbox.count(port) >= MAX_QUEUED_INPUTS && !this.#isClosed) await this.bell.wait();
    }
  }

  /** False at the end of the stream. */
  #deliver(port: InPort, frames: readonly Uint8Array[]): boolean {
    try {
      const item = readFrames(frames);
      this.#inbox.push(port, item);
      return item.kind !== "eof";
    } catch (error) {
      if (!(error instanceof PlumbError)) throw error;
      this.#inbox.push("data_in", { kind: "refused", error });
      return true;
    }
  }
}

/** Throws `PlumbError` `frame-malformed` or `not-json`. */
export function readFrames(frames: readonly Uint8Array[]): WireItem {
  const [frame] = frames;
  if (frame !== undefined && frames.length === 1) return decodeFrame(frame).item;
  const hint = "Send the topic and the payload in one frame.";
  throw new PlumbError("frame-malformed", `a message has ${frames.length} frames`, hint);
}

/** Opens the socket of each endpoint. Rejects with `PlumbError` `endpoint-invalid` or `AgentError` `capability-missing`. */
export async function openZmq(options: ZmqOptions): Promise<AgentWire> {
  const { env, endpoints } = options;
  const sockets = await Sockets.open(await loadZeromq(), readCurveKeys(env));
  try {
    const senders = await each(OUT_PORTS, endpoints, (endpoint) => sockets.bind(endpoint));
    const readers = await each(IN_PORTS, endpoints, (endpoint) => sockets.connect(endpoint));
    return new ZmqWire(options, sockets, senders, readers);
  } catch (error) {
    sockets.close(false);
    throw error;
  }
}

/** Opens those ports that have an endpoint, one after another. */
export async function each<P extends InPort | OutPort, T>(
  ports: readonly P[],
  endpoints: Endpoints,
  open: (endpoint: string) => Promise<T>,
): Promise<ReadonlyMap<P, T>> {
  const opened = new Map<P, T>();
  for (const port of ports) {
    const endpoint = endpoints.get(port);
    if (endpoint !== undefined) opened.set(port, await open(endpoint));
  }
  return opened;
}
