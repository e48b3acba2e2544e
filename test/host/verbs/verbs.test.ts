// Each verb on a small site and a small folder.

import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createInMemoryRuntimeMemory } from "../../../src/core/memory/memory.js";
import { openRunScope } from "../../../src/core/memory/run-memory.js";
import type { JsonObject } from "../../../src/core/canon/value.js";
import { VERB_NAMES, type VerbBodies } from "../../../src/core/tools/verbs.js";
import { createVerbs } from "../../../src/host/verbs/verbs.js";
import { refusal, rejection } from "../../support/refusal.js";
import { pages, startSite, useVerb, type Answer, type Site } from "../../support/site.js";

const send =
  (headers: Record<string, string>, body: string | Uint8Array, status = 200): Answer =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body);

/** Tells what it was sent. */
const mirror: Answer = (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => void chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks).toString("latin1");
    const told = { method: request.method, type: request.headers["content-type"], body };
    response.writeHead(201, { "content-type": "application/json", location: "/made/1" }).end(JSON.stringify(told));
  });
};

const options: Answer = (request, response) => {
  const headers = { allow: "GET, options,", "access-control-allow-origin": "*" };
  response.writeHead(request.method === "OPTIONS" ? 204 : 200, headers).end();
};

const page = `<!doctype html><title>Birds &amp; more</title><h1>Birds</h1><p>Of all kinds.
<a href="/sparrows">Sparrows of the city</a> <a href="/herons?kind=grey">Herons</a> <a href="https://other.test/sparrows">Away</a></p>`;

const table: Readonly<Record<string, string | Answer>> = {
  "/": page,
  "/from": send({ location: "/" }, "", 301),
  "/zipped": send({ "content-type": "text/html", "content-encoding": "gzip" }, gzipSync(page)),
  "/json": send({ "content-type": "application/json; charset=utf-8", etag: '"v1"' }, '{"a":[1,"ü"]}'),
  "/bad-json": send({ "content-type": "application/json" }, '{"a":'),
  "/deep-json": send({ "content-type": "application/json" }, "[".repeat(200)),
  "/png": send({ "content-type": "image/png" }, Buffer.from("\x89PNG\r\n\x1a\n", "latin1")),
  "/sly-pdf": send({ "content-type": "text/plain" }, "%PDF-1.7 x"),
  "/bytes": send({ "content-type": "application/octet-stream" }, Buffer.from([1, 0, 2])),
  "/latin": send({ "content-type": "text/plain; charset=ISO-8859-1" }, Buffer.from("f\xfcr", "latin1")),
  "/meta": send({ "content-type": "text/html" }, Buffer.from("<meta charset=iso-8859-2><p>\xb1", "latin1")),
  "/marked": send({ "content-type": "text/plain; charset=latin1" }, Buffer.from("\ufeffü", "utf8")),
  "/wide": send({ "content-type": "text/plain" }, Buffer.from("\ufeffwide", "utf16le")),
  "/guess": send({ "content-type": "text/plain" }, Buffer.from("\x93f\xfcr\x94", "latin1")),
  "/long": send({ "content-type": "text/plain" }, "0123456789".repeat(3_000)),
  "/text": send(
    { "content-type": "text/plain", "last-modified": "Wed, 21 Oct 2015 07:28:00 GMT" },
    "see https://a.test/x, and (http://b.test/y).",
  ),
  "/mirror": mirror,
  "/moved": send({ location: "/mirror" }, "", 307),
  "/options": options,
  "/robots.txt": send({ "content-type": "text/plain" }, "User-agent: *\nDisallow: /private"),
};

