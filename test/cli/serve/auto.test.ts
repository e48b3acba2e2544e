// `cassette serve --auto`: known requests from cassettes, the rest from the vendor, recorded.

import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { VENDORS } from "../../../src/core/vendors/vendors.js";
import { say } from "../../support/script.js";
import { startStatefulVendor } from "../../support/stateful-vendor.js";
import { listen } from "../../support/wire.js";
import { cli, folder, place } from "../run.js";
import { cassetteOf, closeLater, placeJson, send, startServe } from "./running.js";

/** A vendor that answers each turn with its question, and anything else with an object. */
async function vendor() {
  const asked: string[] = [];
  const wire = VENDORS.openai;
  const server = await listen((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      asked.push(`${request.method} ${request.url}`);
      const body = Buffer.concat(chunks).toString("utf8");
      response.writeHead(200, { "content-type": "application/json" });
      if (request.url?.endsWith("/conversations")) return void response.end('{"id":"conv_live"}');
      if (!request.url?.endsWith("/chat/completions")) return void response.end('{"data":[]}');
      const { messages } = JSON.parse(body) as { messages: { content: unknown }[] };
      const stamp = { id: "1", createdAt: 0, model: "m", wantsUsage: false };
      response.end(JSON.stringify(wire.write(say(`live: ${String(messages.at(-1)?.content)}`), stamp)));
    });
  });
  closeLater(server.close);
  return { target: `${server.baseURL}/v1`, asked };
}

const known = place("auto-known.cassette.json", cassetteOf({ q: "a" }));
const newFolder = (name: string): string => {
  mkdirSync(join(folder, name));
  return `${name}/`;
};

