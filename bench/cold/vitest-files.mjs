// A Vitest project in which the same test is written in several ways, each in a folder of its own. The packages are linked, as if installed.

import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { formatCassette, recordingProvider } from "playhead/cassette";

/** Ways that need no package but ours, Vitest and MSW. */
export const VITEST_WAYS = ["stub", "playhead", "stub-fetch", "msw", "playhead-msw"];

const AGENT = `
/** One turn of an agent that is given its model. */
export const run = async (provider) => {
  const messages = [{ role: "user", content: "How many sparrows are left?" }];
  return (await provider.turn({ messages })).message.content;
};

/** One turn of an agent that calls its model over HTTP. */
export const runOverHttp = async () => {
  const messages = [{ role: "user", content: "How many sparrows are left?" }];
  const response = await fetch("https://api.openai.com/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer none" },
    body: JSON.stringify({ model: "gpt-4o", messages }),
  });
  return (await response.json()).choices[0].message.content;
};

export const completion = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "gpt-4o",
  choices: [{ index: 0, message: { role: "assistant", content: "Three." }, finish_reason: "stop" }],
};
`;

const TESTS = {
  stub: `
import { expect, test } from "vitest";
import { run } from "../agent.mjs";
const stub = { name: "stub", turn: async () => ({ message: { role: "assistant", content: "Three." } }) };
test("counts sparrows", async () => expect(await run(stub)).toBe("Three."));
`,
  playhead: `
import { expect, test } from "playhead/vitest";
import { run } from "../agent.mjs";
test("counts sparrows", async ({ cassette }) => {
  const { provider } = await cassette(() => { throw new Error("not live"); }, { file: "../sparrows.cassette.json" });
  expect(await run(provider)).toBe("Three.");
});
`,
  "stub-fetch": `
import { expect, test, vi } from "vitest";
import { completion, runOverHttp } from "../agent.mjs";
test("counts sparrows", async () => {
  vi.stubGlobal("fetch", async () => Response.json(completion));
  expect(await runOverHttp()).toBe("Three.");
  vi.unstubAllGlobals();
});
`,
  msw: `
import { http, HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { completion, runOverHttp } from "../agent.mjs";
const server = setupServer(http.post("https://api.openai.com/v1/chat/completions", () => HttpResponse.json(completion)));
beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterAll(() => server.close());
test("counts sparrows", async () => expect(await runOverHttp()).toBe("Three."));
`,
  "playhead-msw": `
import { setupServer } from "msw/node";
import { useCassetteHandlers } from "playhead/msw";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runOverHttp } from "../agent.mjs";
const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterAll(() => server.close());
test("counts sparrows", async () => {
  const cassette = await useCassetteHandlers("sparrows.cassette.json");
  server.use(...cassette);
  expect(await runOverHttp()).toBe("Three.");
  await cassette.done();
});
`,
  entry: `
import { test } from "vitest";
test("imports the entry point", async () => {
  const began = performance.now();
  await import("playhead/vitest");
  console.log("import " + (performance.now() - began) + " ms");
});
`,
  nock: `
import nock from "nock";
import { expect, test } from "vitest";
import { completion, runOverHttp } from "../agent.mjs";
test("counts sparrows", async () => {
  nock("https://api.openai.com").post("/v1/chat/completions").reply(200, completion);
  expect(await runOverHttp()).toBe("Three.");
  nock.restore();
});
`,
  aimock: `
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runOverHttp } from "../agent.mjs";
const mock = new LLMock({ port: 0, strict: true });
const real = globalThis.fetch;
beforeAll(async () => {
  mock.onMessage("How many sparrows are left?", { content: "Three." });
  await mock.start();
  globalThis.fetch = (url, init) => real(String(url).replace("https://api.openai.com", mock.url), init);
});
afterAll(() => mock.stop());
test("counts sparrows", async () => expect(await runOverHttp()).toBe("Three."));
`,
};

/** Writes `count` files of each way, and returns the folder of the project. */
export async function writeProject(folder, { root, count, peers = [] }) {
  const link = (from, name) => {
    const to = join(folder, "node_modules", name);
    mkdirSync(dirname(to), { recursive: true });
    symlinkSync(from, to, "dir");
  };
  // Vitest compiles linked packages from outside of node_modules, so this one is a copy.
  const own = ["package.json", "dist"];
  for (const name of own) cpSync(join(root, name), join(folder, "node_modules/playhead", name), { recursive: true });
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const name of ["msw", "vitest", ...Object.keys(dependencies)]) link(join(root, "node_modules", name), name);
  const installed = peers.filter(({ file, main }) => file !== undefined && !["msw"].includes(main));
  for (const { file, main } of installed) link(join(dirname(file), "node_modules", main), main);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  writeFileSync(join(folder, "vitest.config.mjs"), "export default { test: { include: ['**/*.test.mjs'] } };\n");
  writeFileSync(join(folder, "agent.mjs"), AGENT);
  writeFileSync(join(folder, "sparrows.cassette.json"), await sparrows());
  const ways = [...VITEST_WAYS, "entry", ...installed.map(({ folder: way }) => way)];
  for (const way of ways) {
    mkdirSync(join(folder, way));
    for (let index = 0; index < count; index++) writeFileSync(join(folder, way, `${index}.test.mjs`), TESTS[way]);
  }
  return folder;
}

async function sparrows() {
  const message = { role: "assistant", content: "Three." };
  const recorder = recordingProvider({
    name: "bench",
    turn: async () => ({ message, finalAnswer: "Three.", stopReason: "stop" }),
  });
  await recorder.turn({ messages: [{ role: "user", content: "How many sparrows are left?" }] });
  return formatCassette(recorder.toCassette());
}
