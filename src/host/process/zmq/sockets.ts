// The sockets of one agent, on its own side or on that of the fabric. Writers bind, readers connect.

import { defined, thrownText } from "../../../core/index.js";
import { MAX_FRAME_BYTES, MAX_QUEUED_FRAMES, ZMQ_LINGER_MS } from "../../limits.js";
import { guard, type CurveKeys } from "./curve.js";
import type { ZmqDriver, ZmqPull, ZmqPush, ZmqReply } from "./driver.js";
import { checkEndpoint, invalid } from "./endpoint.js";

/** Sends frames in order. */
export class Sender {
  readonly #socket: ZmqPush;
  #last: Promise<unknown> = Promise.resolve();

  constructor(socket: ZmqPush) {
    this.#socket = socket;
  }

  /** Waits for a reader. Rejects once the socket is closed. */
  send(frame: Uint8Array): Promise<void> {
    const sent = this.#last.then(() => this.#socket.send(frame));
    this.#last = sent.catch(() => undefined);
    return sent;
  }

  /** From now on, drops frames that nobody reads. */
  stopWaiting(): void {
    if (!this.#socket.closed) this.#socket.sendTimeout = 0;
  }
}

export class Sockets {
  readonly #driver: ZmqDriver;
  readonly #keys: CurveKeys | undefined;
  readonly #context: object | undefined;
  readonly #all: (ZmqPush | ZmqPull | ZmqReply)[] = [];

  /**
   * With `keys`, only holders of a listed key can connect. A context has one list of keys. Default: the context of the process, the only
   * one whose messages are still delivered while the process ends.
   */
  static async open(driver: ZmqDriver, keys: CurveKeys | undefined, context?: object): Promise<Sockets> {
    const sockets = new Sockets(driver, keys, context);
    if (keys !== undefined) sockets.#all.push(await guard(driver, sockets.#context, keys));
    return sockets;
  }

  private constructor(driver: ZmqDriver, keys: CurveKeys | undefined, context: object | undefined) {
    this.#driver = driver;
    this.#keys = keys;
    this.#context = context;
  }

  /** Rejects with `PlumbError` `endpoint-invalid`. */
  async bind(endpoint: string): Promise<Sender> {
    const { publicKey, secretKey } = this.#keys ?? {};
    const curve =
      secretKey === undefined
        ? {}
        : { curveServer: true, curvePublicKey: publicKey, curveSecretKey: secretKey, zapDomain: "plumb" };
    const options = { ...this.#common(endpoint), sendHighWaterMark: 0, linger: ZMQ_LINGER_MS, ...curve };
    return this.#open(endpoint, async () => {
      const socket = new this.#driver.Push(options);
      this.#all.push(socket);
      await socket.bind(endpoint);
      return new Sender(socket);
    });
  }

  /** Rejects with `PlumbError` `endpoint-invalid`. A frame over the limit ends the connection of its sender. */
  async connect(endpoint: string): Promise<ZmqPull> {
    const { publicKey, secretKey, peers } = this.#keys ?? {};
    const curve =
      secretKey === undefined
        ? {}
        : { curveServerKey: peers?.[0], curvePublicKey: publicKey, curveSecretKey: secretKey };
    const limits = { receiveHighWaterMark: MAX_QUEUED_FRAMES, maxMessageSize: MAX_FRAME_BYTES };
    return this.#open(endpoint, async () => {
      const socket = new this.#driver.Pull({ ...this.#common(endpoint), linger: 0, ...limits, ...curve });
      this.#all.push(socket);
      socket.connect(endpoint);
      return socket;
    });
  }

  /** With `isWhole`, sent frames are still delivered. Pending calls reject. */
  close(isWhole: boolean): void {
    for (const socket of this.#all.splice(0)) {
      if (socket.closed) continue;
      if (!isWhole) socket.linger = 0;
      socket.close();
    }
  }

  #common(endpoint: string): object {
    return { ...defined({ context: this.#context }), ipv6: endpoint.startsWith("tcp://[") };
  }

  async #open<T>(endpoint: string, open: () => Promise<T>): Promise<T> {
    checkEndpoint(endpoint, this.#keys !== undefined);
    try {
      return await open();
    } catch (cause) {
      throw invalid(`${JSON.stringify(endpoint)} cannot be opened: ${thrownText(cause)}`, "Use a free address.", cause);
    }
  }
}
