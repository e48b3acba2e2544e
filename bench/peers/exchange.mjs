// The exchange that every replay returns: a request in OpenAI's format, a completion of 2 KB, and a server to record
// it from.

import { spawn } from "node:child_process";
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

/** The completions that are asked for in a sample, once each. */
export const SERVED = 1_000;
/** The completions that are asked for before a sample of a warm server. */
export const WARM_UP = 2_000;
/** The completions that a server holds. */
export const HELD = WARM_UP + SERVED;

/** The request with this number. */
export function requestOf(index) {
  const [system, user] = REQUEST.messages;
  return { ...REQUEST, messages: [system, { ...user, content: `${String(index).padStart(4, "0")}: ${user.content}` }] };
}

/** The completion with this number. */
export function completionOf(index) {
  const content = `${index}: ${CONTENT}`.slice(0, CONTENT.length);
  const [choice] = COMPLETION.choices;
  return { ...COMPLETION, choices: [{ ...choice, message: { ...choice.message, content } }] };
}

/** Sends requests with fetch, `parallel` at a time, and returns the microseconds of each. Throws for a wrong answer. */
export async function askAll(base, { parallel, from, count }) {
  const micros = [];
  let next = from;
  const one = async () => {
    for (let index = next++; index < from + count; index = next++) {
      const body = JSON.stringify(requestOf(index));
      const started = process.hrtime.bigint();
      const response = await fetch(`${base}${PATH}`, { method: "POST", headers: JSON_TYPE, body });
      const answer = await response.json();
      micros.push(Number(process.hrtime.bigint() - started) / 1_000);
      const { content } = answer.choices?.[0].message ?? {};
      if (content !== completionOf(index).choices[0].message.content)
        throw new Error(`request ${index} got status ${response.status}: ${JSON.stringify(answer).slice(0, 200)}`);
    }
  };
  await Promise.all(Array.from({ length: parallel }, one));
  return micros;
}

/** Starts a server in a process of its own. Resolves to its process id, the first address that it prints, and a function that ends it. */
export async function startServer(args, { stderr = "inherit" } = {}) {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", stderr] });
  process.once("exit", () => child.kill("SIGKILL"));
  let printed = "";
  const base = await new Promise((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text) => {
      printed += text;
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(printed);
      if (found !== null) resolve(found[0]);
    });
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${printed}`)));
  });
  return {
    base,
    pid: child.pid,
    stop: () =>
      new Promise((resolve) => {
        child.removeAllListeners("exit").once("exit", resolve);
        child.kill("SIGKILL");
      }),
  };
}
