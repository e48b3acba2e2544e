// One agent of a fabric as a child process: its lines in and out, and how it ended.

import { spawn, type ChildProcess } from "node:child_process";
import type { Writable } from "node:stream";
import { defined, quoteForeign, thrownText, toVisible } from "../../../core/index.js";
import { PlumbError, type InPort, type PortName, type WireItem } from "../../../core/process/index.js";
import { MAX_STDERR_TAIL_BYTES } from "../../limits.js";
import type { Link } from "./link.js";

export interface ChildOrder {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly link: Link;
  readonly onItem: (port: PortName, item: WireItem) => void;
  /** Its output cannot be used, although it may run on. */
  readonly onFlaw: (error: PlumbError) => void;
  readonly onEnd: (end: ChildEnd) => void;
  readonly onStderr: ((line: string) => void) | undefined;
}

export interface ChildEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Undefined if it ended as it should. */
  readonly error: PlumbError | undefined;
}

/** A descriptor of the child whose end tells it that the fabric is gone. */
const LIFELINE = 3;

export class AgentChild {
  readonly #order: ChildOrder;
  readonly #child: ChildProcess;
  #tail = "";
  #flaw: PlumbError | undefined;
  #hasEnded = false;
  #isCancelled = false;

  constructor(order: ChildOrder) {
    this.#order = order;
    const [program = "", ...args] = order.command;
    // A group of its own, so that it can be killed with its children.
    const detached = process.platform !== "win32";
    const { link } = order;
    const env = { ...order.env, PLAYHEAD_LIFELINE_FD: String(LIFELINE) };
    this.#child = spawn(program, args, { env, stdio: ["pipe", "pipe", "pipe", "pipe"], detached });
    const { stdin, stdout, stderr, stdio } = this.#child;
    for (const stream of [stdin, stdout, stderr, stdio[LIFELINE]]) stream?.on("error", () => undefined);
    stderr?.setEncoding("utf8").on("data", (text: string) => this.#keepStderr(text));
    link.attach(this.#child, {
      onItem: (port, item) => this.#deliver(port, item),
      onFlaw: (why, { cause, isTorn = false } = {}) => {
        this.#flaw ??= this.#cut(why, cause);
        if (!isTorn && !this.#isCancelled) order.onFlaw(this.#flaw);
      },
      onText: (text) => this.#keepStderr(text),
    });
    let failure: unknown;
    this.#child.on("error", (error) => (failure = error));
    this.#child.on("close", (code, signal) => {
      // Further output counts only if the agent ended by itself and without an error.
      const drained = code === 0 && !this.#isCancelled ? link.drain() : Promise.resolve();
      void drained.then(() => {
        link.close();
        order.onEnd({ exitCode: code, signal, error: this.#judge(code, signal, failure) });
      });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get saysReady(): boolean {
    return this.#order.link.saysReady;
  }

  /** Resolves when the transport has it. For a child that is gone, the item is dropped, and its end says why. */
  write(port: InPort, item: WireItem): Promise<void> {
    return this.#order.link.write(port, item);
  }

  endInput(): void {
    this.#child.stdin?.end();
  }

  /** Lets the child end by itself, because nobody waits for it any more. */
  cancel(): void {
    this.#isCancelled = true;
    (this.#child.stdio[LIFELINE] as Writable | null | undefined)?.destroy();
    this.#child.stdin?.destroy();
  }

  /** Kills it with its children. */
  kill(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    if (process.platform === "win32") {
      spawn("taskkill", ["/pid", String(pid), "/t", "/f"], { stdio: "ignore" }).on("error", () => this.#child.kill());
      return;
    }
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It has just ended by itself.
    }
  }

  #deliver(port: PortName, item: WireItem): void {
    if (port === "data_out" && item.kind === "eof") this.#hasEnded = true;
    this.#order.onItem(port, item);
  }

  #cut(why: string, cause?: unknown): PlumbError {
    const { name } = this.#order;
    return new PlumbError("output-cut", `${name}: ${why}`, "See its standard error.", {
      agent: name,
      ...defined({ cause }),
    });
  }

  /** Only an output that was ended is whole, whatever the exit code says. A plain output ends with the process. */
  #judge(code: number | null, signal: NodeJS.Signals | null, failure: unknown): PlumbError | undefined {
    const { name, link } = this.#order;
    const agent = { agent: name };
    const tail =
      this.#tail === ""
        ? "It wrote nothing to standard error."
        : `Its standard error ended with: ${quoteForeign(this.#tail)}`;
    if (failure !== undefined)
      return new PlumbError(
        "agent-exited",
        `${name} could not be started: ${thrownText(failure)}`,
        "Check its command.",
        agent,
      );
    if (this.#isCancelled) return undefined;
    if (signal !== null) return new PlumbError("agent-killed", `${name} was ended by ${signal}`, tail, agent);
    if (code !== 0) return new PlumbError("agent-exited", `${name} exited with ${code}`, tail, agent);
    if (this.#flaw !== undefined) return this.#flaw;
    if (link.hasEnd && !this.#hasEnded) return this.#cut("it exited without the end of its output");
    return undefined;
  }

  #keepStderr(text: string): void {
    this.#tail = toVisible((this.#tail + text).slice(-MAX_STDERR_TAIL_BYTES));
    const { onStderr } = this.#order;
    if (onStderr !== undefined) for (const line of text.split("\n")) if (line !== "") onStderr(line);
  }
}
