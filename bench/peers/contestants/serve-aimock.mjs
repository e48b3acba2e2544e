// aimock as a strict server in a process of its own.

import { fileURLToPath } from "node:url";
import { completionOf, requestOf, HELD, startServer } from "./exchange.mjs";

const self = fileURLToPath(import.meta.url);

if (process.argv[1] === self) {
  const { LLMock } = await import("@copilotkit/aimock");
  const mock = new LLMock({ port: 0, strict: true });
  for (let index = 0; index < HELD; index++) {
    const userMessage = requestOf(index).messages[1].content;
    const { content } = completionOf(index).choices[0].message;
    mock.addFixture({ match: { userMessage }, response: { content } });
  }
  await mock.start();
  process.stdout.write(`http://127.0.0.1:${new URL(mock.url).port}\n`);
}

export const open = () => startServer([self]);
