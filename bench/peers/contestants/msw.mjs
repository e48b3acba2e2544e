// MSW: a handler that answers the path.

import { http, HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { ask, COMPLETION, CONTENT, HOST, PATH } from "./exchange.mjs";

export { CONTENT };

export async function open() {
  setupServer(http.post(`${HOST}${PATH}`, () => HttpResponse.json(COMPLETION))).listen({ onUnhandledRequest: "error" });
  return { ask: () => ask(fetch, HOST) };
}
