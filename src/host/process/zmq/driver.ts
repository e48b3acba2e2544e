// Loads the optional peer `zeromq`. Its types here are structural, so the package need not be installed.

import { AgentError } from "../../../core/index.js";

interface ZmqSocket {
  linger: number;
  readonly closed: boolean;
  close(): void;
}

export interface ZmqPush extends ZmqSocket {
  sendTimeout: number;
  bind(endpoint: string): Promise<void>;
  send(frames: Uint8Array | readonly (Uint8Array | string)[]): Promise<void>;
}

export interface ZmqPull extends ZmqSocket {
  connect(endpoint: string): void;
  receive(): Promise<Uint8Array[]>;
}

export interface ZmqReply extends ZmqSocket {
  bind(endpoint: string): Promise<void>;
  receive(): Promise<Uint8Array[]>;
  send(frames: readonly (Uint8Array | string)[]): Promise<void>;
}

export interface ZmqDriver {
  readonly Context: new () => object;
  readonly Push: new (options: object) => ZmqPush;
  readonly Pull: new (options: object) => ZmqPull;
  readonly Reply: new (options: object) => ZmqReply;
  curveKeyPair(): { readonly publicKey: string; readonly secretKey: string };
}

const PEER = "zeromq";

/** Rejects with `AgentError` `capability-missing`. */
export async function loadZeromq(): Promise<ZmqDriver> {
  try {
    return (await import(PEER)) as ZmqDriver;
  } catch (cause) {
    throw new AgentError("capability-missing", `the package ${PEER} cannot be loaded`, {
      hint: `Run npm install ${PEER}, or use standard streams.`,
      cause,
    });
  }
}
