// The programs of the runtime's specification, word for word but for the import path, run against stand-ins for the vendors.

import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { http, HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  anthropicProvider,
  ollamaProvider,
  openaiProvider,
  scriptedProvider,
  verifyReceipts,
  type CustomTool,
  type CustomToolContext,
  type LlmTurnResponse,
} from "../../src/core/index.js";
import { createPluck } from "../../src/host/index.js";
import { ask, say } from "../support/script.js";
import { claudeAsks, claudeSays, gptAsks, gptSays, playBodies } from "../support/vendor-bodies.js";

const server = setupServer();
const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const pem = (key: { export(options: object): string | Buffer }, type: string) =>
  key.export({ format: "pem", type }).toString();
let folder = "";

beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "playhead-seed-")));
  vi.spyOn(process, "cwd").mockReturnValue(folder);
  vi.stubEnv("OPENAI_API_KEY", "sk-openai");
  vi.stubEnv("ANTHROPIC_API_KEY", "sk-anthropic");
  vi.stubEnv("OPENROUTER_API_KEY", "sk-openrouter");
  vi.stubEnv("SLACK_BOT_TOKEN", "xoxb-slack");
  vi.stubEnv("PLUCK_SIGNING_KEY", pem(privateKey, "pkcs8"));
});
afterEach(async () => {
  server.resetHandlers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});
afterAll(() => server.close());

const OPENAI = "https://api.openai.com/v1/chat/completions";
const ANTHROPIC = "https://api.anthropic.com/v1/messages";

describe("the factory call", () => {
  const build = () => {
    const pluck = createPluck();
    return pluck.runtime({
      agents: [
        {
          id: "researcher",
          systemPrompt: "Read the URL and summarise the key facts.",
          provider: openaiProvider({ model: "gpt-5", apiKey: process.env["OPENAI_API_KEY"]! }),
          tools: ["extract", "context", "sense"], // read-only manifest
          budget: { maxTurns: 10, maxToolCalls: 30, maxTokens: 50_000 },
        },
        {
          id: "actor",
          systemPrompt: "Take the researcher's notes and post a summary.",
          provider: anthropicProvider({
            model: "claude-sonnet-4-6-20260201",
            apiKey: process.env["ANTHROPIC_API_KEY"]!,
          }),
          tools: ["act"], // mutating – opt-in
          budget: { maxTurns: 5, maxToolCalls: 5, maxCostUsd: 1.0 },
        },
      ],
      signingKey: process.env["PLUCK_SIGNING_KEY"]!,
    });
  };
  const RUN = {
    goal: "Read https://news.example.com/post and post a summary to slack.",
    plan: {
      entry: "researcher",
      edges: [{ from: "researcher", to: "actor" }],
      exits: ["actor"],
    },
  };

  it("PLK-08 PLK-13 PLK-92 runs both agents with their verbs, and signs a chain of receipts", async () => {
    await writeFile(join(folder, "post.html"), "<title>News</title><p>A bridge opened in Oslo.</p>");
    const openai = playBodies(gptAsks("extract", { uri: "post.html" }), gptSays("A bridge opened in Oslo."));
    const anthropic = playBodies(
      claudeAsks("act", { uri: "slack.txt", action: "write", input: "A bridge opened." }),
      claudeSays("Posted."),
    );
    server.use(http.post(OPENAI, openai.answer), http.post(ANTHROPIC, anthropic.answer));
    const runtime = build();
    const result = await runtime.run(RUN);
    await runtime.destroy();

    expect(result.finalAnswer).toBe("Posted.");
    expect(await readFile(join(folder, "slack.txt"), "utf8")).toBe("A bridge opened.");
    expect(openai.toolNames()).toEqual(Array(2).fill(["extract", "context", "sense"]));
    expect(anthropic.toolNames()).toEqual(Array(2).fill(["act"]));
    expect(JSON.stringify(openai.asked[1])).toContain("A bridge opened in Oslo.");
    expect(result.events.filter(({ type }) => type === "tool-result")).toHaveLength(2);
    expect(verifyReceipts(runtime.receipts, pem(publicKey, "spki"))).toMatchObject({ kind: "ok", complete: true });
  });

  it("PLK-37 PLK-71 stops the actor at its cost cap", async () => {
    const call = claudeAsks("act", { uri: "slack.txt", action: "append", input: "again" });
    const asks = { ...call, usage: { input_tokens: 200_000, output_tokens: 1_000 } };
    server.use(http.post(OPENAI, playBodies(gptSays("Notes.")).answer), http.post(ANTHROPIC, playBodies(asks).answer));
    const runtime = build();
    const result = await runtime.run(RUN);
    await runtime.destroy();
    expect(result.budgetExhausted).toBe("costUsd");
    expect(result.visits[1]?.turns).toBeLessThan(5);
  });
});

