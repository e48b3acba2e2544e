// `cassette serve --control` inside a test's own process, driven by orders.

import { PassThrough } from "node:stream";
import { control } from "../../../src/cli/control/control.js";
import type { Stop } from "../../../src/cli/serve/listen.js";
import { nodeFiles } from "../../../src/host/files.js";
import { listen } from "../../support/wire.js";
import { closeLater } from "../serve/running.js";
import { folder } from "../run.js";

/** Any fields, as far as the tests look into an answer. */
export type Answer = Record<string, unknown> & {
  variables?: Record<string, string>;
  error?: { code: string; message: string; hint: string; text: string };
};

/** The rest of each line that the server says, and its messages for people. */
export async function startControl(env: Record<string, string> = {}) {
  const stdin = new PassThrough();
  const waiting: ((answer: Answer) => void)[] = [];
  const said: Answer[] = [];
  const printed = { err: "", code: 0 };
  let end: () => void = () => undefined;
  const stop: Stop = { stopped: new Promise((resolve) => (end = resolve)), now: () => end() };
  const done = control(
    { port: 0 },
    {
      stdout(text) {
        const answer = JSON.parse(text) as Answer;
        const next = waiting.shift();
        if (next === undefined) said.push(answer);
        else next(answer);
      },
      stderr: (text) => void (printed.err += text),
      stdin: () => stdin,
      ...{ env, cwd: folder, isTTY: false, stderrIsTTY: false, files: nodeFiles() },
      exit: (code) => (printed.code = code),
    },
    stop,
  );
  const next = (): Promise<Answer> => {
    const answer = said.shift();
    return answer === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(answer);
  };
  const hello = await next();
  const finish = async () => {
    stdin.end();
    await done;
    return printed;
  };
  closeLater(finish);
  return {
    ...{ hello, finish, stop, done, printed, stdin },
    /** Writes one line, and resolves to its answer. */
    async order(line: object | string): Promise<Answer> {
      stdin.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`);
      return next();
    },
  };
}

/** A vendor on the OpenAI wire that repeats the question, and counts what it is asked. */
export async function startVendor(): Promise<{ url: string; paths: string[] }> {
  const paths: string[] = [];
  const server = await listen((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      paths.push(request.url ?? "");
      type Body = { messages?: { content: string }[] };
      const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as Body;
      const question = messages?.at(-1)?.content ?? "";
      if (question === "never") return;
      const refused = question === "refuse";
      const message = { role: "assistant", content: `echo ${question}` };
      const choices = [{ index: 0, message, finish_reason: "stop" }];
      response.writeHead(refused ? 401 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(refused ? { error: { message: "no" } } : { id: "1", model: "m", choices }));
    });
  });
  closeLater(() => server.close());
  return { url: server.baseURL, paths };
}
