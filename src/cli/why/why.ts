// `cassette why`: looks up one request in a cassette. The request comes from a file or stdin, in our form or a vendor's.

import {
  CassetteError,
  createCassetteStore,
  formatMiss,
  parseStrictJson,
  whyRequest,
  whyWireRequest,
  type WhyRecording,
  type WhyVerdict,
} from "../../cassette/index.js";
import {
  DEFAULT_VENDOR,
  defined,
  isPlainObject,
  isWireName,
  VENDORS,
  WIRE_NAMES,
  type JsonObject,
  type LlmTurnRequest,
  type WireName,
} from "../../core/index.js";
import { CliError, usageError } from "../errors.js";
import { MAX_REQUEST_BYTES } from "../limits.js";
import { readBytes } from "../options/file.js";
import { assertNoFolder } from "../options/recordings.js";
import { readFilterOptions, type FilterOptions } from "../options/filters.js";
import { EXIT } from "../exit-codes.js";
import { filesAt, type CommandIo, type CliIo } from "../terminal/io.js";
import { createPrinter, writeJson } from "../terminal/output.js";

export interface WhyOptions extends FilterOptions {
  request: string;
  wire?: string;
  json?: boolean;
}

const FORM = "Give { messages, tools?, settings? }, or the body of a request to a vendor.";

/** Prints the report and exits 0 for a match, 1 for a miss. */
export async function why(file: string, options: WhyOptions, io: CommandIo): Promise<void> {
  const { request: path, wire, json } = options;
  const body = await readRequest(path, io);
  const form = chooseForm(body, wire);
  await assertNoFolder(filesAt(io), file, "why");
  const cassette = await createCassetteStore(filesAt(io)).load(file, { ports: { warn: () => undefined } });
  const hashFilter = await readFilterOptions(options, filesAt(io));
  const recording: WhyRecording = { cassette, file, ...defined({ hashFilter }) };
  const verdict =
    form === "own"
      ? await whyOwn(recording, body, path)
      : await whyWireRequest(recording, VENDORS[form], VENDORS[form].parse(body).request);
  const exitCode = verdict.kind === "match" ? EXIT.ok : EXIT.drift;
  io.exit(exitCode);
  if (json === true) {
    writeJson(io, "why", exitCode, { file, form, ...verdict });
    return;
  }
  const line = createPrinter(io);
  if (verdict.kind === "match")
    line({ look: "good", text: "match" }, `: recorded turn ${verdict.turnIndex} answers it`);
  else {
    const [first = "", ...rest] = formatMiss(verdict.report).split("\n");
    line({ look: "bad", text: "miss" }, `: ${first}`);
    for (const text of rest) line(text);
    line("  to do    ", verdict.report.hint);
  }
}

/** Replaces the library's hint, which is for a caller of a provider. */
async function whyOwn(recording: WhyRecording, body: JsonObject, path: string): Promise<WhyVerdict> {
  try {
    return await whyRequest(recording, body as unknown as LlmTurnRequest);
  } catch (error) {
    if (!(error instanceof CassetteError) || error.code !== "invalid-options") throw error;
    throw new CliError("usage", error.summary, FORM, nameOf(path));
  }
}

/** Stdin has no name. */
function nameOf(path: string): string | undefined {
  return path === "-" ? undefined : path;
}

async function readRequest(path: string, io: CommandIo): Promise<JsonObject> {
  const read = () => readBytes(filesAt(io), path, MAX_REQUEST_BYTES, { code: "request-unreadable" });
  const bytes = path === "-" ? await readStdin(io, MAX_REQUEST_BYTES) : await read();
  const value = parseRequest(bytes, path);
  if (isPlainObject(value)) return value as JsonObject;
  throw new CliError("usage", "the request is not a JSON object", FORM, nameOf(path));
}

/** A malformed request is not an integrity failure, because it says nothing about the cassette. */
function parseRequest(bytes: Uint8Array, path: string): unknown {
  try {
    return parseStrictJson(bytes, { file: path });
  } catch (error) {
    if (!(error instanceof CassetteError)) throw error;
    throw new CliError("request-unreadable", `the request cannot be read: ${error.summary}`, FORM, nameOf(path));
  }
}

/** Our form has no `model` next to `messages`. A vendor's body without its own marks is on the wire that most hosts speak. */
export function chooseForm(body: JsonObject, wire: string | undefined): "own" | WireName {
  if (wire !== undefined) {
    if (isWireName(wire)) return wire;
    throw usageError(`${JSON.stringify(wire)} is not a wire`, `Use one of ${WIRE_NAMES.join(", ")}.`);
  }
  const marked = WIRE_NAMES.find((name) => VENDORS[name].recognises(body));
  return marked ?? (typeof body["model"] === "string" ? DEFAULT_VENDOR : "own");
}

/** Throws `request-unreadable` beyond `maxBytes`. */
export async function readStdin({ stdin }: CliIo, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stdin?.() ?? []) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new CliError("request-unreadable", `stdin has more than ${maxBytes} bytes`, "Give one request.");
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
