// A cassette as handlers of MSW in the process of the client, without a socket.

import { setupServer } from "msw/node";
import { loadCassette } from "playhead/cassette";
import { cassetteHandlers } from "playhead/msw";
import { HOST } from "../exchange.mjs";
import { record } from "../recording.mjs";

let cassette;

export async function open() {
  cassette ??= await loadCassette(await record());
  const server = setupServer(...cassetteHandlers(cassette, { baseUrls: { openai: `${HOST}/v1` } }));
  server.listen({ onUnhandledRequest: "error" });
  return { base: HOST, stop: async () => server.close() };
}
