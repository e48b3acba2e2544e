// The exchange that every replay returns: a request in OpenAI's format, a completion of 2 KB, and a server to record
// it from.

import { createServer } from "node:http";

const SENTENCE = "The total of the seven orders that the agent has read is 42.17 euro, as the report says. ";
export const HOST = "http://replay.invalid";
export const PATH = "/v1/chat/completions";
export const CONTENT = SENTENCE.repeat(20).slice(0, 1_500);
export const JSON_TYPE = { "content-type": "application/json" };

export const REQUEST = {
  model: "model-1",
  temperature: 0,
  messages: [
    { role: "system", content: "You are a careful agent that reads orders and writes reports." },
    { role: "user", content: SENTENCE.repeat(5).slice(0, 400) },
  ],
};
export const COMPLETION = {
  id: "chatcmpl-0123456789",
  object: "chat.completion",
  created: 1_760_000_000,
  model: "model-1",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: CONTENT, refusal: null },
      logprobs: null,
      finish_reason: "stop",
    },
  ],
  usage: { prompt_tokens: 120, completion_tokens: 350, total_tokens: 470 },
};
export const COMPLETION_TEXT = JSON.stringify(COMPLETION);

/** Sends the request and returns the content of the answer. */
export async function ask(send, base) {
  const response = await send(`${base}${PATH}`, {
    method: "POST",
    headers: { ...JSON_TYPE, authorization: "Bearer none" },
    body: JSON.stringify(REQUEST),
  });
  const { choices } = await response.json();
  return choices[0].message.content;
}

/** A model to record from, on its own port. `stop` closes it, so that a replay which still calls it fails. */
export async function startModel() {
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => response.writeHead(200, JSON_TYPE).end(COMPLETION_TEXT));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    base: `http://127.0.0.1:${server.address().port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}