let site: Site;
let folder = "";
let verbs: VerbBodies;
beforeAll(async () => {
  site = await startSite(pages(table));
  folder = await mkdtemp(join(tmpdir(), "playhead-verbs-"));
  await mkdir(join(folder, "docs", "deep"), { recursive: true });
  await writeFile(join(folder, "docs", "herons.md"), "# Herons\n\nThe grey heron stands still.\n");
  await writeFile(join(folder, "docs", "deep", "notes.txt"), "one\na sparrow and a heron\n");
  await writeFile(join(folder, "page.html"), `<title>A page</title><a href="docs/herons.md">Herons</a>`);
  await writeFile(join(folder, "data.json"), `{"n":1}`);
  await writeFile(join(folder, "picture.dat"), Buffer.from("GIF89a heron", "latin1"));
  verbs = createVerbs({ root: folder, allowPrivateNetwork: ["127.0.0.1"] });
});
afterAll(async () => {
  await site.close();
  await rm(folder, { recursive: true, force: true });
});

const use = (name: keyof VerbBodies, args: object) => useVerb(verbs, name, args);
const fails = (name: keyof VerbBodies, args: object) => rejection(use(name, args));
const at = (path: string) => site.url + path;

describe("createVerbs", () => {
  it("PLK-08 has a body for each of the eight verbs, and another may take the place of one", async () => {
    expect(Object.keys(verbs).sort()).toEqual([...VERB_NAMES].sort());
    const own: VerbBodies = { ...verbs, extract: () => "mine" };
    expect(await useVerb(own, "extract", { uri: "x" })).toBe("mine");
  });

  it("PLK-09 PLK-67 checks the arguments of a tool's own code by the same schemas", async () => {
    expect(await fails("connect", {})).toMatchObject({ name: "ToolArgError", tool: "connect" });
    expect(await fails("extract", { uri: "x", as: "pdf" })).toMatchObject({ name: "ToolArgError", field: "/as" });
    expect(await fails("extract", { uri: "x", limit: 0 })).toMatchObject({ name: "ToolArgError", field: "/limit" });
    expect(await fails("sense", { uri: "x".repeat(9_000), measure: "size" })).toMatchObject({ field: "/uri" });
  });

  it("PLK-66 takes no object for the text of a template or an action", async () => {
    const sly = { toString: () => "delete" };
    expect(await fails("shape", { template: sly })).toMatchObject({ name: "ToolArgError", field: "/template" });
    expect(await fails("act", { uri: at("/mirror"), action: sly })).toMatchObject({ field: "/action" });
  });
});

describe("connect", () => {
  it("PLK-10 says what a page is, where its redirects end", async () => {
    expect(await use("connect", { uri: at("/from") })).toEqual({
      kind: "http",
      uri: at("/"),
      status: 200,
      mediaType: "text/html",
      title: "Birds & more",
    });
    expect(await use("connect", { uri: at("/zipped") })).toMatchObject({ title: "Birds & more" });
  });

  it("says what any other answer is, a failure too", async () => {
    expect(await use("connect", { uri: at("/text") })).toMatchObject({ lastModified: "2015-10-21T07:28:00.000Z" });
    expect(await use("connect", { uri: at("/none") })).toMatchObject({ status: 404 });
  });

  it("PLK-10 says what a file or a folder is", async () => {
    const lastModified = expect.stringMatching(/^\d{4}-.*Z$/) as string;
    expect(await use("connect", { uri: "page.html" })).toEqual({
      kind: "file",
      uri: "page.html",
      mediaType: "text/html",
      title: "A page",
      size: 56,
      lastModified,
    });
    expect(await use("connect", { uri: "." })).toEqual({ kind: "folder", uri: ".", size: 4, lastModified });
  });
});

