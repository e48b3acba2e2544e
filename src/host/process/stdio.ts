// The streams of an agent over its standard input and output: plain lines of data, or lines that name their stream.

import type { Writable } from "node:stream";
import { plural } from "../../core/index.js";
import {
  decodeLine,
  decodePlainLine,
  encodeLine,
  encodePlainLine,
  EOF,
  IN_PORTS,
  PlumbError,
  type InPort,
  type OutPort,
  type WireItem,
} from "../../core/process/index.js";
import { MAX_LINE_BYTES, MAX_QUEUED_BYTES, MAX_QUEUED_INPUTS } from "../limits.js";
import type { Bell } from "./bell.js";
import { Inbox } from "./inbox.js";
import { readLines, type LineRead } from "./lines.js";
import { outputClosed, type AgentWire, type WireEvent } from "./wire.js";

export interface StdioStreams {
  readonly input: AsyncIterable<Uint8Array> & { destroy?(): void };
  readonly output: Writable;
}

export interface StdioOptions {
  /** The streams in addition to the data. With any of them, each line names its stream. */
  readonly side: readonly (InPort | OutPort)[];
  /** Receives warnings, after which the agent goes on. */
  readonly warn: (text: string) => void;
}

class StdioWire implements AgentWire {
  readonly isTraced = false;
  isBroken = false;
  readonly #streams: StdioStreams;
  readonly #ports: ReadonlySet<InPort | OutPort>;
  readonly #isPlain: boolean;
  readonly #warn: (text: string) => void;
  readonly #inbox = new Inbox();
  readonly #warned = new Set<string>();
  #isClosed = false;

  constructor(streams: StdioStreams, { side, warn }: StdioOptions) {
    this.#streams = streams;
    this.#ports = new Set<InPort | OutPort>(["data_in", "data_out", ...side]);
    this.#isPlain = side.length === 0;
    this.#warn = warn;
    streams.output.on("error", () => this.#break());
    void this.#pump();
  }

  get bell(): Bell {
    return this.#inbox.bell;
  }

  has(port: InPort | OutPort): boolean {
    return this.#ports.has(port);
  }

  take(port: InPort): WireEvent | undefined {
    return this.#inbox.take(port);
  }

  waiting(port: InPort): number {
    return this.#inbox.waiting(port);
  }

  write(port: OutPort, item: WireItem): Promise<void> {
    // The end of a plain output is the end of the process.
    if (this.#isPlain && item.kind === "eof") return Promise.resolve();
    const line = this.#isPlain && item.kind !== "eof" ? encodePlainLine(item) : encodeLine(port, item);
    return new Promise((resolve, reject) => {
      this.#streams.output.write(`${line}\n`, (error) => {
        if (error === null || error === undefined) resolve();
        else {
          this.#break();
          reject(outputClosed(error));
        }
      });
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#streams.input.destroy?.();
    this.bell.ring();
  }

  #break(): void {
    this.isBroken = true;
    this.bell.ring();
  }

  async #pump(): Promise<void> {
    try {
      for await (const line of readLines(this.#streams.input, MAX_LINE_BYTES)) {
        this.#deliver(line);
        while (this.#isFull() && !this.#isClosed) await this.bell.wait();
        if (this.#isClosed) return;
      }
    } catch (error) {
      if (!this.#isClosed) this.#warn(`the input of the agent could not be read: ${String(error)}`);
    }
    for (const port of IN_PORTS) this.#inbox.push(port, EOF);
  }

  /** Reading stops for plain data. Where control shares the stream, it stops only to keep the memory bounded. */
  #isFull(): boolean {
    if (this.#isPlain) return this.#inbox.count("data_in") >= MAX_QUEUED_INPUTS;
    if (this.#inbox.bytes < MAX_QUEUED_BYTES) return false;
    this.#warnOnce(`more than ${MAX_QUEUED_BYTES} bytes are queued, so control messages have to wait`);
    return true;
  }

  #deliver(line: LineRead): void {
    if (line.kind !== "line") {
      this.#inbox.push("data_in", { kind: "refused", error: refused(line) });
      return;
    }
    try {
      if (this.#isPlain) this.#inbox.push("data_in", decodePlainLine(line.text), line.bytes);
      else this.#address(line.text, line.bytes);
    } catch (error) {
      if (!(error instanceof PlumbError)) throw error;
      this.#inbox.push("data_in", { kind: "refused", error });
    }
  }

  #address(text: string, bytes: number): void {
    const addressed = decodeLine(text, "data_in");
    const { port } = addressed;
    if (port === "unknown") this.#warnOnce(`a line for the unknown stream ${addressed.name} was ignored`);
    else if (!isInPort(port) || !this.has(port))
      this.#warnOnce(`a line for ${port} was ignored, because this agent does not read that stream`);
    else this.#inbox.push(port, addressed.item, bytes);
  }

  #warnOnce(text: string): void {
    if (this.#warned.has(text)) return;
    if (this.#warned.size < MAX_QUEUED_INPUTS) this.#warned.add(text);
    this.#warn(text);
  }
}

export function openStdio(streams: StdioStreams, options: StdioOptions): AgentWire {
  return new StdioWire(streams, options);
}

function isInPort(port: InPort | OutPort): port is InPort {
  return (IN_PORTS as readonly string[]).includes(port);
}

function refused(line: Exclude<LineRead, { kind: "line" }>): PlumbError {
  switch (line.kind) {
    case "too-large":
      return new PlumbError(
        "frame-too-large",
        `a line has ${plural(line.bytes, "byte")}, and the limit is ${MAX_LINE_BYTES}`,
        "Send smaller messages.",
      );
    case "not-utf8":
      return new PlumbError("not-json", `a line of ${plural(line.bytes, "byte")} is not UTF-8`, "Send JSON in UTF-8.");
    case "torn":
      return new PlumbError(
        "output-cut",
        `the input ended in the middle of a line, after ${plural(line.bytes, "byte")}`,
        "End each message with a line feed. The last one was not delivered.",
      );
  }
}
