// What a recording proxy makes of vendors that answer unlike any other.

import { once } from "node:events";
import { request as requestHttp, type IncomingMessage } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createSaver } from "../../../src/cli/proxy/saver.js";
import { weatherCassette } from "../../support/recording.js";
import { listen } from "../../support/wire.js";
import { ANSWER, ask, chat, closeLater, load, proxying } from "../proxying.js";
import { cli } from "../run.js";

describe("an answer that no cassette can hold", () => {
  it("is passed on, and costs no other turn its place: a status above 599", async () => {
    const live = await listen((request, response) => {
      request.resume();
      const status = request.url === "/v1/odd" ? 700 : 200;
      request.on("end", () => response.writeHead(status, { "content-type": "application/json" }).end(ANSWER));
    });
    closeLater(live.close);
    const proxy = await proxying(`${live.baseURL}/v1`, "odd.cassette.json");
    await (await ask(proxy.url, chat("q"))).text();
    expect((await fetch(`${proxy.url}/odd`)).status).toBe(700);
    await (await ask(proxy.url, chat("another"))).text();
    await proxy.stop();
    expect(proxy.printed.code).toBe(1);
    expect(proxy.printed.err).toContain(
      "passed on, not recorded: GET /odd: a cassette cannot hold GET with the status 700: /status is not an HTTP status\n" +
        "  to do    Answer this request from a test double of your own, or leave it unrecorded.\n",
    );
    expect(load("odd.cassette.json").extensions?.exchanges).toBeUndefined();
    expect((await cli(["verify", "odd.cassette.json", "odd-2.cassette.json"])).code).toBe(0);
  });
});

describe("a packed answer", () => {
  const ZIPPED = gzipSync("a file");
  const answers: Readonly<Record<string, [body: Uint8Array, headers: Record<string, string>]>> = {
    "/v1/file": [ZIPPED, { "content-type": "application/gzip" }],
    "/v1/packed": [gzipSync('{"a":1}'), { "content-type": "application/json", "content-encoding": "gzip" }],
    "/v1/damaged": [ZIPPED.subarray(0, 12), { "content-type": "application/json", "content-encoding": "gzip" }],
    "/v1/chat/completions": [Buffer.from("zz"), { "content-type": "application/json", "content-encoding": "br" }],
  };

  it("is unpacked for the recording, unless it is a file that the client asked for", async () => {
    const live = await listen((request, response) => {
      const [body, headers] = answers[request.url ?? ""] ?? ["", {}];
      request.resume();
      request.on("end", () => response.writeHead(200, headers).end(body));
    });
    closeLater(live.close);
    const proxy = await proxying(`${live.baseURL}/v1`, "packed.cassette.json");
    for (const path of ["/file", "/packed", "/damaged"]) {
      await rawFetch(`${proxy.url}${path}`);
    }
    await rawFetch(`${proxy.url}/chat/completions`, chat("q"));
    await proxy.stop();
    expect(load("packed.cassette.json").extensions?.exchanges).toMatchObject([
      { path: "/file", response: { base64: ZIPPED.toString("base64") } },
      { path: "/packed", response: { json: { a: 1 } } },
    ]);
    expect(proxy.printed.err).toContain('passed on, not recorded: GET /damaged: the answer is packed as "gzip"\n');
    expect(proxy.printed.err).toContain('not recorded: the answer is packed as "br"\n');
  });
});

/** Sends a request, and takes the answer as it comes: `fetch` would unpack it. */
async function rawFetch(url: string, body?: string): Promise<void> {
  const request = requestHttp(url, { method: body === undefined ? "GET" : "POST" });
  request.end(body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "end");
}

describe("the saver of a proxy", () => {
  it("reports a conversation that has no cassette, and writes the others", async () => {
    const cassette = await weatherCassette();
    const said: string[] = [];
    const saver = createSaver({
      cassetteOf: (conversation) => {
        if (conversation === 0) throw new Error("the cassette would not load");
        return cassette;
      },
      write: async (conversation) => `${conversation}`,
      failed: (why) => said.push(why),
    });
    for (const conversation of [0, 1]) saver.changed(conversation);
    expect(await saver.finish()).toEqual([
      { turns: 0, error: "the cassette would not load" },
      { file: "1", turns: cassette.entries.length },
    ]);
    expect(said).toEqual(["the cassette would not load"]);
  });

  it("writes at the end what the disk refused before", async () => {
    const cassette = await weatherCassette();
    let isFull = true;
    let isRefused: () => void = () => undefined;
    const refused = new Promise<void>((resolve) => (isRefused = resolve));
    const saver = createSaver({
      cassetteOf: () => cassette,
      write: async () => {
        if (isFull) throw new Error("the disk is full");
        return "file";
      },
      failed: () => isRefused(),
    });
    saver.changed(0);
    await refused;
    isFull = false;
    expect(await saver.finish()).toEqual([{ file: "file", turns: cassette.entries.length }]);
  });
});