describe("extract", () => {
  it("PLK-10 gives a page as Markdown, text and links", async () => {
    expect(await use("extract", { uri: at("/") })).toMatchObject({
      as: "markdown",
      charset: "utf-8",
      title: "Birds & more",
      text: expect.stringContaining(`# Birds\n\nOf all kinds. [Sparrows of the city](${at("/sparrows")})`) as string,
    });
    expect(await use("extract", { uri: at("/"), as: "text" })).toMatchObject({
      text: "Birds\n\nOf all kinds. Sparrows of the city Herons Away",
    });
    expect(await use("extract", { uri: at("/"), as: "links", from: 1, limit: 1 })).toMatchObject({
      total: 3,
      next: 2,
      links: [{ uri: at("/herons?kind=grey"), text: "Herons" }],
    });
  });

  it("PLK-10 gives JSON as a value, and refuses anything else", async () => {
    expect(await use("extract", { uri: at("/json") })).toMatchObject({ as: "json", value: { a: [1, "ü"] } });
    expect(await use("extract", { uri: "data.json" })).toMatchObject({ value: { n: 1 } });
    expect(await use("extract", { uri: at("/json"), limit: 5 })).toMatchObject({ text: '{"a":', next: 5 });
    for (const path of ["/bad-json", "/deep-json"]) {
      expect(await fails("extract", { uri: at(path) })).toMatchObject({ code: "content" });
    }
    expect(await fails("extract", { uri: at("/text"), as: "json" })).toMatchObject({
      message: expect.stringContaining("is not JSON") as string,
    });
  });

  it.each([
    ["/png", "a PNG image"],
    ["/sly-pdf", "a PDF document"],
    ["/bytes", "application/octet-stream"],
  ])("PLK-10 refuses %s and says that it is %s", async (path, what) => {
    expect(await fails("extract", { uri: at(path) })).toMatchObject({
      code: "content",
      message: `${at(path)} is ${what}, not text`,
    });
  });

  it.each([
    ["/latin", "für", "windows-1252"],
    ["/meta", "ą", "iso-8859-2"],
    ["/marked", "ü", "utf-8"],
    ["/wide", "wide", "utf-16le"],
    ["/guess", "“für”", "windows-1252"],
  ])("reads %s as %s in %s", async (path, text, charset) => {
    expect(await use("extract", { uri: at(path), as: "text" })).toMatchObject({ text, charset });
  });

  it("gives a long text in parts that join to the whole", async () => {
    let [text, from, parts] = ["", 0, 0];
    for (;;) {
      const part = await use("extract", { uri: at("/long"), from, limit: 7_000 });
      text += part["text"] as string;
      parts += 1;
      expect(part["total"]).toBe(30_000);
      if (part["next"] === undefined) break;
      from = part["next"] as number;
    }
    expect([parts, text]).toEqual([5, "0123456789".repeat(3_000)]);
    expect(await use("extract", { uri: at("/long") })).toMatchObject({ next: 10_000 });
    expect(await use("extract", { uri: at("/long"), from: 99_999 })).toMatchObject({ text: "", from: 30_000 });
  });

  it("finds the links of a text and of a file, which lead below the root", async () => {
    expect(await use("extract", { uri: at("/text"), as: "links" })).toMatchObject({
      links: [{ uri: "https://a.test/x" }, { uri: "http://b.test/y" }],
    });
    const { links } = await use("extract", { uri: "page.html", as: "links" });
    expect(links).toEqual([{ uri: "file:///docs/herons.md", text: "Herons" }]);
    expect(await use("extract", { uri: "file:///docs/herons.md" })).toMatchObject({ uri: "docs/herons.md" });
  });

  it("gives the entries of a folder", async () => {
    expect(await use("extract", { uri: "docs" })).toMatchObject({ text: "deep/\nherons.md" });
    expect(await use("extract", { uri: "docs", as: "links" })).toMatchObject({
      links: [{ uri: "file:///docs/deep", text: "deep/" }, { uri: "file:///docs/herons.md" }],
    });
    expect(await fails("extract", { uri: "docs", as: "json" })).toMatchObject({ code: "content" });
  });

  it("names the status of an answer without success", async () => {
    expect(await fails("extract", { uri: at("/none") })).toMatchObject({
      code: "status",
      message: expect.stringContaining("404") as string,
    });
  });

  it("refuses a file that is larger than the limit", async () => {
    const small = createVerbs({ root: folder, maxBytes: 5 });
    expect(await rejection(useVerb(small, "extract", { uri: "page.html" }))).toMatchObject({ code: "too-large" });
  });
});

