// Every recorded exchange of every wire: decoded, a typed error, or not a turn. The counts stand in docs/internal/wires.md, which
// `UPDATE_WIRES=1 npx vitest run test/core/vendors/recorded.test.ts` writes.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseBoundedJson } from "../../../src/core/canon/bounded-json.js";
import { AgentError } from "../../../src/core/errors.js";
import type { LlmTurnResponse } from "../../../src/core/model/provider.js";
import { findResponseFlaw } from "../../../src/core/model/response.js";
import type { Vendor } from "../../../src/core/vendors/vendor.js";
import { throughWire, wireOf } from "../../../src/core/vendors/vendors.js";
import { repositoryRoot } from "../../support/built.js";
import { hasShared, readSharedLines } from "../../support/shared.js";

/** Files of the wires that are read. Later wires: bedrock-converse, cohere, mistral, embeddings, gemini-interactions. */
const FILES = [
  ...["openai", "azure-openai", "openai-compatible", "ollama-openai-compat", "cross-model-req_llm", "xai"],
  ...["openai-responses", "azure-responses", "codex-responses", "responses-compatible"],
  ...["anthropic", "gemini", "vertex-gemini", "ollama"],
];

interface Exchange {
  id: string;
  request: { method?: string; url: string; body?: string };
  response: { status: number; body?: string };
}

/** What a turn cannot hold, or its vendor refuses, by the words of our error. Anything else is unexplained. */
const KNOWN: readonly (readonly [RegExp, string])[] = [
  [/has a (?:part|block) of type/, "request with a part that a turn cannot hold"],
  [/tools has one of type|toolConfig/, "request with a tool that the vendor runs"],
  [/asks for \d answers/, "request for several answers"],
  [/continues (?:a conversation|content)/, "request that continues state on the vendor's server"],
  [
    /has the role "invalid_role"|must be a (?:number|text|list)|must be an object|must be a text or a list|has a part that is not text/,
    "malformed request",
  ],
  [/answered with an error/, "error in an answer of status 200"],
  [/is not finished/, "answer in the background"],
  [/which cannot be read without a loss/, "call with a number that JSON.parse changes"],
];

const stamp = { id: "1", createdAt: 0, model: "m", wantsUsage: true };
const encoder = new TextEncoder();

/** The text before the query, since some recorders put a word in the place of the host. */
function pathOf(url: string): string {
  return url.replace(/^[a-z]+:\/\/[^/]*/i, "");
}

function isStream(text: string): boolean {
  if (/^\s*(?:event|data|id|retry)?:/.test(text)) return true;
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}

function read(wire: Vendor, text: string, isCut = false, streamed = isStream(text)): LlmTurnResponse {
  return wire.read({ bytes: encoder.encode(text), isStream: streamed, isCut });
}

/** Without counts and the model, which a wire may fill in. */
function said({ usage: _usage, costUsd: _cost, model: _model, ...rest }: LlmTurnResponse): object {
  return rest;
}

interface Outcome {
  what: string;
  streamed: boolean;
}

