// One agent of a fabric as a child process: its lines in and out, and how it ended.

import { spawn, type ChildProcess } from "node:child_process";
import type { Writable } from "node:stream";
import { quoteForeign, thrownText, toVisible } from "../../../core/index.js";
import {
  decodeLine,
  decodePlainLine,
  encodeLine,
  encodePlainLine,
  PlumbError,
  type InPort,
  type PortName,
  type WireItem,
} from "../../../core/process/index.js";
import { MAX_LINE_BYTES, MAX_STDERR_TAIL_BYTES } from "../../limits.js";
import { readLines } from "../lines.js";

export interface ChildOrder {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The agent has streams in addition to its data, so each line names its stream. */
  readonly isMultiplexed: boolean;
  readonly onItem: (port: PortName, item: WireItem) => void;
  readonly onEnd: (end: ChildEnd) => void;
  readonly onStderr: ((line: string) => void) | undefined;
}

export interface ChildEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Undefined if it ended as it should. */
  readonly error: PlumbError | undefined;
}

const FLAWS = {
  torn: "its output ended in the middle of a line",
  "too-large": `a line of its output is longer than ${MAX_LINE_BYTES} bytes`,
  "not-utf8": "a line of its output is not UTF-8",
} as const;

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
    const env = { ...order.env, PLAYHEAD_LIFELINE_FD: String(LIFELINE) };
    this.#child = spawn(program, args, { env, stdio: ["pipe", "pipe", "pipe", "pipe"], detached });
    const { stdin, stdout, stderr, stdio } = this.#child;
    for (const stream of [stdin, stdout, stderr, stdio[LIFELINE]]) stream?.on("error", () => undefined);
    stderr?.setEncoding("utf8").on("data", (text: string) => this.#keepStderr(text));
    const reading = stdout === null ? Promise.resolve() : this.#read(stdout);
    let failure: unknown;
    this.#child.on("error", (error) => (failure = error));
    this.#child.on("close", (code, signal) => {
      void reading.then(() => order.onEnd({ exitCode: code, signal, error: this.#judge(code, signal, failure) }));
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Resolves when the pipe has it. For a child that is gone, the item is dropped, and its end says why. */
  write(port: InPort, item: WireItem): Promise<void> {
    const { stdin } = this.#child;
    if (stdin === null || stdin.destroyed) return Promise.resolve();
    if (!this.#order.isMultiplexed && item.kind === "eof") {
      stdin.end();
      return Promise.resolve();
    }
    const line = this.#order.isMultiplexed || item.kind === "eof" ? encodeLine(port, item) : encodePlainLine(item);
    return new Promise((resolve) => stdin.write(`${line}\n`, () => resolve()));
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

  async #read(stdout: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const line of readLines(stdout, MAX_LINE_BYTES)) {
        if (line.kind === "line") this.#deliver(line.text);
        else this.#flaw ??= this.#cut(FLAWS[line.kind]);
      }
    } catch (error) {
      this.#flaw ??= this.#cut(`its output cannot be read: ${thrownText(error)}`);
    }
  }

  #deliver(text: string): void {
    try {
      const { isMultiplexed } = this.#order;
      const addressed = isMultiplexed
        ? decodeLine(text, "data_out")
        : { port: "data_out" as const, item: decodePlainLine(text) };
      if (addressed.port === "unknown") return;
      if (addressed.port === "data_out" && addressed.item.kind === "eof") this.#hasEnded = true;
      this.#order.onItem(addressed.port, addressed.item);
    } catch (error) {
      this.#flaw ??= this.#cut(`a line of its output cannot be used: ${thrownText(error)}`, error);
    }
  }

  #cut(why: string, cause?: unknown): PlumbError {
    const { name } = this.#order;
    return new PlumbError("output-cut", `${name}: ${why}`, "See its standard error.", { agent: name, cause });
  }

  /** Only an output that was ended is whole, whatever the exit code says. A plain output ends with the process. */
  #judge(code: number | null, signal: NodeJS.Signals | null, failure: unknown): PlumbError | undefined {
    const { name, isMultiplexed } = this.#order;
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
    if (isMultiplexed && !this.#hasEnded) return this.#cut("it exited without an `__eof` on its output");
    return undefined;
  }

  #keepStderr(text: string): void {
    this.#tail = toVisible((this.#tail + text).slice(-MAX_STDERR_TAIL_BYTES));
    const { onStderr } = this.#order;
    if (onStderr !== undefined) for (const line of text.split("\n")) if (line !== "") onStderr(line);
  }
}
