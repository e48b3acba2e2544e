// One list of the requests that a recorder takes, and one test: what the proxy or any of the MSW handlers record, the server and all
// MSW handlers play, whichever recorded it.

import type { IncomingMessage, ServerResponse } from "node:http";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import type { WireName } from "../../src/core/vendors/table.js";
import { VENDORS } from "../../src/core/vendors/vendors.js";
import { say } from "../support/script.js";
import { listen } from "../support/wire.js";
import { TURN_PATHS, turnBody } from "../support/wire-turns.js";
import { closeLater, load, newFolder, PLAYERS, proxying, RECORDERS, serving } from "./http-doors.js";

const JSON_TYPE = { "content-type": "application/json" };
const SSE_TYPE = { "content-type": "text/event-stream" };
const messages = [{ role: "user", content: "q" }];
/** A request and the vendor's answer to it. `parts` are sent one by one, and after them the connection breaks if `isCut`. */
interface Kind {
  name: string;
  path: string;
  send?: RequestInit;
  status?: number;
  headers?: Record<string, string>;
  parts: readonly (string | Uint8Array)[];
  isCut?: boolean;
  /** Its text is made from a turn, so a replay may write the same answer in other bytes. */
  isTurn?: boolean;
}

const post = (body: unknown, headers: Record<string, string> = JSON_TYPE): RequestInit => ({
  method: "POST",
  headers,
  body: JSON.stringify(body),
});

const turns = (Object.keys(TURN_PATHS) as WireName[]).flatMap((name): Kind[] =>
  [false, true].map((stream) => {
    const wire = VENDORS[name];
    const stamp = { id: "1", createdAt: 0, model: "m" };
    return {
      name: `a turn of ${name}, ${stream ? "streamed" : "whole"}`,
      path: TURN_PATHS[name][stream ? 1 : 0],
      send: post(turnBody(name, `${name} ${stream}`, stream)),
      headers: { "content-type": stream ? wire.streamType : "application/json" },
      parts: stream ? wire.stream(say("hello"), stamp) : [JSON.stringify(wire.write(say("hello"), stamp))],
      isTurn: true,
    };
  }),
);

const form = (): FormData => {
  const data = new FormData();
  data.set("model", "whisper-1");
  data.set("file", new Blob([new Uint8Array([1, 2, 255])], { type: "audio/wav" }), "speech.wav");
  return data;
};

const exchanges: Kind[] = [
  { name: "JSON", path: "/v1/embeddings", send: post({ input: "x" }), headers: JSON_TYPE, parts: ['{"data":[[1,2]]}'] },
  { name: "text", path: "/v1/notes", send: post("x", { "content-type": "text/plain" }), parts: ["plain words"] },
  { name: "GET with a query", path: "/v1/models?after=a&limit=2", headers: JSON_TYPE, parts: ['{"data":[]}'] },
  {
    name: "a form",
    path: "/v1/search",
    send: { method: "POST", body: new URLSearchParams({ q: "a b" }) },
    headers: JSON_TYPE,
    parts: ["[1]"],
  },
  { name: "multipart", path: "/v1/audio/transcriptions", headers: JSON_TYPE, parts: ['{"text":"hi"}'] },
  {
    name: "a binary answer",
    path: "/v1/audio/speech",
    send: post({ input: "hi" }),
    headers: { "content-type": "audio/mpeg" },
    parts: [new Uint8Array([0, 255, 10, 13, 128])],
  },
  {
    name: "SSE of an unknown endpoint",
    path: "/v1/unknown",
    send: post({ stream: true }),
    headers: SSE_TYPE,
    parts: ["event: a\ndata: 1\n\n", "data: [DONE]\n\n"],
  },
  { name: "an error", path: "/v1/rerank", send: post({}), status: 500, headers: JSON_TYPE, parts: ['{"error":{}}'] },
  { name: "no body", path: "/v1/files/f_1", send: { method: "DELETE" }, status: 204, parts: [] },
  {
    name: "a cut stream",
    path: "/v1/cut",
    send: post({ n: 1 }),
    headers: SSE_TYPE,
    parts: ["data: 1\n\n"],
    isCut: true,
  },
  {
    name: "a refused turn",
    path: "/v1/chat/completions",
    send: post({ model: "m", messages }),
    status: 429,
    headers: { ...JSON_TYPE, "retry-after": "0" },
    parts: ['{"error":{"message":"slow down"}}'],
  },
  {
    name: "a turn whose stream was cut",
    path: "/v1/messages",
    send: post({ model: "m", max_tokens: 9, stream: true, messages }),
    headers: SSE_TYPE,
    parts: ["event: message_start\n"],
    isCut: true,
  },
];
const KINDS = [...turns, ...exchanges];

