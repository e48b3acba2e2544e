// The programs of the specification about cassettes, word for word but for the import path, run against stand-ins for the
// vendors.

import fs from "node:fs";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  cassetteProvider,
  diffCassettes,
  recordingProvider,
  type Cassette,
  type CassetteV2,
} from "../../src/cassette/index.js";
import { openaiProvider, scriptedProvider, type LlmMessage, type LlmProviderAdapter } from "../../src/core/index.js";
import { createPluck } from "../../src/host/index.js";
import { rejection, refusal } from "../support/refusal.js";
import { ask, say } from "../support/script.js";
import { gptAsks, gptSays, playBodies } from "../support/vendor-bodies.js";

const server = setupServer();
const OPENAI = "https://api.openai.com/v1/chat/completions";
let folder = "";

beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "playhead-seed-")));
  await writeFile(join(folder, "homepage.html"), "<title>Shop</title><p>Three sparrows are left.</p>");
  await writeFile(join(folder, "stock.html"), "<title>Stock</title><p>None.</p>");
  fs.mkdirSync(join(folder, "cassettes"));
  vi.spyOn(process, "cwd").mockReturnValue(folder);
  vi.stubEnv("OPENAI_API_KEY", "sk-openai");
});
afterEach(async () => {
  server.resetHandlers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});
afterAll(() => server.close());

/** An agent of the specification's programs on `provider`. */
const runtimeOn = (provider: LlmProviderAdapter) =>
  createPluck().runtime({ agents: [{ id: "a", systemPrompt: "...", provider, tools: ["extract"] }] });

async function record(goal = "first"): Promise<CassetteV2> {
  const steps = [ask([{ name: "extract", arguments: { uri: "homepage.html" } }]), say("Three sparrows.")];
  const recorder = recordingProvider(scriptedProvider(steps));
  await runtimeOn(recorder).run({ goal });
  return recorder.toCassette({ agentId: "a" });
}

describe("record, replay and drift", () => {
  /** The program, with the calls that each model's stand-in makes. */
  async function program(gpt4o: ReturnType<typeof playBodies>, gpt5: ReturnType<typeof playBodies>) {
    const pluck = createPluck();
    server.use(http.post(OPENAI, gpt4o.answer));
    // 1. Record – wrap the real provider in `recordingProvider`.
    const recorder = recordingProvider(
      openaiProvider({
        apiKey: process.env["OPENAI_API_KEY"]!,
        model: "gpt-4o",
      }),
    );
    const runtime1 = pluck.runtime({
      agents: [{ id: "a", systemPrompt: "...", provider: recorder, tools: ["extract"] }],
    });
    const first = await runtime1.run({ goal: "summarise the homepage" });
    const cassette = recorder.toCassette({ agentId: "a" });
    const path = join(folder, "cassettes", "homepage.json");
    fs.writeFileSync(path, JSON.stringify(cassette, null, 2));

    // 2. Replay – feed the cassette back in place of the real provider.
    server.resetHandlers();
    const replay = cassetteProvider(JSON.parse(fs.readFileSync(path, "utf8")) as Cassette);
    const runtime2 = pluck.runtime({
      agents: [{ id: "a", systemPrompt: "...", provider: replay, tools: ["extract"] }],
    });
    const second = await runtime2.run({ goal: "summarise the homepage" });
    // ↑ identical tool-call sequence, no API spend, deterministic.
    expect(second.messages).toEqual(first.messages);

    // 3. Drift detection – record a NEW run against gpt-5, diff vs the gpt-4o cassette.
    server.use(http.post(OPENAI, gpt5.answer));
    const newRecorder = recordingProvider(
      openaiProvider({
        apiKey: process.env["OPENAI_API_KEY"]!,
        model: "gpt-5",
      }),
    );
    const runtime3 = pluck.runtime({
      agents: [{ id: "a", systemPrompt: "...", provider: newRecorder, tools: ["extract"] }],
    });
    await runtime3.run({ goal: "summarise the homepage" });
    const newCassette = newRecorder.toCassette({ agentId: "a" });
    const drift = diffCassettes(cassette, newCassette, { ignoreContent: true });
    if (drift.length > 0) {
      throw new Error(`Tool-call drift between gpt-4o and gpt-5: ${JSON.stringify(drift)}`);
    }
  }
  const extract = (uri: string) => gptAsks("extract", { uri });

  it("PLK-102 PLK-103 PLK-104 PLK-106 PLK-107 passes where the new model makes the same calls in other words", async () => {
    const gpt5 = playBodies(extract("homepage.html"), gptSays("There are three sparrows left."));
    const cut = {
      ...gptSays("Three"),
      choices: [{ message: { role: "assistant", content: "Thr" }, finish_reason: "length" }],
    };
    await program(playBodies(extract("homepage.html"), gptSays("Three sparrows.")), gpt5);
    await program(playBodies(extract("homepage.html"), gptSays("Three.")), playBodies(extract("homepage.html"), cut));
  });

  it("PLK-105 PLK-106 throws where it calls with other arguments, and says where", async () => {
    const gpt5 = playBodies(extract("stock.html"), gptSays("None."));
    const error = await rejection(program(playBodies(extract("homepage.html"), gptSays("Three.")), gpt5));
    expect((error as Error).message).toContain("Tool-call drift between gpt-4o and gpt-5: ");
    expect((error as Error).message).toContain('"kind":"args-changed"');
    expect((error as Error).message).toContain('"/uri"');
  });
});

