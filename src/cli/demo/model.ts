// Two "versions" of a model behind the OpenAI chat-completions wire. They are scripts behind a real wire: version 1 reads the right
// pages, and version 2 sorts the list instead and skips a page.

import { serveLoopback, type LoopbackServer } from "./loopback.js";

export type DemoModel = "orbit-1" | "orbit-2";

/** Prices in USD per million tokens. */
export const DEMO_PRICING = { "orbit-1": { input: 2, output: 8 }, "orbit-2": { input: 1, output: 4 } };

interface WireMessage {
  role: string;
  content?: string | null;
}

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
