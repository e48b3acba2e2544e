// MSW in the process of the client, without a socket. Its handler finds the completion by the message of the user.

import { http, HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { completionOf, HOST, PATH, requestOf, HELD } from "./exchange.mjs";

const completions = new Map(
  Array.from({ length: HELD }, (_, index) => [requestOf(index).messages[1].content, completionOf(index)]),
);

export async function open() {
  const server = setupServer(
    http.post(`${HOST}${PATH}`, async ({ request }) => {
      const { messages } = await request.json();
      const completion = completions.get(messages.at(-1).content);
      return completion === undefined ? new HttpResponse(null, { status: 404 }) : HttpResponse.json(completion);
    }),
  );
  server.listen({ onUnhandledRequest: "error" });
  return { base: HOST, stop: async () => server.close() };
}
