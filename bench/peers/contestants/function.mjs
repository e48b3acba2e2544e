// No tool at all: a function that answers in the place of `fetch`.

import { ask, COMPLETION_TEXT, CONTENT, HOST, JSON_TYPE } from "../exchange.mjs";

export { CONTENT };

export async function open() {
  const send = async () => new Response(COMPLETION_TEXT, { status: 200, headers: JSON_TYPE });
  return { ask: () => ask(send, HOST) };
}
