// What the tests of a fabric share: a folder for specs, a vendor, and a run from the first message to the end.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { JsonValue } from "../../../src/core/canon/value.js";
import { runFabric, type FabricEnd } from "../../../src/host/process/fabric/fabric.js";
import type { FabricAgent, FabricGraph } from "../../../src/host/process/fabric/graph.js";
import type { FabricOptions } from "../../../src/host/process/fabric/options.js";
import { repositoryRoot } from "../built.js";
import { startVendor, type LocalVendor, type VendorAnswer } from "./vendor.js";

/** What carries the messages. Each must behave the same. */
export const TRANSPORTS = ["stdio", "ipc"] as const;
export type TestTransport = (typeof TRANSPORTS)[number];

/** An agent that is not ours. */
export function peerProgram(transport: TestTransport): string {
  return join(repositoryRoot, "test/support/process", transport === "stdio" ? "peer.mjs" : "zmq-peer.mjs");
}

/** The folder and the vendor of the test that runs. */
export interface FabricPlace {
  readonly folder: string;
  readonly vendor: LocalVendor;
  serve(answer: VendorAnswer): Promise<LocalVendor>;
  /** Writes a spec, and returns its path. */
  spec(name: string, fields?: object): string;
  /** An agent that is not ours. */
  peer(name: string, mode: string, transport?: TestTransport, fields?: object): FabricAgent;
  /** Our agent, whose provider is the vendor. */
  own(name: string, fields?: object): FabricAgent;
}

/** Call it at the top of a file. */
export function useFabricPlace(): FabricPlace {
  let folder = "";
  let vendor: LocalVendor | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "playhead-test-"));
  });
  afterEach(async () => {
    await vendor?.close();
    vendor = undefined;
    rmSync(folder, { recursive: true, force: true });
  });
  const place: FabricPlace = {
    get folder() {
      return folder;
    },
    get vendor() {
      if (vendor === undefined) throw new Error("call serve first");
      return vendor;
    },
    async serve(answer) {
      return (vendor = await startVendor(answer));
    },
    spec(name, fields = {}) {
      const path = join(folder, `${name}.json`);
      writeFileSync(path, JSON.stringify({ name, provider: "anthropic", model: "test-1", prompt: name, ...fields }));
      return path;
    },
    peer: (name, mode, transport = "stdio", fields = {}) => ({
      spec: place.spec(name, fields),
      command: [process.execPath, peerProgram(transport), mode],
    }),
    own: (name, fields) => ({
      spec: place.spec(name, { endpoint: place.vendor.endpoint, ...fields }),
      env: { ANTHROPIC_API_KEY: "k", CI: "" },
    }),
  };
  return place;
}

/** Sends all, reads all outputs, and waits for the end. `lines` are those of the further output `__telemetry`. */
export async function runAll(
  graph: FabricGraph,
  inputs: readonly JsonValue[],
  options: FabricOptions = {},
): Promise<{ outputs: JsonValue[]; lines: string[]; end: FabricEnd }> {
  const fabric = await runFabric(graph, options);
  const [outputs, lines] = [[] as JsonValue[], [] as string[]];
  const reading = Promise.all([
    collect(fabric.output, outputs),
    collect(fabric.extraOutput("__telemetry") ?? emptyOutput(), lines),
  ]);
  for (const value of inputs) await fabric.send(value);
  fabric.end();
  const [end] = await Promise.all([fabric.done(), reading]);
  return { outputs, lines, end };
}

export async function collect<T>(from: AsyncIterable<T>, into: T[]): Promise<void> {
  for await (const one of from) into.push(one);
}

async function* emptyOutput(): AsyncGenerator<string> {
  // Nothing.
}

/** The code with which work ends, or "ok". */
export const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "ok",
    (error: unknown) => (error as { code?: unknown }).code,
  );
