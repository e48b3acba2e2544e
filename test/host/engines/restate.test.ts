// examples/durable/restate.mjs on a real Restate server, and the page that shows the programs.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { repositoryRoot } from "../../support/built.js";
import { itSurvives } from "../../support/desk.js";
import { freePort } from "../../../scripts/free-port.mjs";
import { describeRestate } from "../../support/servers.js";
import { readSnippets } from "../../support/snippets.js";

it.each(["desk.mjs", "restate.mjs", "dbos.mjs"])("docs/engines.md shows %s as it is", (name) => {
  const shown = readSnippets("docs/engines.md").map(({ code }) => code);
  expect(shown).toContain(readFileSync(join(repositoryRoot, "examples/durable", name), "utf8"));
});

describeRestate("examples/durable/restate.mjs", (restate) => {
  let port = 0;
  beforeAll(async () => (port = await freePort()));

  itSurvives({
    program: "restate.mjs",
    needsNewWorker: false,
    env: () => ({ PORT: String(port) }),
    connect: () => restate.register(`http://127.0.0.1:${port}`),
    async send(id, key, text) {
      const response = await fetch(`${restate.ingress}/desk/${key}/send`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": id },
        body: JSON.stringify(text),
      });
      if (!response.ok) throw new Error(await response.text());
      return response.json();
    },
    async restart() {
      await restate.kill();
      await restate.start();
    },
  });
});
