// Sends a reply no faster than the client reads it, and stops when the client is gone.

import type { ServerResponse } from "node:http";
import type { HttpReply } from "./exchange.js";

/** Resolves when everything was sent or the client is gone. Rejects if a part of the body throws. */
export async function sendReply(response: ServerResponse, { status, headers, body }: HttpReply): Promise<void> {
  if (response.destroyed) return;
  const sent = { ...headers } as Record<string, string | string[]>;
  if (typeof body === "string" || body instanceof Uint8Array) {
    // Without its length, a body is sent in chunks.
    const isBodiless = status < 200 || status === 204 || status === 304;
    response.writeHead(status, isBodiless ? sent : { ...sent, "content-length": String(Buffer.byteLength(body)) });
    response.end(body);
    return over(response, "finish");
  }
  response.writeHead(status, sent);
  response.flushHeaders();
  for await (const part of body) {
    if (response.destroyed) return;
    if (!response.write(part)) await over(response, "drain");
  }
  response.end();
  await over(response, "finish");
}

/** Resolves at the event, or when the connection is gone. */
function over(response: ServerResponse, event: "drain" | "finish"): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      response.off(event, end).off("close", end);
      resolve();
    };
    response.on(event, end).on("close", end);
    if (response.destroyed) end();
  });
}
