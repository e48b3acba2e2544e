// The commands that read a cassette with exchanges.

import { afterAll, describe, expect, it } from "vitest";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import { createRecorder } from "../../src/cassette/record/recorder.js";
import { answer, bytesOf, get, post } from "../support/exchange-recording.js";
import { keepForOracle, verifyKept } from "../support/oracle.js";
import { fixedPorts, prompt } from "../support/recording.js";
import { say } from "../support/script.js";
import { cli, documentOf, place } from "./run.js";

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