it("PLK-19 PLK-23 PLK-24 PLK-25 the four providers ask the hosts they name", async () => {
  // OpenAI
  const gpt = openaiProvider({
    apiKey: process.env["OPENAI_API_KEY"]!,
    model: "gpt-4o",
    timeoutMs: 30_000,
  });

  // Anthropic
  const claude = anthropicProvider({
    apiKey: process.env["ANTHROPIC_API_KEY"]!,
    model: "claude-sonnet-4-6-20260201",
    maxTokens: 4096,
  });

  // Self-hosted Ollama (note: localhost http is permitted; remote http is not)
  const llama = ollamaProvider({
    model: "llama3.1",
    // baseURL: "http://localhost:11434", // default
  });

  // OpenAI-compatible gateway (e.g. OpenRouter, Together, Fireworks)
  const router = openaiProvider({
    apiKey: process.env["OPENROUTER_API_KEY"]!,
    baseURL: "https://openrouter.ai/api/v1",
    model: "anthropic/claude-sonnet-4-6",
  });
  const warn = vi.spyOn(console, "warn").mockReturnValue();

  const keys: (string | null)[] = [];
  const keyed =
    (body: object, header: string) =>
    ({ request }: { request: Request }) => {
      keys.push(request.headers.get(header));
      return HttpResponse.json(body);
    };
  server.use(
    http.post(OPENAI, keyed(gptSays("gpt"), "authorization")),
    http.post(ANTHROPIC, keyed(claudeSays("claude"), "x-api-key")),
    http.post(
      "http://localhost:11434/api/chat",
      keyed({ message: { role: "assistant", content: "llama" }, done: true, done_reason: "stop" }, "authorization"),
    ),
    http.post("https://openrouter.ai/api/v1/chat/completions", keyed(gptSays("router"), "authorization")),
  );
  const answers: (string | undefined)[] = [];
  for (const provider of [gpt, claude, llama, router]) {
    const { message } = await provider.turn({ messages: [{ role: "user", content: "Who are you?" }] });
    answers.push(message.content as string);
  }
  expect(answers).toEqual(["gpt", "claude", "llama", "router"]);
  expect(keys).toEqual(["Bearer sk-openai", "sk-anthropic", null, "Bearer sk-openrouter"]);
  expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("anthropic/claude-sonnet-4-6"));
  expect(() => ollamaProvider({ model: "llama3.1", baseURL: "http://ollama.example.com" })).toThrow(/https/);
});

