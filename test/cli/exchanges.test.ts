// The commands that read a cassette with exchanges.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { buildCassette } from "../../src/cassette/file/build.js";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import { createRecorder } from "../../src/cassette/record/recorder.js";
import { answer, bytesOf, get, post, recordExchanges } from "../support/exchange-recording.js";
import { keepForOracle, verifyKept } from "../support/oracle.js";
import { draft, fixedPorts, prompt } from "../support/recording.js";
import { say } from "../support/script.js";
import { cli, documentOf, folder, place } from "./run.js";

afterAll(verifyKept);

function record(input: string): CassetteV2 {
  const recorder = createRecorder(() => "proxy", { ports: fixedPorts() });
  recorder.open(prompt("q")).answer(say("a"));
  recorder.exchange(post("/v1/embeddings", { input })).answer(answer({ data: [] }));
  recorder.exchange(get("/v1/models?b=2&a=1")).answer(answer("data: 1", 429, { "content-type": "text/event-stream" }));
  const upload = { method: "POST", url: "/v1/files", type: "audio/mpeg", body: bytesOf("abc") };
  recorder.exchange(upload).answer({ ...answer('{"id":'), isCut: true });
  return keepForOracle(recorder.toCassette());
}

const one = place("exchanges-one.cassette.json", record("one"));
const two = place("exchanges-two.cassette.json", record("two"));

describe("a cassette with exchanges", () => {
  it("is shown with method, path, status and sizes, and in whole in the document", async () => {
    const { out } = await cli(["show", one]);
    expect(out).toContain(
      [
        "3 exchanges",
        "  0 POST /v1/embeddings  status 200, 15 bytes sent, 11 bytes received",
        "  1 GET /v1/models?a=1&b=2  status 429, 0 bytes sent, 7 bytes received",
        "  2 POST /v1/files  status 200, 3 bytes sent, 6 bytes received, cut",
      ].join("\n"),
    );
    expect(out).toContain("in all");
    expect((await cli(["show", one, "--turn", "0"])).out).not.toContain("3 exchanges");
    expect(documentOf(await cli(["show", one, "--json"]))).toMatchObject({
      cassette: { extensions: { exchanges: [{ path: "/v1/embeddings" }, { status: 429 }, { isCut: true }] } },
    });
  });

  it("is verified, with the hash of the upload left out by the second opinion", async () => {
    expect((await cli(["verify", one])).code).toBe(0);
    const { out, code } = await cli(["verify", one, "--independent", "--json"]);
    expect([code, out]).toEqual([0, expect.stringContaining("hashes of request bodies that were not stored")]);
  });

  it("differs from another by its requests, with the JSON pointer", async () => {
    expect((await cli(["diff", one, one])).code).toBe(0);
    const { code, out } = await cli(["diff", one, two]);
    expect(code).toBe(1);
    expect(out).toContain(
      '  - exchange: POST /v1/embeddings changed at /request/json/input.\n      /request/json/input  "one" → "two"\n',
    );
    expect(documentOf(await cli(["diff", one, two, "--json"]))).toMatchObject({
      tasks: [{ drifts: [], exchanges: [{ kind: "changed", old: 0, new: 0 }] }],
      summary: { drifted: 1 },
    });
  });

  it("is counted by stats, and its exchanges are a counted loss of an export", async () => {
    expect((await cli(["stats", one])).out).toContain("1 cassette: 1 turn, 3 exchanges, 0 tool calls");
    expect(documentOf(await cli(["stats", one, two, "--json"]))).toMatchObject({ exchanges: 6 });
    expect((await cli(["export", one, "--format", "openai"])).err).toContain("3 exchange");
  });
});

type Loose = Record<string, unknown>;
type Edit = (exchanges: Loose[]) => void;

const set =
  (index: number, fields: Loose): Edit =>
  (exchanges) =>
    void Object.assign(exchanges[index] ?? {}, fields);

const EDITS: Record<string, Edit> = {
  "a body of an answer": set(0, { response: { json: { data: [1] } } }),
  "a body of a request": set(0, { request: { json: { input: "other" } } }),
  "a hash of an upload": set(2, { request: { sha256: "0".repeat(64), bytes: 3 } }),
  "a status": set(1, { status: 200 }),
  "a header": set(1, { headers: {} }),
  "a query": set(1, { query: "a=1" }),
  "a cut": ([, , last]) => void delete last?.["isCut"],
  "the order": (exchanges) => void exchanges.reverse(),
  "one less": (exchanges) => void exchanges.pop(),
  "one twice": (exchanges) => void exchanges.push({ ...exchanges[0] }),
};

