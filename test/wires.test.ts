// Every exchange of the recorded traffic, sent through the recording proxy and through the server: decoded, a typed error, or kept as an
// exchange. docs/wires.md holds the counts. `PLAYHEAD_UPDATE_DOCS=1 npx vitest run test/wires.test.ts` writes them.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parseBoundedJson } from "../src/core/canon/bounded-json.js";
import { canonicalize } from "../src/core/canon/json.js";
import { AgentError, LlmProviderHttpError } from "../src/core/errors.js";
import type { LlmTurnResponse } from "../src/core/model/provider.js";
import { findResponseFlaw } from "../src/core/model/response.js";
import type { Vendor } from "../src/core/vendors/vendor.js";
import type { JsonObject } from "../src/core/canon/value.js";
import { throughWire } from "../src/core/vendors/through-wire.js";
import { VENDORS, vendorProvider, wireOf } from "../src/core/vendors/vendors.js";
import { repositoryRoot } from "./support/built.js";
import { isStreamed, readBytes, readSources, requestOf, type HttpLine } from "./support/http-lines.js";
import { countLoose, countPassed, toFileTable, toReasonTable, type Counted } from "./support/http-outcomes.js";
import { endpointOfLoose, looseBytes, readLooseBodies, wireOfLoose } from "./support/loose-bodies.js";
import { createPassing, createReplay, openRecordedVendor, type Passed } from "./support/recorded-doors.js";
import { hasShared, sharedPath } from "./support/shared.js";
import { apiKey, bodyBytes, hello } from "./support/wire.js";

const files = hasShared
  ? readdirSync(sharedPath("data/http"))
      .map((name) => name.replace(/\.jsonl\.gz$/, ""))
      .sort()
  : [];
const isLoose = (file: string) => file.startsWith("response-only");
const names = files.filter((file) => !isLoose(file));

/** Streams up to this size are cut at every byte. */
const SHORT = 1_200;
/** Longer ones are cut at this many places, and at every one of their last bytes. */
const PLACES = 12;
const LAST = 20;

const stamp = { id: "1", createdAt: 0, model: "m", wantsUsage: true };

function vendorOf(line: HttpLine): Vendor | undefined {
  return wireOf(requestOf(line));
}

function read(wire: Vendor, bytes: Uint8Array, isStream = isStreamed(bytes), isCut = false): LlmTurnResponse {
  return wire.read({ bytes, isStream, isCut });
}

/** Without counts and the model, which a wire may fill in, and the details of the counts, which end a stream. */
function said({ usage: _usage, costUsd: _cost, model: _model, ...rest }: LlmTurnResponse): LlmTurnResponse {
  const fields = Object.entries(rest).map(([name, value]): [string, unknown] => {
    if (!(name in VENDORS)) return [name, value];
    const { usage: _details, ...own } = value as unknown as JsonObject;
    return [name, Object.keys(own).length === 0 ? undefined : own];
  });
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as unknown as LlmTurnResponse;
}

/** What an answer loses on its own wire (test/core/wire/losses.test.ts). */
function written(wire: Vendor, answer: LlmTurnResponse): LlmTurnResponse {
  const { stopReason } = answer;
  const isKept = wire.name !== "ollama" || ["stop", "toolUse", "length"].includes(stopReason);
  return { ...said(answer), stopReason: isKept ? stopReason : "stop" };
}

/** Reading a turn, and sending it over its wire again, changes nothing. */
function expectRoundTrip(wire: Vendor, line: HttpLine, answer: LlmTurnResponse): void {
  const { path, search, bytes } = requestOf(line);
  const { request } = wire.parse(JSON.parse(new TextDecoder().decode(bytes)), `${path}${search}`);
  expect(request.settings.model, line.id).not.toBe("");
  const again = throughWire(request, wire, request);
  expect(throughWire(again ?? request, wire, request), line.id).toEqual(again);
  expectWritten(wire, answer, line.id);
}