/** What a client sees of an answer. */
async function ask(base: string, { name, path, send = {}, isTurn = false }: Kind) {
  const body = name === "multipart" ? { method: "POST", body: form() } : send;
  try {
    const response = await fetch(base + path, body);
    const reader = response.body?.getReader();
    const chunks: Uint8Array[] = [];
    let isCut = false;
    for (;;) {
      const part = await reader?.read().catch(() => void (isCut = true));
      if (part === undefined || part.done) break;
      chunks.push(part.value);
    }
    const text = Buffer.concat(chunks).toString("latin1");
    const seen = isTurn ? text.includes("hello") : text;
    const retry = response.headers.get("retry-after");
    return { status: response.status, type: response.headers.get("content-type"), seen, isCut, retry };
  } catch (error) {
    return { failed: String(error) };
  }
}

async function vendor(answerOf: (path: string, index: number) => Kind): Promise<string> {
  let count = 0;
  const live = await listen((request: IncomingMessage, response: ServerResponse) => {
    request.resume().on("end", () => {
      const { status = 200, headers, parts, isCut = false } = answerOf(request.url ?? "", count++);
      response.writeHead(status, headers);
      for (const part of parts) response.write(part);
      if (isCut) setImmediate(() => setImmediate(() => response.destroy()));
      else response.end();
    });
  });
  closeLater(live.close);
  return live.baseURL;
}

describe.each(KINDS)("$name", (kind) => {
  it.each(Object.keys(RECORDERS))("recorded through %s is played by every player", async (recorder) => {
    const target = await vendor(() => kind);
    let live: unknown;
    const path = await (RECORDERS[recorder] as (typeof RECORDERS)[string])(target, async (url) => {
      live = await ask(url, kind);
    });
    expect(live).toMatchObject({ status: kind.status ?? 200, isCut: kind.isCut ?? false });
    const cassette = load(path);
    const count = [cassette.entries.length, cassette.extensions?.exchanges?.length ?? 0];
    expect(count).toEqual(kind.isTurn === true ? [1, 0] : [0, 1]);
    for (const play of Object.values(PLAYERS)) {
      await play(path, async (url) => expect(await ask(url, kind)).toEqual(live));
    }
  });
});

describe("--keep-errors", () => {
  const body = (content: string) =>
    JSON.stringify(VENDORS.openai.write(say(content), { id: "1", createdAt: 0, model: "m" }));
  const refused: Kind = {
    name: "429",
    path: "",
    status: 429,
    headers: { ...JSON_TYPE, "retry-after-ms": "1" },
    parts: ["{}"],
  };
  const answered: Kind = { name: "200", path: "", headers: JSON_TYPE, parts: [body("at last")] };

  /** Runs a client of OpenAI, which tries again by itself. Resolves to the answer and the statuses that it saw. */
  async function run(url: string): Promise<[string | null | undefined, number[]]> {
    const seen: number[] = [];
    const client = new OpenAI({
      ...{ apiKey: "none", baseURL: `${url}/v1`, maxRetries: 2 },
      fetch: async (...given) => {
        const response = await fetch(...given);
        seen.push(response.status);
        return response;
      },
    });
    const answer = await client.chat.completions.create({ model: "m", messages: [{ role: "user", content: "q" }] });
    return [answer.choices[0]?.message.content, seen];
  }

  it.each(Object.keys(RECORDERS))("lets a client try again in a replay as it did: %s", async (recorder) => {
    const target = await vendor((_, index) => (index === 0 ? refused : answered));
    const path = await (RECORDERS[recorder] as (typeof RECORDERS)[string])(target, async (url) => {
      expect(await run(url)).toEqual(["at last", [429, 200]]);
    });
    const cassette = load(path);
    expect([cassette.entries.length, cassette.extensions?.exchanges]).toEqual([
      1,
      [
        expect.objectContaining({
          status: 429,
          headers: { "content-type": "application/json", "retry-after-ms": "1" },
        }),
      ],
    ]);
    for (const play of Object.values(PLAYERS)) {
      await play(path, async (url) => expect(await run(url)).toEqual(["at last", [429, 200]]));
    }
  });

  it("keeps the retries of two conversations apart", async () => {
    let count = 0;
    const target = await vendor(() => (count++ < 2 ? refused : answered));
    const out = `${newFolder()}/`;
    const proxy = await proxying(target, out, { keepErrors: true });
    const send = async (content: string) =>
      (
        await fetch(`${proxy.url}/v1/chat/completions`, post({ model: "m", messages: [{ role: "user", content }] }))
      ).text();
    for (const content of ["one", "two", "one", "two"]) await send(content);
    await proxy.stop();
    for (const name of ["one", "two"]) {
      const { entries, extensions } = load(`${out}${name}.cassette.json`);
      expect([entries.length, extensions?.exchanges?.length]).toEqual([1, 1]);
      expect(JSON.stringify(extensions?.exchanges)).toContain(name);
    }
  });

  it("is not the default: an error is counted and does not fail the run", async () => {
    const target = await vendor((_, index) => (index === 0 ? refused : answered));
    const out = `${newFolder()}/run.cassette.json`;
    const proxy = await proxying(target, out);
    expect(await run(proxy.url)).toEqual(["at last", [429, 200]]);
    const { code, out: said } = await proxy.stop();
    expect([code, load(out).extensions?.exchanges]).toEqual([0, undefined]);
    expect(said).toContain("POST /v1/chat/completions failed, not recorded: 1 time\n");
  });
});