/** The cassette with an edit of its exchanges, and its hashes as they were. */
function edited(edit: Edit): CassetteV2 {
  const changed = draft(record("one"));
  edit(changed.extensions?.exchanges as unknown as Loose[]);
  return changed;
}

describe("an edited exchange", () => {
  it.each(Object.keys(EDITS))("%s is refused by verify, by both implementations", async (name) => {
    const file = place("edited.cassette.json", edited(EDITS[name] as Edit));
    const { code, out } = await cli(["verify", file]);
    expect([code, out]).toEqual([3, expect.stringContaining("refused")]);
    expect(out).toContain("envelope-hash");
    expect((await cli(["verify", file, "--independent"])).code).toBe(3);
    for (const command of ["show", "stats", "diff", "attest"]) {
      const ran = await cli([command, file, ...(command === "diff" ? [one] : [])]);
      expect([command, ran.code]).toEqual([command, 3]);
    }
  });

  it("passes with hashes computed again, and not with a lock", async () => {
    const lock = join(folder, "exchanges.lock");
    const file = place("locked.cassette.json", record("one"));
    expect((await cli(["lock", file, "--file", lock])).code).toBe(0);
    expect((await cli(["verify", file, "--lock", lock])).code).toBe(0);
    const { entries, ...head } = edited(EDITS["a status"] as Edit);
    place("locked.cassette.json", buildCassette(head, entries));
    expect((await cli(["verify", file])).code).toBe(0);
    const { code, out } = await cli(["verify", file, "--lock", lock]);
    expect([code, out]).toEqual([3, expect.stringContaining("lock-mismatch")]);
  });
});

describe("the commands for trust", () => {
  it("count exchanges", async () => {
    expect((await cli(["verify", one])).out).toContain("  v2  1 turn, 3 exchanges  proxy  ");
    const alone = place("alone.cassette.json", recordExchanges([[get("/v1/models"), answer({})]]));
    expect((await cli(["verify", alone])).out).toContain("  v2  1 exchange  proxy  ");
    const [withTurn, without] = await Promise.all([one, alone].map((file) => cli(["attest", file])));
    expect(JSON.parse(withTurn?.out ?? "")).toMatchObject({ predicate: { cassette: { turns: 1, exchanges: 3 } } });
    expect(JSON.parse(without?.out ?? "")).toMatchObject({
      predicate: { passedTests: ["format", "envelope-hash"], cassette: { turns: 0, exchanges: 1 } },
    });
  });

  it("find a secret in a recording without redaction, at its pointer, and none in one with it", async () => {
    const secret = `sk-proj-${"a1B2c3D4".repeat(6)}`;
    const pairs = [[post(`/v1/embeddings?user=${secret}`, { input: secret }), answer({ echo: secret })]] as const;
    const warn = { warn: () => undefined };
    const bare = place(
      "bare.cassette.json",
      recordExchanges(pairs, { redact: false, ports: { ...fixedPorts(), ...warn } }),
    );
    const clean = place("clean.cassette.json", recordExchanges(pairs));
    expect(readFileSync(clean, "utf8")).not.toContain(secret);
    expect((await cli(["scan", clean])).code).toBe(0);
    const { code, out } = await cli(["scan", bare]);
    expect(code).toBe(1);
    for (const place of ["query", "request/json/input", "response/json/echo"]) {
      expect(out).toContain(`/extensions/exchanges/0/${place}`);
    }
    expect(out).not.toContain(secret);
  });

  it("take recordings for duplicates only if their exchanges are the same", async () => {
    const same = [1, 2].map((id) => recordExchanges([[get("/v1/models"), answer({})]], { ports: fixedPorts(id) }));
    const other = recordExchanges([[get("/v1/files"), answer({})]]);
    const files = [...same, other].map((cassette, index) => place(`twin-${index}.cassette.json`, cassette));
    const { out } = await cli(["prune", folder, "--json"]);
    const { duplicates } = JSON.parse(out) as { duplicates: string[][] };
    expect(duplicates.find((set) => set.includes(files[0] ?? ""))).toEqual(expect.arrayContaining(files.slice(0, 2)));
    expect(duplicates.flat()).not.toContain(files[2]);
  });
});

describe("a baseline", () => {
  it("accepts runs that differ in exchanges alone, and diff tells them apart", async () => {
    for (const name of ["one", "two"]) {
      writeFileSync(join(folder, `${name}.cassette.json`), readFileSync(name === "one" ? one : two));
      const ran = await cli([
        "bless",
        join(folder, `${name}.cassette.json`),
        "--into",
        "baseline",
        "--reason",
        "right",
      ]);
      expect(ran.code).toBe(0);
    }
    expect((await cli(["accepted", "baseline"])).out).toContain("2 acceptances, 0 that do not hold");
  });
});