describe("shape", () => {
  const fill = (template: string, data?: object) =>
    use("shape", data === undefined ? { template } : { template, data });

  it("PLK-10 fills a template from the data's own keys", async () => {
    const data = { name: "Ann", order: { items: [{ n: 2 }], open: true }, none: null };
    expect(await fill("{{name}}: {{ order.items.0.n }} {{order.open}} {{none}} {{order.items}}}", data)).toBe(
      'Ann: 2 true null [{"n":2}]}',
    );
    expect(await fill("no {braces}")).toBe("no {braces}");
    expect(await fill("{{a}}", { a: "{{b}}", b: "x" })).toBe("{{b}}");
  });

  it.each([
    ["{{nobody}}", "nobody"],
    ["{{name.length}}", "name.length"],
    ["{{list.length}}", "list.length"],
    ["{{toString}}", "toString"],
    ["{{list.1}}", "list.1"],
    ["{{}}", "{{}}"],
    ["{{a..b}}", "a..b"],
    ["{{ a b }}", "a b"],
    ["x {{name", "character 2"],
  ])("refuses %s and names what is wrong", async (template, named) => {
    expect(await rejection(fill(template, { name: "Ann", list: [1].slice(1) }))).toMatchObject({
      code: "argument",
      message: expect.stringContaining(named) as string,
    });
  });

  it("is bounded", async () => {
    const data = { a: "x".repeat(10_000) };
    expect(await rejection(fill("{{a}}".repeat(200), data))).toMatchObject({ code: "too-large" });
  });
});

describe("act", () => {
  it("PLK-10 sends JSON, text, bytes or nothing, and says what was answered", async () => {
    const sent = async (action: string, input?: unknown) => {
      const done = await use("act", { uri: at("/mirror"), action, ...(input === undefined ? {} : { input }) });
      expect(done).toMatchObject({ status: 201, location: "/made/1", mediaType: "application/json" });
      return JSON.parse(done["text"] as string) as JsonObject;
    };
    expect(await sent("POST", { a: [1] })).toEqual({ method: "POST", type: "application/json", body: '{"a":[1]}' });
    expect(await sent("put", "hi")).toEqual({ method: "PUT", type: "text/plain; charset=utf-8", body: "hi" });
    expect(await sent("delete")).toEqual({ method: "DELETE", body: "" });
    expect(await sent("PATCH", null)).toMatchObject({ body: "null" });
  });

  it("PLK-65 sends a Buffer as the bytes it has", async () => {
    const done = await use("act", { uri: at("/mirror"), action: "POST", input: Buffer.from([0xff, 0x41]) });
    expect(JSON.parse(done["text"] as string)).toMatchObject({ type: "application/octet-stream", body: "\xffA" });
    await use("act", { uri: "bytes.bin", action: "write", input: Buffer.from([1, 2]) });
    expect([...(await readFile(join(folder, "bytes.bin")))]).toEqual([1, 2]);
    await rm(join(folder, "bytes.bin"));
  });

  it("PLK-64 sends nothing of a polluted input on", async () => {
    const input = JSON.parse('{"a":[{"__proto__":{"x":1},"constructor":2,"b":3}]}') as JsonObject;
    const done = await use("act", { uri: at("/mirror"), action: "POST", input });
    expect((JSON.parse(done["text"] as string) as JsonObject)["body"]).toBe('{"a":[{"b":3}]}');
  });

  it("follows no redirect", async () => {
    const before = site.asked.length;
    expect(await use("act", { uri: at("/moved"), action: "POST", input: "x" })).toMatchObject({
      status: 307,
      location: "/mirror",
    });
    expect(site.asked.slice(before)).toEqual(["POST /moved"]);
  });

  it("PLK-10 writes and appends files, and replaces one when told to", async () => {
    const run = (action: string, input: unknown) => use("act", { uri: "made/a.txt", action, input });
    expect(await run("write", "one")).toEqual({ uri: "made/a.txt", action: "write", bytes: 3 });
    expect(await rejection(run("write", "two"))).toMatchObject({ code: "exists" });
    await run("write", { text: "two", overwrite: true });
    await run("append", "!");
    expect(await readFile(join(folder, "made", "a.txt"), "utf8")).toBe("two!");
    await rm(join(folder, "made"), { recursive: true });
  });

  it.each([
    [{ uri: "a.txt", action: "POST", input: "x" }, "argument"],
    [{ uri: "a.txt", action: "delete" }, "argument"],
    [{ uri: "a.txt", action: "write" }, "argument"],
    [{ uri: "a.txt", action: "write", input: { text: 1 } }, "argument"],
    [{ uri: "a.txt", action: "write", input: { text: "x", overwrites: true } }, "argument"],
    [{ uri: "../a.txt", action: "write", input: "x" }, "outside-root"],
    [{ uri: "http://10.0.0.1/", action: "POST" }, "not-allowed"],
    [{ uri: "http://127.0.0.1/", action: "GET" }, "argument"],
  ])("refuses %j as %s", async (args, code) => {
    expect(await fails("act", args)).toMatchObject({ code });
  });

  it("PLK-44 changes nothing where write is false, whatever a manifest says", async () => {
    const bound = createVerbs({ root: folder, allowPrivateNetwork: true, write: false });
    const before = site.asked.length;
    for (const args of [
      { uri: "a.txt", action: "write", input: "x" },
      { uri: at("/mirror"), action: "POST" },
    ]) {
      expect(await rejection(useVerb(bound, "act", args))).toMatchObject({ code: "not-allowed" });
    }
    expect(site.asked.length).toBe(before);
    expect(await useVerb(bound, "probe", { uri: "page.html" })).toMatchObject({ readable: true, writable: false });
  });
});

