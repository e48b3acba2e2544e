// The demo's servers on 127.0.0.1: a little web site to research, and two "versions" of a model, which are scripts behind the real OpenAI
// chat-completions wire. Version 1 reads the right pages, and version 2 sorts the list instead and skips a page.

import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export type DemoModel = "orbit-1" | "orbit-2";

/** Prices in USD per million tokens. */
export const DEMO_PRICING = { "orbit-1": { input: 2, output: 8 }, "orbit-2": { input: 1, output: 4 } };

type WireMessage = { role: string; content?: string | null };

/** Paths to read, by the number of tool results so far. Without a path the model answers. */
const READS: Readonly<Record<DemoModel, Readonly<Record<number, readonly string[]>>>> = {
  "orbit-1": { 0: ["/"], 1: ["/kits", "/about"] },
  "orbit-2": { 0: ["/"], 1: ["/kits?sort=price"], 2: ["/press"] },
};

export async function serveModel(): Promise<LoopbackServer> {
  return serveLoopback((path, body) => {
    if (path !== "/v1/chat/completions") return { status: 404, body: `{"error":{"message":"no such path"}}` };
    const { model, messages } = JSON.parse(body) as { model: DemoModel; messages: WireMessage[] };
    return { status: 200, body: JSON.stringify(complete(model, messages)) };
  });
}

function complete(model: DemoModel, messages: readonly WireMessage[]): object {
  const results = messages.filter((message) => message.role === "tool").map((message) => message.content ?? "");
  const paths = READS[model][results.length];
  const message =
    paths === undefined
      ? { role: "assistant", content: answer(results.join("\n")) }
      : {
          role: "assistant",
          content: null,
          tool_calls: paths.map((path, index) => callTo(path, results.length + index)),
        };
  const promptTokens = Math.ceil(JSON.stringify(messages).length / 4);
  const completionTokens = Math.ceil(JSON.stringify(message).length / 4);
  return {
    id: `chatcmpl-${results.length}`,
    object: "chat.completion",
    model,
    choices: [{ index: 0, finish_reason: paths === undefined ? "stop" : "tool_calls", message }],
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
  };
}

function callTo(path: string, index: number): object {
  return {
    id: `call_${index}`,
    type: "function",
    function: { name: "read_page", arguments: JSON.stringify({ path }) },
  };
}

/** Names the cheapest kit, and the opening year if a page gave one. */
function answer(read: string): string {
  const kits = [...read.matchAll(/(\w+) (\d+) EUR/g)].map(([, name, price]) => ({ name, price: Number(price) }));
  const cheapest = kits.sort((a, b) => a.price - b.price)[0];
  const kit =
    cheapest === undefined ? "No kit is listed" : `The cheapest kit is the ${cheapest.name} at ${cheapest.price} EUR`;
  const year = /opened the shop in (\d{4})/.exec(read)?.[1];
  return year === undefined
    ? `${kit}. I could not find out since when the shop exists.`
    : `${kit}; the shop opened in ${year}.`;
}

interface LoopbackServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** The number of requests answered so far. */
  readonly requests: () => number;
  /** Drops every connection. */
  readonly close: () => Promise<void>;
}

async function serveLoopback(
  answer: (path: string, body: string) => { status: number; body: string },
): Promise<LoopbackServer> {
  let count = 0;
  const server = createServer((request, response) => {
    void readBody(request).then((text) => {
      count++;
      const { status, body } = answer(request.url ?? "/", text);
      response.writeHead(status, { "content-type": body.startsWith("{") ? "application/json" : "text/plain" });
      response.end(body);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => count,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk as string;
  return text;
}

const PAGES: Readonly<Record<string, string>> = {
  "/": "Orbit Outfitters. Model rockets since forever. Pages: /kits, /about, /press",
  "/kits": "Kits: Heron 64 EUR, Sparrow 19 EUR, Albatross 120 EUR",
  "/about": "About us: two sisters opened the shop in 1987.",
  "/press": "Press: the Albatross flew 1,204 metres in 2019.",
};

/** The agent's `read_page` tool. */
export type ReadPage = (path: string, signal: AbortSignal) => Promise<string>;

export async function serveSite(): Promise<LoopbackServer & { readPage: ReadPage }> {
  const server = await serveLoopback((path) => {
    const page = PAGES[path.split("?")[0] ?? ""];
    return page === undefined ? { status: 404, body: "no such page" } : { status: 200, body: page };
  });
  return {
    ...server,
    async readPage(path, signal) {
      const response = await fetch(new URL(path, server.url), { signal });
      if (!response.ok) throw new Error(`${path} answered ${response.status}`);
      return response.text();
    },
  };
}