it("PLK-48 PLK-49 the custom tool posts to Slack next to a verb", async () => {
  const slackPost: CustomTool = {
    name: "slack_post",
    description: "Post a message to a Slack channel.",
    schema: {
      type: "object",
      required: ["channel", "text"],
      properties: {
        channel: { type: "string" },
        text: { type: "string" },
      },
    },
    async invoke(args, ctx: CustomToolContext) {
      const res = await fetch("https://slack.com/api/chat.postMessage", {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          Authorization: `Bearer ${process.env["SLACK_BOT_TOKEN"]}`,
        },
        body: JSON.stringify(args),
        ...(ctx.signal ? { signal: ctx.signal } : {}),
      });
      return res.json();
    },
  };

  const pluck = createPluck();
  const apiKey = process.env["ANTHROPIC_API_KEY"]!;
  const runtime = pluck.runtime({
    agents: [
      {
        id: "poster",
        systemPrompt: "Read the URL and post a summary to #general.",
        provider: anthropicProvider({ apiKey, model: "claude-sonnet-4-6-20260201" }),
        tools: ["extract"], // Pluck verbs in scope
        customTools: [slackPost], // caller tools layered on top
      },
    ],
  });

  const slack: unknown[] = [];
  const anthropic = playBodies(
    claudeAsks("slack_post", { channel: "#general", text: "A bridge opened." }),
    claudeSays("Posted."),
  );
  server.use(
    http.post(ANTHROPIC, anthropic.answer),
    http.post("https://slack.com/api/chat.postMessage", async ({ request }) => {
      slack.push(request.headers.get("authorization"), await request.json());
      return HttpResponse.json({ ok: true, ts: "1" });
    }),
  );
  const { finalAnswer, messages } = await runtime.run({ goal: "Post it." });
  await runtime.destroy();
  expect(finalAnswer).toBe("Posted.");
  expect(anthropic.toolNames()[0]).toEqual(["extract", "slack_post"]);
  expect(slack).toEqual(["Bearer xoxb-slack", { channel: "#general", text: "A bridge opened." }]);
  expect(messages.at(-2)?.content).toBe('{"ok":true,"ts":"1"}');
});

describe("the handoff plan", () => {
  const plan = {
    entry: "router",
    edges: [
      { from: "router", to: "specialist", when: (a: string) => a.includes("specialist") },
      { from: "router", to: "fallback" },
      { from: "specialist", to: "actor" },
      { from: "fallback", to: "actor" },
    ],
    exits: ["actor"],
  };

  it.each([
    ["ask the specialist", ["router", "specialist", "actor"]],
    ["no idea", ["router", "fallback", "actor"]],
  ])("PLK-17 PLK-75 PLK-76 after %j visits %j", async (answer, path) => {
    const says = (id: string, text: string) => ({ id, systemPrompt: id, provider: scriptedProvider([say(text)]) });
    const agents = [says("router", answer), says("specialist", "s"), says("fallback", "f"), says("actor", "done")];
    const result = await createPluck().runtime({ agents }).run({ goal: "g", plan });
    expect(result.visits.map(({ agentId }) => agentId)).toEqual(path);
    expect(result).toMatchObject({ finalAnswer: "done", ended: { kind: "exit" } });
  });
});

it("PLK-97 PLK-98 the lifecycle: destroy calls each provider's destroy, and one that fails is an event", async () => {
  const pluck = createPluck({ ports: { warn: () => undefined } });
  const goal = "summarise";
  const events: string[] = [];
  const destroyed: string[] = [];
  const provider = (id: string, fails: boolean) => ({
    turn: async (): Promise<LlmTurnResponse> => say(id),
    destroy: async () => {
      destroyed.push(id);
      if (fails) throw new Error("still loading");
    },
  });
  const runtime = pluck.runtime({
    agents: [
      { id: "a", systemPrompt: "a", provider: provider("a", true) },
      { id: "b", systemPrompt: "b", provider: provider("b", false) },
    ],
    onEvent: ({ type }) => events.push(type),
  });
  try {
    const result = await runtime.run({ goal });
    expect(result.finalAnswer).toBe("a");
  } finally {
    await runtime.destroy(); // calls each provider's destroy(), drains the chain
  }
  expect(destroyed.sort()).toEqual(["a", "b"]);
  expect(events.at(-1)).toBe("provider-destroy-failed");
});

it("PLK-43 PLK-44 an agent that names no tools gets the seven verbs that only read", async () => {
  const offered: (readonly string[])[] = [];
  const provider = {
    turn: async ({ tools = [] }: { tools?: readonly { name: string }[] }) => {
      offered.push(tools.map(({ name }) => name));
      return offered.length === 1 ? ask([{ name: "act", arguments: { uri: "x", action: "write" } }]) : say("done");
    },
  };
  const runtime = createPluck().runtime({ agents: [{ id: "a", systemPrompt: "a", provider }] });
  const { messages } = await runtime.run({ goal: "g" });
  expect(offered[0]).toEqual(["connect", "extract", "shape", "sense", "probe", "context", "dowse"]);
  expect(messages.at(-2)).toMatchObject({ role: "tool", content: "tool unavailable" });
});