function expectWritten(wire: Vendor, answer: LlmTurnResponse, id: string): void {
  expect(findResponseFlaw(answer), id).toBeUndefined();
  const whole = read(wire, Buffer.from(JSON.stringify(wire.write(answer, stamp))), false);
  expect(said(whole), id).toEqual(written(wire, answer));
  expect(said(read(wire, bodyBytes(wire.stream(answer, stamp)), true)), id).toEqual(said(whole));
}

/** The error of the vendor's provider for an answer. */
async function providerError(wire: Vendor, bytes: Buffer, status: number): Promise<unknown> {
  const fetch = () => Promise.resolve(new Response(new Uint8Array(bytes), { status }));
  const options = { apiKey, model: "m", fetch, streaming: status === 200 && isStreamed(bytes), ports: { warn() {} } };
  return vendorProvider(wire, options)
    .turn(hello)
    .catch((error: unknown) => error);
}

/** The bytes, or the value of a body that is JSON: numbers may be spelled in another way. */
function meaning(body: Uint8Array): unknown {
  try {
    return canonicalize(parseBoundedJson(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body)));
  } catch {
    return Buffer.from(body).toString("base64");
  }
}

/** Recorded once for all tests of this file. */
const recorded = new Map<string, Promise<Passed[][]>>();
const vendor = hasShared ? openRecordedVendor() : undefined;
afterAll(async () => (await vendor)?.close());

function record(file: string): Promise<Passed[][]> {
  const known = recorded.get(file) ?? recordSources(file);
  recorded.set(file, known);
  return known;
}

async function recordSources(file: string): Promise<Passed[][]> {
  const sources: Passed[][] = [];
  for (const lines of readSources(`${file}.jsonl.gz`)) {
    const pass = createPassing(await vendor!);
    const own: Passed[] = [];
    for (const line of lines) own.push(await pass(line));
    sources.push(own);
  }
  return sources;
}

async function expectOutcome({ line, outcome, cassette }: Passed): Promise<void> {
  const wire = vendorOf(line);
  const { status } = line.response;
  const bytes = readBytes(line);
  if (outcome === "turn") {
    const answer = read(wire!, bytes);
    expect(cassette?.entries[0]?.response, line.id).toEqual(answer);
    if (wire!.findHeldState(JSON.parse(line.request.body ?? "")) === undefined) expectRoundTrip(wire!, line, answer);
    else expectWritten(wire!, answer, line.id);
  }
  if (outcome !== "failed" && outcome !== "lost") return;
  const error = await providerError(wire!, bytes, status);
  if (outcome === "failed") expect(error, line.id).toBeInstanceOf(LlmProviderHttpError);
  expect(error, line.id).toMatchObject({ code: outcome === "failed" ? "provider-http" : "provider-response" });
  const kept = await createPassing(await vendor!, true)(line);
  expect([kept.outcome, kept.cassette?.extensions?.exchanges?.[0]?.status], line.id).toEqual(["exchange", status]);
}

/** Everything that was recorded answers its request, and nothing is left over. */
async function expectReplayed(passed: readonly Passed[]): Promise<void> {
  const replay = createReplay(passed);
  for (const { line, outcome } of passed) {
    if (outcome === "failed" || outcome === "lost") continue;
    const { status, bytes, why } = await replay.ask(line);
    expect([status, why], line.id).toEqual([outcome === "exchange" ? line.response.status : 200, ""]);
    const before = readBytes(line);
    if (outcome === "exchange") expect(meaning(bytes), line.id).toEqual(meaning(before));
    if (outcome !== "turn") continue;
    const wire = vendorOf(line)!;
    expect(said(read(wire, bytes)), line.id).toEqual(written(wire, read(wire, before)));
  }
  expect(replay.unused(), passed[0]?.line.source).toBe(0);
}

