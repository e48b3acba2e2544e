// A vendor on this machine: it speaks the streamed Messages API, and a function answers.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropicEvents } from "../../../src/core/vendors/anthropic/write.js";

export interface AskedVendor {
  /** The first system message. */
  readonly system: string;
  /** The last message. */
  readonly user: string;
  readonly model: string;
  /** The system messages behind which the request may be cached. */
  readonly cached: readonly string[];
}

export interface LocalVendor {
  readonly endpoint: string;
  readonly asked: AskedVendor[];
  close(): Promise<void>;
}

export async function startVendor(answer: (asked: AskedVendor) => string | Promise<string>): Promise<LocalVendor> {
  const asked: AskedVendor[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      const body = JSON.parse(text) as {
        model: string;
        system: { text: string; cache_control?: object }[];
        messages: { content: string }[];
      };
      const cached = body.system.filter((block) => block.cache_control !== undefined).map(({ text }) => text);
      const one = {
        cached,
        system: body.system[0]?.text ?? "",
        user: body.messages.at(-1)?.content ?? "",
        model: body.model,
      };
      asked.push(one);
      void Promise.resolve(answer(one)).then((content) => {
        const message = { role: "assistant" as const, content };
        const turn = {
          message,
          finalAnswer: content,
          stopReason: "stop" as const,
          usage: { inputTokens: 10, outputTokens: 5 },
        };
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(
          anthropicEvents(turn, { id: "1", createdAt: 0, model: body.model })
            .map((event) => event.text)
            .join(""),
        );
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}/v1`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