it("PLK-121 PLK-122 requireIntegrity takes version 2 and refuses version 1", async () => {
  const cassette = await record();
  expect(cassetteProvider(cassette).remaining).toBe(2); // v2 always validates integrity
  expect(cassetteProvider(cassette, { requireIntegrity: true }).remaining).toBe(2); // also refuses v1
  const { version: _v, cassetteId: _c, envelopeHash: _e, extensions: _x, entries, ...rest } = cassette;
  const bare = entries.map(({ turnIndex, promptHash, response }) => ({ turnIndex, promptHash, response }));
  const v1 = { version: 1, ...rest, entries: bare };
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  expect(cassetteProvider(v1).remaining).toBe(2);
  expect(warn).toHaveBeenCalledOnce();
  expect(refusal(() => cassetteProvider(v1, { requireIntegrity: true }))).toMatchObject({ code: "integrity-required" });
});

it.each(["cassetteId", "envelopeHash", "responseHash"])(
  "PLK-124 a version 1 cassette with the version 2 field %s is refused as suspected tampering",
  async (field) => {
    const { version: _v, cassetteId, envelopeHash, extensions: _x, entries, ...rest } = await record();
    const bare = entries.map(({ turnIndex, promptHash, responseHash, response }) => ({
      ...{ turnIndex, promptHash, response },
      ...(field === "responseHash" ? { responseHash } : {}),
    }));
    const forged = {
      ...{ version: 1, ...rest, entries: bare },
      ...(field === "cassetteId" ? { cassetteId } : field === "envelopeHash" ? { envelopeHash } : {}),
    };
    const error = refusal(() => cassetteProvider(forged)) as Error;
    expect(error).toMatchObject({ code: "downgrade" });
    expect(error.message).toContain("downgrade tampering suspected");
  },
);

it("PLK-128 PLK-129 a second run needs a reset, and the error says that the replay is exhausted", async () => {
  const cassette = await record("first");
  const replay = cassetteProvider(cassette);
  const runtime = runtimeOn(replay);
  await runtime.run({ goal: "first" });
  const error = (await rejection(runtime.run({ goal: "first" }))) as Error;
  expect(error).toMatchObject({ code: "exhausted" });
  expect(error.message).toContain("exhausted");
  replay.reset();
  const result = await runtime.run({ goal: "first" }); // succeeds
  expect(result.finalAnswer).toBe("Three sparrows.");
});

describe("hashFilter", () => {
  const stripSessionId = (msgs: readonly LlmMessage[]) =>
    msgs.map((m) =>
      m.role === "system" ? { ...m, content: (m.content as string).replace(/session=[a-f0-9-]+/, "session=<id>") } : m,
    );
  const run = (provider: LlmProviderAdapter, session: string) =>
    createPluck()
      .runtime({ agents: [{ id: "a", systemPrompt: `Be brief. session=${session}`, provider, tools: [] }] })
      .run({ goal: "session=ab12 stays" });

  it("PLK-130 PLK-136 on both sides takes a new session id for the recorded one", async () => {
    const realProvider = scriptedProvider([say("Hello.")]);
    // Record:
    const recorder = recordingProvider(realProvider, { hashFilter: stripSessionId });
    await run(recorder, "0a1b-2c3d");
    const cassette = recorder.toCassette({ agentId: "a" });
    // Replay:
    const replay = cassetteProvider(cassette, { hashFilter: stripSessionId });
    expect((await run(replay, "ffff-0000")).finalAnswer).toBe("Hello.");
    expect(JSON.stringify(cassette)).not.toContain("0a1b-2c3d");
    expect(JSON.stringify(cassette)).toContain("session=ab12 stays");
  });

  it("PLK-131 on one side alone throws", async () => {
    const filtered = recordingProvider(scriptedProvider([say("Hello.")]), { hashFilter: stripSessionId });
    await run(filtered, "0a1b");
    expect(refusal(() => cassetteProvider(filtered.toCassette({ agentId: "a" })))).toMatchObject({
      code: "filter-one-sided",
    });
    const plain = recordingProvider(scriptedProvider([say("Hello.")]));
    await run(plain, "0a1b");
    const replay = () => cassetteProvider(plain.toCassette({ agentId: "a" }), { hashFilter: stripSessionId });
    expect(refusal(replay)).toMatchObject({ code: "filter-one-sided" });
  });
});

it("PLK-133 the redact hook keeps an address out of the recorded message", async () => {
  const EMAIL_RE = /[\w.]+@[\w.]+\w/g;
  const realProvider = scriptedProvider([say("Write to ann@example.com.")]);
  const recorder = recordingProvider(realProvider, {
    redact: (response) => ({
      ...response,
      message: { ...response.message, content: response.message.content.replace(EMAIL_RE, "<EMAIL>") },
    }),
  });
  const live = await runtimeOn(recorder).run({ goal: "Whom do I ask?" });
  expect(live.finalAnswer).toBe("Write to ann@example.com.");
  const [entry] = recorder.toCassette({ agentId: "a" }).entries;
  expect(entry?.response.message.content).toBe("Write to <EMAIL>.");
});

it.each([
  ["BigInt", 1n],
  ["function", () => 1],
  ["symbol", Symbol("s")],
])("PLK-134 a %s in the arguments of a tool call fails while it is recorded", async (_kind, value) => {
  const step = ask([{ name: "extract", arguments: { uri: value as never } }]);
  const recorder = recordingProvider({ turn: async () => step });
  const turn = recorder.turn({ messages: [{ role: "user", content: "go" }] });
  expect(await rejection(turn)).toMatchObject({ code: "not-recordable" });
});
