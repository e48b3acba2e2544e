// One run of a job as text: its exit code and its recordings, compressed, because the machine that recorded them may be gone at the merge.

import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { DEFAULT_MAX_FILE_BYTES } from "../../cassette/index.js";
import { isPlainObject, sha256Hex, type FilePort } from "../../core/index.js";
import type { UnitResult } from "../job/work.js";
import { unusable } from "../job/plan.js";
import { MAX_JOB_RUN_BYTES, MAX_PACKED_RUN_CHARACTERS } from "../limits.js";
import { isUnit, runOf, type Unit } from "./part.js";

interface Packed {
  readonly unit: Unit;
  /** The text of each recording, in the order of `unit.files`. */
  readonly texts: readonly string[];
}

/** The run with its recordings below `folder`, or why the store cannot keep them. */
export async function pack(unit: Unit, folder: string, files: FilePort): Promise<UnitResult> {
  const texts: string[] = [];
  let bytes = 0;
  for (const { path, sha256 } of unit.files) {
    const read = await files.read(join(folder, path), DEFAULT_MAX_FILE_BYTES);
    const text = read.kind === "read" ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(read.bytes) : "";
    if (sha256Hex(text) !== sha256) return { why: `the recording ${path} changed, or is not UTF-8` };
    bytes += read.kind === "read" ? read.bytes.byteLength : 0;
    if (bytes > MAX_JOB_RUN_BYTES) return { why: `its recordings have more than ${MAX_JOB_RUN_BYTES} bytes` };
    texts.push(text);
  }
  const text = (await promisify(gzip)(JSON.stringify({ unit, texts } satisfies Packed))).toString("base64");
  if (text.length <= MAX_PACKED_RUN_CHARACTERS) return { text };
  return {
    why: `its recordings have ${text.length} characters when compressed, and the limit is ${MAX_PACKED_RUN_CHARACTERS}`,
  };
}

/** Throws `report-unusable` for a text that `pack` did not make of this run. */
export async function unpack(run: number, packed: string): Promise<Packed> {
  try {
    // Each character of a text takes up to six in JSON.
    const json = await promisify(gunzip)(Buffer.from(packed, "base64"), { maxOutputLength: MAX_UNPACKED });
    const value: unknown = JSON.parse(json.toString());
    if (isPacked(value, run)) return value;
  } catch {
    // The error below says it.
  }
  throw unusable(`the result of run ${run} in the store is damaged`, "Something else has changed it. Use a new --job.");
}

const MAX_UNPACKED = Math.min(6 * MAX_JOB_RUN_BYTES, 512 * 1024 * 1024);

function isPacked(value: unknown, run: number): value is Packed {
  if (!isPlainObject(value) || !isUnit(value["unit"]) || !Array.isArray(value["texts"])) return false;
  const { unit, texts } = value as { unit: Unit; texts: unknown[] };
  const paths = new Set(unit.files.map(({ path }) => path));
  if (unit.run !== run || paths.size !== texts.length || unit.files.length !== texts.length) return false;
  return unit.files.every(({ path, sha256 }, index) => {
    const text = texts[index];
    return runOf(path) === String(run) && typeof text === "string" && sha256Hex(text) === sha256;
  });
}
