// `cassette why`: a request from a file or stdin, in our form or a vendor's, put to one cassette.

import {
  CassetteError,
  createCassetteStore,
  formatMiss,
  parseStrictJson,
  whyRequest,
  whyWireRequest,
  type WhyVerdict,
} from "../../cassette/index.js";
import {
  DEFAULT_VENDOR,
  isPlainObject,
  isWireName,
  VENDORS,
  WIRE_NAMES,
  type JsonObject,
  type LlmTurnRequest,
  type WireName,
} from "../../core/index.js";
import { CliError } from "../errors.js";
import { EXIT } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { createPrinter, writeJson } from "../terminal/output.js";
import { readStdin } from "./stdin.js";

/** The flags of `cassette why`, as commander gives them. */
export interface WhyOptions {
  request: string;
  wire?: string;
  json?: boolean;
}

const MAX_REQUEST_BYTES = 64 * 1024 * 1024;
const FORM = "Give { messages, tools?, settings? }, or the body of a request to a vendor.";

/** Prints the report and exits 0 for a match, 1 for a miss. */
export async function why(file: string, { request: path, wire, json }: WhyOptions, io: CommandIo): Promise<void> {
  const body = await readRequest(path, io);
  const form = chooseForm(body, wire);
  const cassette = await createCassetteStore(filesAt(io)).load(file, { ports: { warn: () => undefined } });
  const verdict =
    form === "own"
      ? await whyOwn(cassette, body, path, file)
      : await whyWireRequest(cassette, VENDORS[form], VENDORS[form].parse(body).request, file);
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

/** The library's hint is for who calls a provider, and here there is a file. */
async function whyOwn(cassette: unknown, body: JsonObject, path: string, file: string): Promise<WhyVerdict> {
  try {
    return await whyRequest(cassette, body as unknown as LlmTurnRequest, file);
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
  const bytes = path === "-" ? await readStdin(io, MAX_REQUEST_BYTES) : await readFile(path, io);
  const value = parseRequest(bytes, path);
  if (isPlainObject(value)) return value as JsonObject;
  throw new CliError("usage", "the request is no JSON object", FORM, nameOf(path));
}

/** What is wrong with a request says nothing of the cassette, so it is no integrity failure. */
function parseRequest(bytes: Uint8Array, path: string): unknown {
  try {
    return parseStrictJson(bytes, { file: path });
  } catch (error) {
    if (!(error instanceof CassetteError)) throw error;
    throw new CliError("request-unreadable", `the request cannot be read: ${error.summary}`, FORM, nameOf(path));
  }
}

async function readFile(path: string, io: CommandIo): Promise<Uint8Array> {
  const result = await filesAt(io).read(path, MAX_REQUEST_BYTES);
  switch (result.kind) {
    case "read":
      return result.bytes;
    case "not-found":
      throw new CliError("request-unreadable", `there is no request at ${path}`, "Check the path.", path);
    case "too-large":
      throw new CliError("request-unreadable", `${path} has ${result.size} bytes`, "Give one request.", path);
    case "failed":
      throw new CliError("request-unreadable", `${path} cannot be read: ${result.message}`, "Check the path.", path);
  }
}

/** Ours has no `model` beside `messages`. A vendor's body without marks of its own is on the wire that most hosts speak. */
function chooseForm(body: JsonObject, wire: string | undefined): "own" | WireName {
  if (wire !== undefined) {
    if (isWireName(wire)) return wire;
    throw new CliError("usage", `${JSON.stringify(wire)} is no wire`, `Use one of ${WIRE_NAMES.join(", ")}.`);
  }
  if (typeof body["model"] !== "string") return "own";
  return WIRE_NAMES.find((name) => VENDORS[name].recognises(body)) ?? DEFAULT_VENDOR;
}