function outcomeOf({ id, request, response }: Exchange): Outcome {
  const path = pathOf(request.url);
  const text = response.body ?? "";
  const streamed = isStream(text);
  const wire = wireOf({ method: request.method ?? "POST", path: path.replace(/[?#].*/, "") });
  if (wire === undefined) return { what: "not a turn", streamed: false };
  try {
    if ((request.body ?? "") !== "") readRequest(wire, request.body ?? "", path, id);
    if (response.status >= 400) return { what: `error ${response.status}`, streamed: false };
    const answer = read(wire, text);
    expect(findResponseFlaw(answer), id).toBeUndefined();
    const whole = read(wire, JSON.stringify(wire.write(answer, stamp)));
    expect(said(whole), id).toEqual(written(wire, answer));
    expect(said(read(wire, wire.stream(answer, stamp).join(""), false, true)), id).toEqual(said(whole));
    return { what: (answer.message.toolCalls ?? []).length > 0 ? "answer with calls" : "answer", streamed };
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    const known = KNOWN.find(([pattern]) => pattern.test(error.message));
    return { what: known?.[1] ?? `unexplained: ${id}: ${error.message}`, streamed };
  }
}

/** What an answer loses on its own wire (test/core/wire/losses.test.ts). */
function written(wire: Vendor, answer: LlmTurnResponse): object {
  const { stopReason, message, ...rest } = said(answer) as LlmTurnResponse;
  const reasons = { ollama: ["stop", "toolUse", "length"], anthropic: undefined }[wire.name as "ollama"];
  return { ...rest, message, stopReason: reasons === undefined || reasons.includes(stopReason) ? stopReason : "stop" };
}

/** Reading a request, and sending it over its wire again, changes nothing. */
function readRequest(wire: Vendor, body: string, path: string, id: string): void {
  let json: unknown;
  try {
    json = parseBoundedJson(body);
  } catch {
    throw new AgentError("invalid-options", "the request must be a text of JSON");
  }
  const { request } = wire.parse(json, path);
  const again = throughWire(request, wire, request);
  expect(throughWire(again ?? request, wire, request), id).toEqual(again);
}

const ORDER = ["answer", "answer with calls", "error", "request", "malformed", "call", "not a turn"];

function toTable(found: readonly { file: string; outcomes: readonly Outcome[] }[]): string {
  const place = (what: string) => ORDER.findLastIndex((begin) => what.startsWith(begin));
  const rows = found.flatMap(({ file, outcomes }) =>
    [...new Set(outcomes.map(({ what }) => what))]
      .sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1))
      .map((what) => {
        const same = outcomes.filter((outcome) => outcome.what === what);
        const streamed = same.filter((outcome) => outcome.streamed).length;
        return `| ${file} | ${what} | ${same.length - streamed} | ${streamed} |`;
      }),
  );
  const all = found.flatMap(({ outcomes }) => outcomes);
  const unexplained = all.filter(({ what }) => what.startsWith("unexplained")).length;
  return [
    "| file | outcome | whole | streamed |",
    "| --- | --- | ---: | ---: |",
    ...rows,
    "",
    `${all.length} exchanges, ${unexplained} unexplained.`,
  ].join("\n");
}

describe.skipIf(!hasShared)("the recorded exchanges", () => {
  const page = join(repositoryRoot, "docs/internal/wires.md");
  const TABLE = /(?<=<!-- wires -->\n)[^]*(?=<!-- \/wires -->)/;
  const all = hasShared
    ? FILES.map((file) => ({ file, exchanges: readSharedLines<Exchange>(`data/http/${file}.jsonl.gz`) }))
    : [];

  it("are each decoded, a typed error, or not a turn, as the page counts them", () => {
    const found = all.map(({ file, exchanges }) => ({ file, outcomes: exchanges.map(outcomeOf) }));
    const unexplained = found.flatMap(({ outcomes }) => outcomes.filter(({ what }) => what.startsWith("unexplained")));
    expect(unexplained.map(({ what }) => what.slice(0, 400))).toEqual([]);
    const table = toTable(found);
    const before = readFileSync(page, "utf8");
    if (process.env["UPDATE_WIRES"] === "1")
      writeFileSync(
        page,
        before.replace(TABLE, () => `\n${table}\n\n`),
      );
    expect(TABLE.exec(readFileSync(page, "utf8"))?.[0].trim()).toBe(table);
  });

  it("give the same answer or one typed error, wherever a stream is cut", () => {
    let cuts = 0;
    for (const { exchanges } of all) {
      for (const { id, request, response } of exchanges) {
        const path = pathOf(request.url).replace(/[?#].*/, "");
        const wire = wireOf({ method: request.method ?? "POST", path });
        const text = response.body ?? "";
        const isList = /^\s*\[/.test(text);
        if (wire === undefined || response.status !== 200 || !(isStream(text) || isList)) continue;
        const whole = cutOutcome(wire, text, false);
        if (typeof whole === "string") continue;
        const step = text.length < 1_200 ? 1 : Math.ceil(text.length / 6);
        for (let end = 1; end < text.length; end += step) {
          cuts++;
          const cut = cutOutcome(wire, text.slice(0, end), true);
          // Anything after the last event of a stream says nothing more.
          if (typeof cut !== "string") expect(cut, `${id} at ${end}`).toEqual(whole);
          const closed = cutOutcome(wire, text.slice(0, end), false);
          if (typeof closed === "string") expect(closed, `${id} at ${end}`).toBe("provider-response");
        }
      }
    }
    expect(cuts).toBeGreaterThan(5_000);
  });
});

/** The answer, or the code of a typed error. Throws anything else. */
function cutOutcome(wire: Vendor, text: string, isCut: boolean): object | string {
  try {
    return said(read(wire, text, isCut, !/^\s*\[/.test(text)));
  } catch (error) {
    if (error instanceof AgentError) return error.code;
    throw error;
  }
}
