// A vendor on this machine: it speaks the streamed Messages API, and a function answers.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "../../../src/core/canon/value.js";
import type { LlmTurnResponse } from "../../../src/core/model/provider.js";
import { anthropicEvents } from "../../../src/core/vendors/anthropic/write.js";

export interface AskedVendor {
  /** The first system message. */
  readonly system: string;
  /** The last message, or the result of a tool. */
  readonly user: string;
  /** The last message is the error of a tool. */
  readonly isError: boolean;
  readonly model: string;
  /** The system messages behind which the request may be cached. */
  readonly cached: readonly string[];
}

/** The text of an answer, or the tool that it calls. */
export type VendorAnswer = (asked: AskedVendor) => Said | Promise<Said>;
export type Said = string | { readonly tool: string; readonly args: JsonObject };

export interface LocalVendor {
  readonly endpoint: string;
  readonly asked: AskedVendor[];
  close(): Promise<void>;
}

export async function startVendor(answer: VendorAnswer): Promise<LocalVendor> {
  const asked: AskedVendor[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      const body = JSON.parse(text) as {
        model: string;
        system: { text: string; cache_control?: object }[];
        messages: { content: string | { content?: string; is_error?: boolean }[] }[];
      };
      const cached = body.system.filter((block) => block.cache_control !== undefined).map(({ text }) => text);
      const one = {
        cached,
        system: body.system[0]?.text ?? "",
        ...readLast(body.messages.at(-1)?.content ?? ""),
        model: body.model,
      };
      asked.push(one);
      void Promise.resolve(answer(one)).then((content) => {
        const turn = { ...toTurn(content, asked.length), usage: { inputTokens: 10, outputTokens: 5 } };
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

function toTurn(said: Said, count: number): LlmTurnResponse {
  if (typeof said === "string")
    return { message: { role: "assistant", content: said }, finalAnswer: said, stopReason: "stop" };
  const toolCalls = [{ id: `call_${count}`, name: said.tool, arguments: said.args }];
  return { message: { role: "assistant", content: "", toolCalls }, stopReason: "toolUse" };
}

function readLast(content: string | { content?: string; is_error?: boolean }[]): { user: string; isError: boolean } {
  if (typeof content === "string") return { user: content, isError: false };
  return { user: content[0]?.content ?? "", isError: content[0]?.is_error === true };
}