describe("sense", () => {
  /** Of `{"n":1}`, by sha256sum. */
  const HASH = "2bfd14f43d17fc7cea24e0917a8879b4b2f880b8baeec1b9d90fbaad655e71bd";

  it("PLK-10 takes one measurement and names its unit", async () => {
    const measure = async (uri: string, name: string) => {
      const { value, unit } = await use("sense", { uri, measure: name });
      return [value, unit];
    };
    expect(await measure(at("/none"), "status")).toEqual([404, "HTTP status code"]);
    expect(await measure(at("/"), "latency")).toEqual([expect.any(Number), "ms"]);
    expect(await measure(at("/zipped"), "size")).toEqual([page.length, "bytes"]);
    expect(await measure(at("/json"), "etag")).toEqual(['"v1"', "entity tag"]);
    expect(await measure(at("/"), "etag")).toEqual([null, "entity tag"]);
    expect(await measure(at("/text"), "last-modified")).toEqual(["2015-10-21T07:28:00.000Z", "ISO 8601"]);
    expect(await measure("data.json", "size")).toEqual([7, "bytes"]);
    expect(await measure("data.json", "hash")).toEqual([HASH, "SHA-256, hex"]);
    expect((await measure("data.json", "last-modified"))[0]).toMatch(/Z$/);
  });

  it("refuses a measure that the target does not have, and lists those there are", async () => {
    expect(await fails("sense", { uri: "data.json", measure: "mood" })).toMatchObject({
      message: "mood is not a measure. Use status, latency, size, hash, etag, last-modified",
    });
    expect(await fails("sense", { uri: "data.json", measure: "toString" })).toMatchObject({ code: "argument" });
    expect(await fails("sense", { uri: "data.json", measure: "latency" })).toMatchObject({ code: "argument" });
  });
});

