// A vendor is a folder and two rows: a copy of the compiled package gets the folder of a toy vendor and a row in each table, and then
// everything that speaks to vendors speaks to this one, too.

import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { setupServer } from "msw/node";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LlmStreamEvent } from "../../../src/core/model/provider.js";
import { assertBuilt, compiledModule, repositoryRoot } from "../../support/built.js";

// Inside of the repository, so that packages are found.
const copy = join(repositoryRoot, ".playhead", `toy-${process.pid}`);

let core: typeof import("../../../src/core/index.js");
let cassette: typeof import("../../../src/cassette/index.js");
let harness: typeof import("../../../src/harness/index.js");
let msw: typeof import("../../../src/entry/msw.js");
let upstream: Awaited<ReturnType<typeof startToy>>;

beforeAll(async () => {
  assertBuilt();
  cpSync(compiledModule(""), copy, { recursive: true, filter: (path) => !path.endsWith(".d.ts") });
  addFolder();
  addRows();
  const load = async (path: string): Promise<unknown> => import(pathToFileURL(join(copy, path)).href);
  core = (await load("core/index.js")) as typeof core;
  cassette = (await load("cassette/index.js")) as typeof cassette;
  harness = (await load("harness/index.js")) as typeof harness;
  msw = (await load("entry/msw.js")) as typeof msw;
  upstream = await startToy();
});
afterAll(async () => {
  await upstream.close();
  rmSync(copy, { recursive: true, force: true });
});

function addFolder(): void {
  const source = readFileSync(join(repositoryRoot, "test/core/vendors/toy/vendor.ts"), "utf8");
  const { outputText } = ts.transpileModule(source.replaceAll("../../../../src/core/", "../../"), {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  });
  mkdirSync(join(copy, "core/vendors/toy"));
  writeFileSync(join(copy, "core/vendors/toy/vendor.js"), outputText);
}