describe("serve --auto", () => {
  it("answers what is known, and forwards and records the rest", async () => {
    const { target, asked } = await vendor();
    const out = newFolder("auto-rest");
    const server = await startServe([known], { auto: { target, out }, json: true });
    expect((await send(server.url, "q")).text).toContain('"a"');
    expect((await send(server.url, "new words")).text).toContain("live: new words");
    expect((await fetch(`${server.url}/v1/models`)).status).toBe(200);
    expect(asked).toEqual(["POST /v1/chat/completions", "GET /v1/models"]);
    const { code, err, document } = await server.stop();
    expect(err).toContain("forwarded: POST /v1/chat/completions: turn 1: the one recorded turn was used");
    expect(err).toContain("forwarded: GET /v1/models: no cassette holds it\n");
    expect([code, document]).toMatchObject([
      0,
      {
        answered: 1,
        misses: [],
        unused: 0,
        requests: [{ outcome: "turn", count: 1 }],
        recorded: {
          cassettes: [{ file: join("auto-rest", "new-words.cassette.json"), turns: 1, exchanges: 1 }],
          lost: [],
          passedOn: [],
          requests: [{ outcome: "turn" }, { outcome: "exchange" }],
        },
      },
    ]);
    const replay = await startServe([known, "auto-rest"]);
    expect((await send(replay.url, "new words")).text).toContain("live: new words");
    expect((await send(replay.url, "q")).text).toContain('"a"');
    expect((await fetch(`${replay.url}/v1/models`)).status).toBe(200);
    expect((await replay.stop()).code).toBe(0);
    expect(asked).toHaveLength(2);
  });

  it("begins without a cassette, and replays its own folder", async () => {
    const { target, asked } = await vendor();
    const auto = { target, out: "auto-new/" };
    for (const expected of [1, 0]) {
      asked.length = 0;
      const server = await startServe(["auto-new"], { auto });
      expect((await send(server.url, "hello there")).text).toContain("live: hello there");
      const { code, err, out } = await server.stop();
      expect([code, asked.length, err.includes("there is no cassette yet at auto-new")]).toEqual([
        0,
        expected,
        expected === 1,
      ]);
      expect(out).toContain(`forwarding the rest to ${target}, and recording it to auto-new/\n`);
    }
    expect(readdirSync(join(folder, "auto-new"))).toEqual(["hello-there.cassette.json"]);
  });

  it("prints both parts, and fails for an unused turn", async () => {
    const { target } = await vendor();
    const server = await startServe([known], { auto: { target, out: newFolder("auto-lost") } });
    const part = { type: "input_audio", input_audio: { data: "", format: "wav" } };
    const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: [part] }] });
    await (await fetch(`${server.url}/v1/chat/completions`, { method: "POST", body })).text();
    await send(server.url, "fine");
    const { code, out } = await server.stop();
    expect(code).toBe(1);
    expect(out).toContain("0 of 1 turn used");
    expect(out).toContain(`recorded ${join("auto-lost", "fine.cassette.json")}, 1 turn, 1 exchange\n`);
    expect(out).toContain("0 answered, 0 misses, 0 refused, 1 unused\n");
  });

  it("forwards without recording what --pass names", async () => {
    const { target, asked } = await vendor();
    const server = await startServe([known], {
      auto: { target, out: newFolder("auto-pass") },
      pass: ["GET /v1/models"],
    });
    await send(server.url, "q");
    expect((await fetch(`${server.url}/v1/models`)).status).toBe(200);
    const { code, out } = await server.stop();
    expect([code, asked]).toEqual([0, ["GET /v1/models"]]);
    expect(out).toContain("GET /v1/models passed on because of --pass: 1 time\n");
    expect(readdirSync(join(folder, "auto-pass"))).toEqual([]);
  });

  it("strikes before it forwards", async () => {
    const { target, asked } = await vendor();
    const fault = { kind: "http", error: "server-error" };
    const faults = placeJson("auto-faults.json", { schedule: [{ call: 0, fault }] });
    const server = await startServe([known], { auto: { target, out: newFolder("auto-faults") }, faults });
    expect([(await send(server.url, "new")).status, asked.length]).toEqual([500, 0]);
    expect([(await send(server.url, "new")).status, asked.length]).toEqual([200, 1]);
  });

  it("sends no id to the vendor that the vendor never gave", async () => {
    const live = await startStatefulVendor(({ messages }) => say(`live: ${messages.length}`));
    closeLater(live.close);
    const path = "/v1/responses";
    const more = async (url: string, question: string, previous_response_id?: unknown) => {
      const reply = await send(url, "", { path, messages: undefined, input: question, previous_response_id });
      return JSON.parse(reply.text) as { id: string; error?: { code: string } };
    };
    const auto = { target: `${live.url}/v1`, out: newFolder("auto-held") };
    const server = await startServe([known], { auto });
    const recorded = await more(server.url, "q");
    expect(live.asked).toEqual([]);
    expect(await more(server.url, "new words", recorded.id)).toMatchObject({
      error: { code: "previous_response_not_found" },
    });
    expect(live.asked).toEqual([]);
    const begun = await more(server.url, "begun live");
    expect(JSON.stringify(await more(server.url, "and on", begun.id))).toContain("live: 3");
    expect(live.asked).toHaveLength(2);
    const { code, out, err } = await server.stop();
    expect([code, err]).toEqual([1, expect.stringContaining("continues a recorded answer (previous_response_id)")]);
    expect(out).toContain("1 answered, 0 misses, 1 refused, 0 unused\n");
    expect(out).toContain(`recorded ${join("auto-held", "begun-live.cassette.json")}, 2 turns\n`);
  });

  describe("with a conversation object", () => {
    const post = async (url: string, path: string, body: object) => {
      const response = await fetch(`${url}/v1/${path}`, { method: "POST", body: JSON.stringify(body) });
      return { status: response.status, ...((await response.json()) as { id: string; error?: { code: string } }) };
    };
    const turn = (url: string, input: string, conversation: unknown) =>
      post(url, "responses", { model: "m", input, conversation });

    it("begins it at the vendor for words that no cassette holds, and records it whole", async () => {
      const live = await startStatefulVendor(({ messages }) => say(`live: ${messages.length}`));
      closeLater(live.close);
      const auto = { target: `${live.url}/v1`, out: newFolder("auto-begun") };
      const server = await startServe([], { auto });
      const { id } = await post(server.url, "conversations", {});
      expect(live.asked).toEqual([]);
      expect(JSON.stringify(await turn(server.url, "one", id))).toContain("live: 1");
      expect(JSON.stringify(await turn(server.url, "two", id))).toContain("live: 3");
      expect(live.asked).toHaveLength(3);
      expect(JSON.stringify(live.asked)).not.toContain(id);
      const { code, out } = await server.stop();
      expect([code, out]).toEqual([
        0,
        expect.stringContaining(`recorded ${join("auto-begun", "one.cassette.json")}, 2 turns\n`),
      ]);

      const replay = await startServe(["auto-begun"], { auto });
      const again = await post(replay.url, "conversations", {});
      expect(JSON.stringify(await turn(replay.url, "one", again.id))).toContain("live: 1");
      expect(JSON.stringify(await turn(replay.url, "two", again.id))).toContain("live: 3");
      expect(live.asked).toHaveLength(3);
      expect(await turn(replay.url, "three", again.id)).toMatchObject({ status: 404 });
      expect(live.asked).toHaveLength(3);
      expect((await replay.stop()).code).toBe(1);
    });

    it("names the vendor's id in the path of a request", async () => {
      const { target, asked } = await vendor();
      const server = await startServe([], { auto: { target, out: newFolder("auto-items") } });
      const { id } = await post(server.url, "conversations", {});
      await fetch(`${server.url}/v1/conversations/${id}/items`);
      expect(asked).toEqual(["POST /v1/conversations", "GET /v1/conversations/conv_live/items"]);
    });

    it("passes on the answer of a vendor that begins none", async () => {
      const live = await listen((request, response) => {
        request.resume();
        response.writeHead(401, { "content-type": "application/json" }).end('{"error":{"code":"no-key"}}');
      });
      closeLater(live.close);
      const server = await startServe([], { auto: { target: `${live.baseURL}/v1`, out: newFolder("auto-no-key") } });
      const { id } = await post(server.url, "conversations", {});
      expect(await turn(server.url, "one", { id })).toMatchObject({ status: 401, error: { code: "no-key" } });
    });
  });

  it("sends a thread whole that a cassette began", async () => {
    const live = await startStatefulVendor(({ messages }) => say(`live: ${messages.length}`));
    closeLater(live.close);
    const server = await startServe([known], { auto: { target: live.url, out: newFolder("auto-thread") } });
    const client = new Anthropic({ apiKey: "sk-test", baseURL: server.url, maxRetries: 0 });
    const thread = client.beta.messages.thread({ model: "m", max_tokens: 100 });
    await thread.send({ role: "user", content: "q" });
    const { content } = await thread.send({ role: "user", content: "new words" });
    expect([content, live.asked.length]).toMatchObject([[{ text: "live: 3" }], 1]);
    const { code, err } = await server.stop();
    expect([code, err]).toEqual([0, expect.stringContaining("sent back: POST /v1/messages continues a thread")]);
  });

  it("filters the prompts that it compares and records", async () => {
    const { target, asked } = await vendor();
    const options = { auto: { target, out: "auto-filter/" }, filter: ["isoDate"] };
    for (const date of ["2026-01-02", "2026-03-04"]) {
      const server = await startServe(["auto-filter"], options);
      await send(server.url, `Today is ${date}`);
      expect([(await server.stop()).code, asked.length]).toEqual([0, 1]);
    }
  });

  it("never runs in CI, and makes no folder there", async () => {
    const args = ["serve", known, "--auto", "--target", "http://127.0.0.1:1", "--out", "auto-ci/"];
    const ran = await cli(args, { env: { CI: "true" } });
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining("CI is set and CI never records")]);
    expect(readdirSync(folder)).not.toContain("auto-ci");
  });

  it.each([
    [["--auto"], "--auto was given without --target or --out"],
    [["--auto", "--target", "http://127.0.0.1:1"], "--auto was given without --target or --out"],
    [["--out", "x/"], "--target and --out were given without --auto"],
    [["--auto", "--target", "http://127.0.0.1:1", "--out", "x/", "--host", "0.0.0.0"], "--auto and --host"],
    [["--auto", "--target", "ftp://x", "--out", "x/"], "is not https"],
  ])("refuses %j", async (options, text) => {
    const ran = await cli(["serve", known, ...options]);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(text)]);
  });
});
