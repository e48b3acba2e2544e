// The streams of an agent over its standard input and output.

import type { ChildProcess } from "node:child_process";
import { quoteForeign, thrownText } from "../../../core/index.js";
import {
  decodeLine,
  decodePlainLine,
  encodeLine,
  encodePlainLine,
  type InPort,
  type WireItem,
} from "../../../core/process/index.js";
import { MAX_LINE_BYTES, MAX_STDERR_TAIL_BYTES } from "../../limits.js";
import { readLines } from "../lines.js";
import { ENDPOINT_VARIABLES } from "../zmq/endpoint.js";
import type { Link, LinkSink } from "./link.js";

const FLAWS = {
  torn: "its output ended in the middle of a line",
  "too-large": `a line of its output is longer than ${MAX_LINE_BYTES} bytes`,
  "not-utf8": "a line of its output is not UTF-8",
} as const;

/** The streams of an agent in addition to its data. */
export interface Streams {
  readonly hasControl: boolean;
  readonly hasTelemetry: boolean;
  readonly hasTools: boolean;
}

export class StdioLink implements Link {
  /** Hides the addresses of an agent that runs this fabric. They are not for the fabric's agents. */
  readonly env = { [ENDPOINT_VARIABLES.data_in]: "" };
  readonly saysReady = false;
  readonly hasEnd: boolean;
  readonly #reads: ReadonlySet<InPort>;
  #child: ChildProcess | undefined;
  #reading: Promise<void> = Promise.resolve();

  /** With streams in addition to its data, each line names its stream. */
  constructor({ hasControl, hasTelemetry, hasTools }: Streams) {
    this.hasEnd = hasControl || hasTelemetry || hasTools;
    const side = [...(hasControl ? (["ctrl_in"] as const) : []), ...(hasTools ? (["tool_resp"] as const) : [])];
    this.#reads = new Set<InPort>(["data_in", ...side]);
  }

  attach(child: ChildProcess, sink: LinkSink): void {
    this.#child = child;
    if (child.stdout !== null) this.#reading = this.#read(child.stdout, sink);
  }

  write(port: InPort, item: WireItem): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin === undefined || stdin === null || stdin.destroyed || !this.#reads.has(port)) return Promise.resolve();
    if (!this.hasEnd && item.kind === "eof") {
      stdin.end();
      return Promise.resolve();
    }
    const line = this.hasEnd || item.kind === "eof" ? encodeLine(port, item) : encodePlainLine(item);
    let resolve: () => void = () => undefined;
    const written = new Promise<void>((done) => (resolve = done));
    // Lines of one moment go out together. Only a full pipe makes the next one wait.
    return stdin.write(`${line}\n`, () => resolve()) ? Promise.resolve() : written;
  }

  drain(): Promise<void> {
    return this.#reading;
  }

  close(): void {
    // The streams belong to the process.
  }

  async #read(stdout: AsyncIterable<Uint8Array>, sink: LinkSink): Promise<void> {
    try {
      for await (const line of readLines(watchStart(stdout, sink), MAX_LINE_BYTES)) {
        if (line.kind === "line") this.#deliver(line.text, sink);
        else sink.onFlaw(FLAWS[line.kind], { isTorn: line.kind === "torn" });
      }
    } catch (cause) {
      sink.onFlaw(`its output cannot be read: ${thrownText(cause)}`, { cause });
    }
  }

  #deliver(text: string, sink: LinkSink): void {
    try {
      const { port, item } = this.hasEnd
        ? { item: undefined, ...decodeLine(text, "data_out") }
        : { port: "data_out" as const, item: decodePlainLine(text) };
      if (port !== "unknown" && item !== undefined) sink.onItem(port, item);
    } catch (cause) {
      sink.onFlaw(`a line of its output cannot be used: ${thrownText(cause)}`, { cause });
    }
  }
}

/** Nothing else can begin JSON or a marker. */
const STARTS = /^[\s{["\d\-tfn\u0001]/;

/** Reports at once an output that cannot be JSON. Its first line may never end, and the fabric would wait for it. */
async function* watchStart(chunks: AsyncIterable<Uint8Array>, sink: LinkSink): AsyncGenerator<Uint8Array> {
  let isStart = true;
  for await (const chunk of chunks) {
    const text = isStart ? Buffer.from(chunk).toString("utf8", 0, MAX_STDERR_TAIL_BYTES) : "";
    if (text !== "" && !STARTS.test(text))
      sink.onFlaw(`its output begins with ${quoteForeign(text)}, which is not JSON`);
    isStart = false;
    yield chunk;
  }
}