/** The answer, or the code of a typed error. Throws anything else. */
function cutOutcome(wire: Vendor, bytes: Uint8Array, isStream: boolean, isCut: boolean): LlmTurnResponse | string {
  try {
    return said(read(wire, bytes, isStream, isCut));
  } catch (error) {
    if (error instanceof AgentError) return error.code;
    throw error;
  }
}

/** The places at which a stream of `length` bytes is cut. */
function placesOf(length: number): number[] {
  const every = (from: number, step: number) =>
    Array.from({ length: Math.max(0, Math.ceil((length - from) / step)) }, (_, place) => from + place * step);
  if (length <= SHORT) return every(1, 1);
  return [...new Set([...every(1, Math.ceil(length / PLACES)), ...every(length - LAST, 1)])];
}

function expectSameAtCuts(wire: Vendor, bytes: Buffer, id: string): number {
  const isStream = isStreamed(bytes);
  const whole = cutOutcome(wire, bytes, isStream, false);
  const places = placesOf(bytes.length);
  for (const end of places) {
    for (const isCut of [true, false]) {
      const outcome = cutOutcome(wire, bytes.subarray(0, end), isStream, isCut);
      // Comparing with `expect` takes most of the time.
      if (outcome === "provider-response" || JSON.stringify(outcome) === JSON.stringify(whole)) continue;
      expect(outcome, `${id} at ${end}`).toEqual(whole);
    }
  }
  return places.length;
}

describe.skipIf(!hasShared)("recorded traffic", { timeout: 300_000 }, () => {
  it.each(names)("of %s is decoded, a typed error or kept as an exchange", async (file) => {
    for (const passed of (await record(file)).flat()) await expectOutcome(passed);
  });

  it.each(names)("of %s is answered by the server from what the proxy recorded", async (file) => {
    for (const passed of await record(file)) await expectReplayed(passed);
  });

  it.each(names)("of %s gives the same answer or one typed error, wherever a stream is cut", async (file) => {
    for (const { line, outcome } of (await record(file)).flat()) {
      const bytes = readBytes(line);
      const isList = bytes[0] === "[".charCodeAt(0);
      if (outcome === "turn" && (isStreamed(bytes) || isList)) expectSameAtCuts(vendorOf(line)!, bytes, line.id);
    }
  });

  it("without requests is decoded, a typed error, or of another endpoint", () => {
    for (const loose of files.filter(isLoose).flatMap((file) => readLooseBodies(file))) {
      if (endpointOfLoose(loose) !== undefined) continue;
      const wire: Vendor = VENDORS[wireOfLoose(loose)];
      const bytes = looseBytes(loose);
      if (typeof cutOutcome(wire, bytes, isStreamed(bytes), false) === "string") continue;
      expectWritten(wire, read(wire, bytes), loose.source);
      if (isStreamed(bytes)) expectSameAtCuts(wire, bytes, loose.source);
    }
  });

  it("is counted in docs/wires.md, and nothing of it is unexplained", async () => {
    const counted: Counted[] = [];
    for (const file of files) {
      if (isLoose(file)) counted.push(...readLooseBodies(file).map((loose) => countLoose(file, loose)));
      else counted.push(...(await record(file)).flat().map((passed) => countPassed(file, passed)));
    }
    expect(counted.filter(({ kind }) => kind === "unexplained")).toEqual([]);
    const page = join(repositoryRoot, "docs/wires.md");
    const tables = [
      toFileTable(counted),
      "### Typed errors",
      toReasonTable(counted, ["error"], "error"),
      "### Kept as exchanges",
      toReasonTable(counted, ["exchange", "begun"], "what"),
    ].join("\n\n");
    const before = readFileSync(page, "utf8");
    if (process.env["PLAYHEAD_UPDATE_DOCS"] === "1")
      writeFileSync(
        page,
        before.replace(TABLES, () => tables),
      );
    expect(TABLES.exec(readFileSync(page, "utf8"))?.[0]).toBe(tables);
  });
});

const TABLES = /(?<=<!-- made by test\/wires\.test\.ts -->\n\n)[^]*?(?=\n\n<!-- end -->)/;