describe("the cassette of an exchange", () => {
  const chat = (content: string) => post({ model: "m", messages: [{ role: "user", content }] });
  const answerOf = (path: string): Kind => {
    const turn = VENDORS.openai.write(say("a"), { id: "1", createdAt: 0, model: "m" });
    return {
      name: "",
      path,
      headers: JSON_TYPE,
      parts: [path.includes("chat") ? JSON.stringify(turn) : '{"data":[]}'],
    };
  };

  it("is that of the conversation that was active last, or of the first conversation after it", async () => {
    const out = `${newFolder()}/`;
    const proxy = await proxying(await vendor(answerOf), out);
    const send = async (path: string, init?: RequestInit) => (await fetch(proxy.url + path, init)).text();
    await send("/v1/embeddings", post({ input: "before" }));
    await send("/v1/chat/completions", chat("first"));
    await send("/v1/chat/completions", chat("second"));
    await send("/v1/embeddings", post({ input: "during" }));
    const named = { headers: { ...JSON_TYPE, "x-playhead-cassette": "named" } };
    await send("/v1/embeddings", { ...post({ input: "by name" }), ...named });
    const { code, out: said } = await proxy.stop();
    expect(code).toBe(0);
    const inputs = (name: string) =>
      load(`${out}${name}.cassette.json`).extensions?.exchanges?.map(({ request }) => request);
    expect(inputs("first")).toEqual([{ json: { input: "before" } }]);
    expect(inputs("second")).toEqual([{ json: { input: "during" } }]);
    expect(inputs("named")).toEqual([{ json: { input: "by name" } }]);
    expect(said).toContain("first.cassette.json, 1 turn, 1 exchange\n");
    expect(said).toContain("named.cassette.json, 1 exchange\n");
    expect(said).toContain("POST /v1/embeddings recorded as an exchange: 3 times\n");
  });
});

describe("two recordings of the same exchange in one folder", () => {
  it("are reported, since a replay would use one of them", async () => {
    const out = `${newFolder()}/`;
    const saying: string[] = [];
    for (const kind of [exchanges[0], exchanges[0], exchanges[2]] as Kind[]) {
      const proxy = await proxying(await vendor(() => kind), out);
      await ask(proxy.url, kind);
      saying.push((await proxy.stop()).out);
    }
    const earlier = /begins with the same request as .*conversation-1\.cassette\.json/;
    expect(saying.map((text) => earlier.test(text))).toEqual([false, true, false]);
  });
});

describe("a request that no recording answers", () => {
  async function recorded(): Promise<string> {
    const target = await vendor(() => exchanges[0] as Kind);
    return (RECORDERS["proxy"] as (typeof RECORDERS)[string])(target, async (url) => {
      await ask(url, exchanges[0] as Kind);
    });
  }

  it("fails a run whose client swallows the answer, and is named", async () => {
    const path = await recorded();
    const server = await serving(path, { allowUnused: true });
    await fetch(`${server.url}/v1/models`).catch(() => undefined);
    const { code, out, err } = await server.stop();
    expect(code).toBe(1);
    expect(err).toContain("miss: no recorded exchange answers GET /v1/models; recorded: POST /v1/embeddings");
    expect(out).toContain("GET /v1/models missed: 1 time\n");
  });

  it("names the pointer of the first difference, and fails for an unused exchange", async () => {
    const server = await serving(await recorded());
    const response = await fetch(`${server.url}/v1/embeddings`, post({ input: "y" }));
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("/request/json/input")]);
    const { code, out, err } = await server.stop();
    expect([code, err]).toEqual([1, expect.stringContaining("miss:   at       /request/json/input")]);
    expect(out).toContain("0 of 0 turns used, 0 of 1 exchange used");
    expect(out).toContain("0 answered, 1 miss, 0 refused, 1 unused\n");
  });

  it("does not fail where --pass names it", async () => {
    const path = await recorded();
    const server = await serving(path, { pass: ["GET /v1/models"] });
    expect((await fetch(`${server.url}/v1/models`)).status).toBe(404);
    await ask(server.url, exchanges[0] as Kind);
    const { code, out, err } = await server.stop();
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("GET /v1/models answered with 404 because of --pass: 1 time\n");
  });
});
