// `sense`: one named measurement of a target, with its unit.

import { createHash } from "node:crypto";
import { modified } from "./connect.js";
import { loadContent } from "./content.js";
import { VerbError } from "./error.js";
import { shown } from "./descent.js";
import { exchange, type HttpAnswer } from "./http-fetch.js";
import type { World } from "./options.js";
import { parseTarget, type Target } from "./target.js";

export interface Sensed {
  readonly uri: string;
  readonly measure: string;
  /** Null if the target does not say. */
  readonly value: number | string | null;
  readonly unit: string;
}

type Measure = "status" | "latency" | "size" | "hash" | "etag" | "last-modified";

const UNITS: Readonly<Record<Measure, string>> = {
  status: "HTTP status code",
  latency: "ms",
  size: "bytes",
  hash: "SHA-256, hex",
  etag: "entity tag",
  "last-modified": "ISO 8601",
};

export async function sense(
  { uri, measure }: { uri: string; measure: string },
  world: World,
  signal: AbortSignal,
): Promise<Sensed> {
  if (!isMeasure(measure)) {
    throw new VerbError("argument", `${measure.slice(0, 40)} is not a measure. Use ${Object.keys(UNITS).join(", ")}`);
  }
  const target = parseTarget(uri, world);
  const taken = isOfContent(measure)
    ? await measureContent(target, measure, world, signal)
    : target.kind === "http"
      ? await measureHead(target.url, measure, world, signal)
      : await measureFile(target, measure);
  return { ...taken, measure, unit: UNITS[measure] };
}

type Taken = Pick<Sensed, "uri" | "value">;

/** Measures the decompressed content, so that a file and a server that compresses it give the same value. */
async function measureContent(
  target: Target,
  measure: "size" | "hash",
  world: World,
  signal: AbortSignal,
): Promise<Taken> {
  const { uri, bytes } = await loadContent(target, world, signal);
  return { uri, value: measure === "size" ? bytes.length : createHash("sha256").update(bytes).digest("hex") };
}

async function measureHead(
  url: URL,
  measure: Exclude<Measure, "size" | "hash">,
  { net }: World,
  signal: AbortSignal,
): Promise<Taken> {
  return exchange(net, { url }, signal, async (answer) => ({ uri: answer.url.href, value: readHead(answer, measure) }));
}

function readHead(answer: HttpAnswer, measure: Exclude<Measure, "size" | "hash">): Sensed["value"] {
  switch (measure) {
    case "status":
      return answer.status;
    case "latency":
      return Math.round(answer.latencyMs * 10) / 10;
    case "etag":
      return answer.headers.etag ?? null;
    case "last-modified":
      return modified(answer.headers["last-modified"]).lastModified ?? null;
  }
}

async function measureFile(target: Extract<Target, { kind: "file" }>, measure: Measure): Promise<Taken> {
  if (measure !== "last-modified") throw new VerbError("argument", `a file has no ${measure}`);
  const { path, root } = target;
  return { uri: shown(path), value: (await root.describe(path)).modified.toISOString() };
}

function isMeasure(measure: string): measure is Measure {
  return Object.hasOwn(UNITS, measure);
}

function isOfContent(measure: Measure): measure is "size" | "hash" {
  return measure === "size" || measure === "hash";
}
