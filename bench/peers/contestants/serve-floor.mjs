// A plain HTTP server in a process of its own. It finds the completion by the message of the user.

import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { completionOf, HELD, JSON_TYPE, requestOf, startServer } from "../exchange.mjs";

const self = fileURLToPath(import.meta.url);

if (process.argv[1] === self) {
  const completions = new Map(
    Array.from({ length: HELD }, (_, index) => [
      requestOf(index).messages[1].content,
      JSON.stringify(completionOf(index)),
    ]),
  );
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const { messages } = JSON.parse(Buffer.concat(parts).toString());
    response.writeHead(200, JSON_TYPE).end(completions.get(messages.at(-1).content));
  });
  server.listen(0, "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));
}

export const open = () => startServer([self]);