describe("probe", () => {
  it("PLK-10 says what a server allows", async () => {
    expect(await use("probe", { uri: at("/options") })).toEqual({
      kind: "http",
      uri: at("/options"),
      status: 204,
      methods: ["GET", "OPTIONS"],
      cors: { "allow-origin": "*" },
      robots: { allowed: true },
    });
    expect(await use("probe", { uri: at("/private/x") })).toMatchObject({
      methods: null,
      cors: null,
      robots: { allowed: false, rule: "Disallow: /private" },
    });
  });

  it("does not know of robots.txt when the server fails, and is let in if there is none", async () => {
    const failing = await startSite((_request, response) => void response.writeHead(500).end());
    const bare = await startSite((_request, response) => void response.writeHead(404).end());
    expect(await use("probe", { uri: failing.url })).toMatchObject({ robots: "unknown" });
    expect(await use("probe", { uri: bare.url })).toMatchObject({ robots: { allowed: true } });
    await Promise.all([failing.close(), bare.close()]);
  });

  it("PLK-10 says what may be done with a file or folder", async () => {
    const all = { readable: true, writable: true };
    expect(await use("probe", { uri: "docs" })).toEqual({ kind: "folder", uri: "docs", ...all, listable: true });
    expect(await use("probe", { uri: "data.json" })).toMatchObject({ kind: "file", ...all, listable: false });
    expect(await fails("probe", { uri: "none" })).toMatchObject({ code: "not-found" });
  });
});

describe("context", () => {
  it("PLK-10 recalls what this run knows, what matches best first", async () => {
    const store = createInMemoryRuntimeMemory();
    const memory = openRunScope(store, "run").viewOf("ann");
    await memory.set("shared", "scout", { answer: "the heron is grey" });
    await memory.set("agent", "note", "a sparrow and a heron");
    await memory.set("global", "long", "x".repeat(5_000));
    await openRunScope(store, "run").viewOf("bob").set("agent", "note", "bob's own");
    const recall = (args: JsonObject) =>
      verbs.context(args, { signal: new AbortController().signal, agentId: "ann", memory });
    expect(await recall({ query: "HERON sparrow" })).toEqual({
      entries: [
        { scope: "agent", key: "note", value: "a sparrow and a heron" },
        { scope: "shared", key: "scout", value: { answer: "the heron is grey" } },
      ],
      total: 2,
    });
    expect(await recall({})).toMatchObject({ total: 3 });
    expect(await recall({ query: "long" })).toMatchObject({
      entries: [{ value: expect.stringMatching(/x \[… 1000 more characters\]$/) as string }],
    });
    expect(await recall({ query: "?!" })).toEqual({ entries: [], total: 0 });
  });
});

describe("dowse", () => {
  it("PLK-10 finds links of a page that stay on its host, the best first", async () => {
    expect(await use("dowse", { query: "grey herons", below: at("/from") })).toEqual({
      targets: [{ uri: at("/herons?kind=grey"), about: "Herons", score: 5 }],
      searched: 2,
      complete: true,
    });
    expect(await use("dowse", { query: "pelican", below: at("/") })).toMatchObject({ targets: [] });
  });

  it("PLK-10 finds files by name and text", async () => {
    expect(await use("dowse", { query: "heron sparrow" })).toMatchObject({
      targets: [
        { uri: "docs/herons.md", about: "# Herons", score: 4 },
        { uri: "docs/deep/notes.txt", about: "a sparrow and a heron", score: 2 },
        { uri: "page.html" },
      ],
      searched: 5,
      complete: true,
    });
    expect(await use("dowse", { query: "sparrow", below: "docs/deep" })).toMatchObject({
      targets: [{ uri: "docs/deep/notes.txt" }],
    });
  });

  it("refuses a query without words and a folder that is not there", async () => {
    expect(await fails("dowse", { query: "?!" })).toMatchObject({ code: "argument" });
    expect(await fails("dowse", { query: "x", below: "none" })).toMatchObject({ code: "not-found" });
    expect(await rejection(useVerb(createVerbs(), "dowse", { query: "x" }))).toMatchObject({ code: "bad-target" });
    expect(refusal(() => createVerbs({ root: join(folder, "none") }))).toMatchObject({ code: "invalid-options" });
  });
});