function addRows(): void {
  addRow("table.js", /^(const TABLE = \{)$/m, "$1\n  toy: { traits: toy, load: async () => toy },");
  addRow("vendors.js", /^(export const VENDORS = \{.*?),? \};$/m, "$1, toy };");
}

function addRow(name: string, place: RegExp, row: string): void {
  const file = join(copy, "core/vendors", name);
  const before = readFileSync(file, "utf8");
  const after = before.replace(place, row);
  expect(after).not.toBe(before);
  writeFileSync(file, `import { toy } from "./toy/vendor.js";\n${after}`);
}

interface Asked {
  readonly url: string | undefined;
  readonly key: string | string[] | undefined;
  readonly body: unknown;
}

/** Answers in the words of the toy, written out by hand. */
async function startToy() {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void readText(request).then((text) => {
      asked.push({ url: request.url, key: request.headers["x-toy-key"], body: JSON.parse(text) as unknown });
      const isStream = request.url?.includes(":stream") === true;
      response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
      response.end(isStream ? STREAMED : WHOLE);
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked, close: () => new Promise((closed) => server.close(closed)) };
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request) text += String(part);
  return text;
}

const WHOLE = '{"text":"a toy","calls":[],"model":"toy-1-0"}';
const STREAMED = 'data: {"text":"a "}\n\ndata: {"text":"toy"}\n\ndata: {"done":true,"model":"toy-1-0"}\n\n';
const ANSWER = { finalAnswer: "a toy", model: "toy-1-0" };
const BODY = { turns: [{ who: "user", text: "q" }] };
const hello = { messages: [{ role: "user" as const, content: "q" }] };

function toyProvider(baseURL: string) {
  const vendor = core.WIRE_NAMES.map((name) => core.VENDORS[name]).find(({ name }) => name === "toy");
  if (vendor === undefined) throw new Error("the row is missing");
  return core.vendorProvider(vendor, { model: "toy-1", apiKey: "toy-key", baseURL, ports: { warn: () => undefined } });
}

async function eventsOf(events: AsyncIterable<LlmStreamEvent> | undefined): Promise<LlmStreamEvent[]> {
  const all: LlmStreamEvent[] = [];
  for await (const event of events ?? []) all.push(event);
  return all;
}

describe("a vendor that is one folder and two rows", () => {
  it("has a provider, whole and streamed", async () => {
    const provider = toyProvider(`${upstream.url}/v7`);
    upstream.asked.length = 0;
    expect(await provider.turn(hello)).toMatchObject(ANSWER);
    const other = { ...hello, settings: { model: "toy 2" } };
    expect(await eventsOf(provider.stream?.(other))).toEqual([
      { type: "text-delta", text: "a " },
      { type: "text-delta", text: "toy" },
      { type: "response", response: expect.objectContaining(ANSWER) as unknown },
    ]);
    expect(upstream.asked).toEqual([
      { url: "/v7/models/toy-1:say", key: "toy-key", body: BODY },
      { url: "/v7/models/toy%202:stream?alt=sse", key: "toy-key", body: BODY },
    ]);
    expect(() => toyProvider("http://toy.example")).toThrow("is not https");
  });

  it("is recorded by the proxy and served, to clients that find both by its variable", async () => {
    const file = join(copy, "run.cassette.json");
    const recorded = await run("record", "--proxy", "--target", `${upstream.url}/v7`, "--out", file, "--", ...CLIENT);
    expect(recorded).toEqual({ code: 0, out: expect.stringContaining(`text/event-stream ${STREAMED}`) as unknown });
    const tape = JSON.parse(readFileSync(file, "utf8")) as { entries: unknown[]; recordedProvider: string };
    expect(tape.recordedProvider).toBe("toy:toy-1");
    expect(tape.entries).toMatchObject([{ response: { finalAnswer: "a toy" } }]);
    const served = await run("serve", file, "--", ...CLIENT);
    expect(served).toEqual({
      code: 0,
      out: expect.stringContaining(
        `text/event-stream; charset=utf-8 ${STREAMED.replace('{"done"', '{"calls":[]}\n\ndata: {"done"')}`,
      ) as unknown,
    });
  });

  it("is recorded and replayed by MSW handlers", async () => {
    const server = setupServer();
    server.listen({ onUnhandledRequest: "error" });
    const ask = async () => {
      const url = `${upstream.url}/v7/models/toy-1:say`;
      return (await fetch(url, { method: "POST", body: JSON.stringify(BODY) })).json() as Promise<unknown>;
    };
    try {
      const baseUrls: object = { toy: upstream.url };
      const recording = msw.recordingHandlers({ baseUrls });
      server.use(...recording);
      expect(await ask()).toEqual(JSON.parse(WHOLE));
      const recorded = await recording.toCassette();
      upstream.asked.length = 0;
      const replaying = msw.cassetteHandlers(recorded, { baseUrls });
      server.resetHandlers(...replaying);
      expect(await ask()).toEqual(JSON.parse(WHOLE));
      await replaying.done();
      expect(upstream.asked).toEqual([]);
    } finally {
      server.close();
    }
  });

  it("is imported from recorded HTTP", async () => {
    const entries = [":say", ":stream?alt=sse"].map((verb, index) => ({
      request: {
        method: "POST",
        url: `https://toy.example/v7/models/toy-1${verb}`,
        postData: { text: JSON.stringify({ turns: [{ who: "user", text: `q${index}` }] }) },
      },
      response: { status: 200, headers: [], content: { text: index === 0 ? WHOLE : STREAMED } },
    }));
    const options = { source: "toy.har", recordedAt: "2026-11-20T12:00:00.000Z" };
    const runs = [];
    for await (const run of cassette.parseImport(JSON.stringify({ log: { entries } }), options)) runs.push(run);
    expect(runs.map(({ cassette: { entries: turns } }) => turns.map(({ response }) => response))).toMatchObject([
      [ANSWER],
      [ANSWER],
    ]);
  });

  it("fails as its servers do, and as every transport does", async () => {
    const provider = { ...toyProvider(upstream.url) };
    const wire = "toy" as never;
    const faults = harness.everyFault(wire);
    expect(faults.filter(({ kind }) => kind === "http")).toEqual([
      { kind: "http", error: "overloaded", wire },
      { kind: "http", error: "bad-gateway", wire },
    ]);
    const failureOf = async (fault: (typeof faults)[number]) => {
      const faulty = harness.faultyProvider(provider, { schedule: [{ call: 0, fault }] });
      const error: unknown = await eventsOf(faulty.stream?.(hello)).catch((thrown: unknown) => thrown);
      return error;
    };
    expect(await failureOf({ kind: "http", error: "overloaded" })).toMatchObject({ status: 529, kind: "overloaded" });
    expect(await failureOf({ kind: "torn", how: "error" })).toMatchObject({ kind: "overloaded" });
    expect(await failureOf({ kind: "torn", how: "closed" })).toMatchObject({ kind: "unavailable" });
    expect(await failureOf({ kind: "empty-answer" })).toMatchObject([{ response: { finalAnswer: "" } }]);
  });

  it("is known to `cassette why` by the marks of its bodies", async () => {
    const { chooseForm } = (await import(
      pathToFileURL(join(copy, "cli/why/why.js")).href
    )) as typeof import("../../../src/cli/why/why.js");
    expect(chooseForm(BODY, undefined)).toBe("toy");
  });
});

const CLIENT = [
  process.execPath,
  "--input-type=module",
  "--eval",
  `const response = await fetch(process.env.TOY_URL + "/models/toy-1:stream?alt=sse",
    { method: "POST", body: ${JSON.stringify(JSON.stringify(BODY))} });
  process.stdout.write(response.headers.get("content-type") + " " + (await response.text()));`,
];

function run(...args: string[]): Promise<{ code: number | null; out: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(copy, "cli/bin.js"), ...args], { cwd: copy });
    let out = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (out += text.toString()));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out }));
  });
}
