// undici: its MockAgent under its own fetch.

import { fetch as send, MockAgent } from "undici";
import { ask, COMPLETION_TEXT, CONTENT, HOST, JSON_TYPE, PATH } from "./exchange.mjs";

export { CONTENT };

export async function open() {
  const dispatcher = new MockAgent();
  dispatcher.disableNetConnect();
  dispatcher
    .get(HOST)
    .intercept({ path: PATH, method: "POST" })
    .reply(200, COMPLETION_TEXT, { headers: JSON_TYPE })
    .persist();
  return { ask: () => ask((url, options) => send(url, { ...options, dispatcher }), HOST) };
}
