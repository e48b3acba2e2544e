// The streams of an agent over ZeroMQ, on the side of the fabric.

import type { ChildProcess } from "node:child_process";
import { isPlainObject, thrownText, type Ports } from "../../../core/index.js";
import {
  encodeFrame,
  IN_PORTS,
  OUT_PORTS,
  type InPort,
  type OutPort,
  type WireItem,
} from "../../../core/process/index.js";
import { ZMQ_QUIET_MS } from "../../limits.js";
import { Bell } from "../bell.js";
import type { ZmqDriver, ZmqPull } from "../zmq/driver.js";
import { ENDPOINT_VARIABLES, type Endpoints } from "../zmq/endpoint.js";
import { Sockets, type Sender } from "../zmq/sockets.js";
import { each, readFrames } from "../zmq/wire.js";
import type { Link, LinkSink } from "./link.js";

export interface ZmqLinkOptions {
  readonly name: string;
  readonly driver: ZmqDriver;
  readonly endpoints: Endpoints;
  /** Only a process with a key of this run can connect. */
  readonly isLocked: boolean;
  /** `ctrl_out` only carries the word that the agent is ready, and is then closed. */
  readonly isOnlyForReady: boolean;
  readonly ports: Ports;
}

class ZmqLink implements Link {
  readonly hasEnd = true;
  readonly saysReady = true;
  readonly env: Readonly<Record<string, string>>;
  readonly #options: ZmqLinkOptions;
  readonly #sockets: Sockets;
  readonly #senders: ReadonlyMap<InPort, Sender>;
  readonly #readers: ReadonlyMap<OutPort, ZmqPull>;
  /** Streams whose end has not come. */
  readonly #open: Set<OutPort>;
  readonly #bell = new Bell();
  #frames = 0;

  constructor(
    options: ZmqLinkOptions,
    env: Readonly<Record<string, string>>,
    sockets: Sockets,
    senders: ReadonlyMap<InPort, Sender>,
    readers: ReadonlyMap<OutPort, ZmqPull>,
  ) {
    this.#options = options;
    this.#sockets = sockets;
    this.#senders = senders;
    this.#readers = readers;
    this.#open = new Set(readers.keys());
    const addresses = Object.entries(ENDPOINT_VARIABLES).map(([port, variable]) => [
      variable,
      options.endpoints.get(port as InPort | OutPort) ?? "",
    ]);
    this.env = { ...env, ...(Object.fromEntries(addresses) as Record<string, string>) };
  }

  attach({ stdout }: ChildProcess, sink: LinkSink): void {
    stdout?.setEncoding("utf8").on("data", (text: string) => sink.onText(text));
    for (const [port, reader] of this.#readers) void this.#pump(port, reader, sink);
  }

  async write(port: InPort, item: WireItem): Promise<void> {
    // A socket that was closed meanwhile belongs to an agent that is gone.
    await this.#senders
      .get(port)
      ?.send(encodeFrame(this.#options.name, item))
      .catch(() => undefined);
  }

  async drain(): Promise<void> {
    for (let last = -1; this.#open.size > 0 && last !== this.#frames;) {
      last = this.#frames;
      await this.#change();
    }
  }

  close(): void {
    this.#sockets.close(false);
    this.#bell.ring();
  }

  /** Resolves when all streams have ended, or after a while. */
  async #change(): Promise<void> {
    let isLate = false;
    const stop = this.#options.ports.timer(ZMQ_QUIET_MS, () => {
      isLate = true;
      this.#bell.ring();
    });
    while (this.#open.size > 0 && !isLate) await this.#bell.wait();
    stop();
  }

  async #pump(port: OutPort, reader: ZmqPull, sink: LinkSink): Promise<void> {
    while (this.#open.has(port)) {
      const frames = await reader.receive().catch(() => undefined);
      // The socket was closed.
      if (frames === undefined) break;
      this.#frames += 1;
      this.#deliver(port, frames, sink);
    }
    this.#end(port);
  }

  #deliver(port: OutPort, frames: readonly Uint8Array[], sink: LinkSink): void {
    try {
      const item = readFrames(frames);
      if (item.kind === "eof") this.#end(port);
      sink.onItem(port, item);
      const isReady = port === "ctrl_out" && item.kind === "message" && isReadyWord(item.value);
      if (!isReady || !this.#options.isOnlyForReady) return;
      this.#end(port);
      this.#readers.get(port)?.close();
    } catch (cause) {
      sink.onFlaw(`a frame of its output cannot be used: ${thrownText(cause)}`, { cause });
    }
  }

  #end(port: OutPort): void {
    this.#open.delete(port);
    this.#bell.ring();
  }
}

/** True for the message that an agent sends once all its sockets are open. */
export function isReadyWord(value: unknown): boolean {
  return isPlainObject(value) && value["status"] === "ready";
}

/** Opens the side of the fabric before the agent starts. Rejects with `PlumbError` `endpoint-invalid`. */
export async function openZmqLink(options: ZmqLinkOptions): Promise<Link> {
  const { driver, endpoints, isLocked } = options;
  const [own, agent] = [driver.curveKeyPair(), driver.curveKeyPair()];
  const env = {
    PLUMB_CURVE_PUBLIC: isLocked ? agent.publicKey : "",
    PLUMB_CURVE_SECRET: isLocked ? agent.secretKey : "",
    PLUMB_CURVE_PEER: isLocked ? own.publicKey : "",
  };
  // A process may run several fabrics, each with its own list of keys.
  const context = isLocked ? new driver.Context() : undefined;
  const sockets = await Sockets.open(driver, isLocked ? { ...own, peers: [agent.publicKey] } : undefined, context);
  try {
    const senders = await each(IN_PORTS, endpoints, (endpoint) => sockets.bind(endpoint));
    const readers = await each(OUT_PORTS, endpoints, (endpoint) => sockets.connect(endpoint));
    return new ZmqLink(options, env, sockets, senders, readers);
  } catch (error) {
    sockets.close(false);
    throw error;
  }
}
