// The state that all parts of a running fabric share: the network, a bell that rings at each change, and the first failure.

import { EOF, PlumbError, type Flow, type Network, type WireItem } from "../../../core/process/index.js";
import type { JsonValue } from "../../../core/index.js";
import { Bell } from "../bell.js";
import type { AgentChild, ChildEnd } from "./child.js";
import type { ToolDesk } from "./tool-desk.js";

/** An agent of a running fabric. */
export interface Member {
  readonly name: string;
  readonly child: AgentChild;
  readonly flow: Flow;
  isReady: boolean;
  /** Ports whose end was passed on. */
  readonly ended: Set<string>;
  end: ChildEnd | undefined;
  /** Unread control replies. Undefined until someone asks for them. */
  replies: JsonValue[] | undefined;
  /** Compactions under way. Their replies are not for readers. */
  compacting?: number;
  /** Runs its tools. Undefined if its spec names none. */
  readonly tools: ToolDesk | undefined;
}

export class Hub {
  readonly network: Network;
  readonly bell = new Bell();
  readonly members = new Map<string, Member>();
  /** Counts the items that passed, so that a standstill can be seen. */
  passed = 0;
  isCancelled = false;
  /** Calls of filters and maps that have not returned. */
  inlineCalls = 0;
  #error: unknown;

  constructor(network: Network) {
    this.network = network;
  }

  get all(): readonly Member[] {
    return [...this.members.values()];
  }

  push(from: string, item: WireItem): void {
    try {
      this.network.push(from, item);
      this.network.run();
    } catch (error) {
      this.fail(error);
    }
    this.passed += 1;
    this.bell.ring();
  }

  /** Passes the end of a port on, once. */
  endPort(member: Member, port: string): void {
    if (member.ended.has(port)) return;
    member.ended.add(port);
    this.push(port, EOF);
  }

  fail(error: unknown): void {
    this.#error ??= error;
    this.bell.ring();
  }

  /** Waits until a condition holds. Rejects with the failure of the fabric. */
  async until(isSo: () => boolean): Promise<void> {
    for (;;) {
      if (this.#error !== undefined) throw this.#error as Error;
      if (this.isCancelled) throw new PlumbError("aborted", "the fabric was cancelled", "Call runFabric again.");
      if (isSo()) return;
      await this.bell.wait();
    }
  }

  /** Takes the next item of a port, once `mayTake` allows it. A port has one taker. */
  async next(port: string, mayTake: (item: WireItem) => boolean = () => true): Promise<WireItem> {
    await this.until(() => {
      const head = this.network.peek(port);
      return head !== undefined && mayTake(head);
    });
    const item = this.network.take(port) as WireItem;
    this.network.run();
    this.passed += 1;
    this.bell.ring();
    return item;
  }

  /** Runs a part of the fabric. If it fails, the fabric fails. */
  watch(work: Promise<void>): void {
    work.catch((error: unknown) => this.fail(error));
  }
}
