import { describe, expect, it, vi } from "vitest";
import { AgentError, ToolPolicyError } from "../../../src/core/errors.js";
import { createEventLog } from "../../../src/core/events/log.js";
import type { LlmProviderAdapter } from "../../../src/core/model/provider.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { createAgentNodeExecutor } from "../../../src/core/vertex/executor.js";
import type { AgentRunnerDeps } from "../../../src/core/vertex/host/deps.js";
import type { MediaResult } from "../../../src/core/vertex/media.js";
import { createToolRegistry, type ToolDispatchContext } from "../../../src/core/vertex/tools/registry.js";
import {
  ToolCancelledError,
  ToolExecutionError,
  UnknownToolError,
} from "../../../src/core/vertex/tools/tool-errors.js";
import { ask, quietPorts, say, tool, watchedScript } from "../../support/script.js";
import { codeOf, depsOf, execute, messageOf, vertexOf } from "../../support/vertex.js";
import { fail } from "../../support/chain.js";

const hi = (): LlmProviderAdapter => scriptedProvider([say("Hi.", { model: "m-1" })]);

describe("an execution", () => {
  it("REL-01 REL-07 REL-38 runs an agent vertex to one outcome", async () => {
    const usage = { inputTokens: 7, outputTokens: 2 };
    const script = watchedScript([say("Hi.", { usage, model: "m-1-2026" })]);
    const { outcome } = await execute(depsOf({ first: script }));
    expect(outcome).toEqual({
      kind: "completed",
      output: "Hi.",
      tokensUsed: { input: 7, output: 2, model: "m-1-2026" },
    });
    expect(script.asked[0]?.messages).toEqual([
      { role: "system", content: "You are brief." },
      { role: "user", content: "Write about rain." },
    ]);
  });

  it("sends no system message where none is written", async () => {
    const script = watchedScript([say("Hi.")]);
    await execute(depsOf({ first: script }), vertexOf({}, { system_prompt: "" }));
    expect(script.asked[0]?.messages.map(({ role }) => role)).toEqual(["user"]);
  });

  it("REL-22 REL-76 keeps an agent that is not resolved apart from a provider that the host lacks", async () => {
    const { config, ...vertex } = vertexOf();
    const { node } = config as { node: object };
    const unresolved = await execute(depsOf({}), { ...vertex, config: { kind: "agent", node } });
    expect(unresolved.outcome).toEqual({
      kind: "failed",
      error: { code: "validation", message: 'vertex n1: agent_ref "writer" is not resolved', retryable: false },
    });
    const lacking = await execute(depsOf({}));
    expect([codeOf(lacking), messageOf(lacking)]).toEqual(["internal", 'the host has no provider for "first"']);
  });

  it.each([
    ["node", { node: 1 }],
    ["node.agent_ref", { node: {} }],
    ["node.prompt_template", { node: { agent_ref: "writer" } }],
    ["config.kind", { kind: "condition" }],
    ['agent "writer"', { resolvedAgent: "writer" }],
  ])("fails a wrong %s as validation", async (name, config) => {
    const given = vertexOf();
    const executed = await execute(depsOf({ first: hi() }), { ...given, config: { ...given.config, ...config } });
    expect(codeOf(executed)).toBe("validation");
    expect(messageOf(executed)).toContain(name);
  });

  it.each<[string, object, object]>([
    ["node.retry", { retry: { max: 0 } }, {}],
    ["node.retry", { retry: { max: 1, backoff: { kind: "random" } } }, {}],
    ["node.max_tokens", { max_tokens: 1.5 }, {}],
    ["node.temperature", { temperature: "hot" }, {}],
    ["node.tools", { tools: [1] }, {}],
    ['agent "writer".model', {}, { model: " " }],
    ['agent "writer".fallback_chain', {}, { fallback_chain: [{ provider: "a", model: "b", max_attempts: 0 }] }],
    ['agent "writer".output_schema', {}, { output_schema: "x" }],
  ])("fails a wrong %s as validation and asks no host", async (name, node, agent) => {
    const never = () => {
      throw new Error("asked");
    };
    const executed = await execute(depsOf({}, { resolveProvider: never }), vertexOf(node, agent));
    expect([codeOf(executed), messageOf(executed)]).toEqual([
      "validation",
      expect.stringContaining(`vertex n1: ${name}`),
    ]);
  });

  it("REL-34 overrides the agent's settings by the node's", async () => {
    let settings: unknown;
    const first: LlmProviderAdapter = {
      turn: (request) => ((settings = request.settings), Promise.resolve(say("{}"))),
    };
    const agent = { temperature: 1, max_tokens: 9, output_schema: { type: "array" } };
    await execute(depsOf({ first }), vertexOf({ temperature: 0, model: "m-9", output_schema: {} }, agent));
    const responseFormat = { name: "writer", schema: {} };
    expect(settings).toEqual({ temperature: 0, maxTokens: 9, responseFormat, model: "m-9" });
  });
});

describe("the outcome of", () => {
  it.each<[string, LlmProviderAdapter, string]>([
    ["a filtered answer", scriptedProvider([{ ...say("x"), stopReason: "contentFilter" }]), "content_filter"],
    ["an answer that ends in an error", scriptedProvider([{ ...say("x"), stopReason: "error" }]), "internal"],
    [
      "an answer that was cut, without a schema",
      scriptedProvider([{ ...say("x"), stopReason: "length" }]),
      "completed",
    ],
    ["a chain that is used up", scriptedProvider([fail("auth")]), "provider_auth"],
    ["a fault of code", { turn: () => Promise.reject(new TypeError("x")) }, "internal"],
  ])("REL-39 %s", async (_name, first, code) => {
    expect(codeOf(await execute(depsOf({ first })))).toBe(code);
  });

  it.each<[string, unknown, string, boolean]>([
    ["ToolPolicyError", new ToolPolicyError("no"), "tool_denied", false],
    ["ToolExecutionError", new ToolExecutionError("no"), "tool_failed", true],
    ["ToolCancelledError", new ToolCancelledError(), "cancelled", false],
    ["an Error", new Error("no"), "tool_failed", true],
    ["a missing capability", new AgentError("capability-missing", "no"), "internal", false],
  ])("a dispatch that throws %s", async (_name, error, code, retryable) => {
    const first = scriptedProvider([ask([{ name: "look" }])]);
    const registry = { dispatch: () => Promise.reject(error as Error) };
    const deps = { ...depsOf({ first }, {}, [tool("look", () => "x")]), registry };
    const { outcome } = await execute(deps, vertexOf({}, { tools: ["look"] }));
    expect(outcome).toMatchObject({ kind: "failed", error: { code, retryable } });
  });

  it("REL-50 an unknown tool of the registry is masked", async () => {
    const script = watchedScript([ask([{ name: "look" }]), say("Ok.")]);
    const registry = { dispatch: (id: string) => Promise.reject(new UnknownToolError(id)) };
    const deps = { ...depsOf({ first: script }, {}, [tool("look", () => "x")]), registry };
    expect(codeOf(await execute(deps, vertexOf({}, { tools: ["look"] })))).toBe("completed");
    expect(script.asked[1]?.messages.at(-1)).toMatchObject({ content: "tool unavailable", isError: true });
  });

  it("REL-53 a granted tool without a definition is internal", async () => {
    const executed = await execute(depsOf({ first: hi() }), vertexOf({}, { tools: ["look"] }));
    expect([codeOf(executed), messageOf(executed)]).toEqual(["internal", expect.stringContaining('"look"')]);
  });
});

describe("the host", () => {
  it("REL-18 hands the scope, the vertex and a signal to the registry", async () => {
    const seen: [string, unknown, ToolDispatchContext][] = [];
    const registry = {
      dispatch: (...call: (typeof seen)[number]) => (seen.push(call), "x"),
    } as AgentRunnerDeps["registry"];
    for (const extra of [{}, { fsScope: "project" as const }]) {
      const first = scriptedProvider([ask([{ name: "look", arguments: { at: 1 } }]), say("Ok.")]);
      const deps = { ...depsOf({ first }, extra, [tool("look", () => "x")]), registry };
      await execute(deps, vertexOf({}, { tools: ["look"] }));
    }
    expect(seen.map(([id, args, { nodeId, fsScope, signal }]) => [id, args, nodeId, fsScope, signal.aborted])).toEqual([
      ["look", { at: 1 }, "n1", "sandboxed", false],
      ["look", { at: 1 }, "n1", "project", false],
    ]);
  });

  it("REL-19 REL-44 may leave out limits and gates, and sets them", async () => {
    const forever = () => scriptedProvider(Array.from({ length: 20 }, () => ask([{ name: "look" }])));
    const counts: number[] = [];
    for (const limits of [undefined, { maxToolTurns: 2 }, { maxToolTurns: 0 }]) {
      const deps = depsOf({ first: forever() }, limits && { limits }, [tool("look", () => "x")]);
      const executed = await execute(deps, vertexOf({}, { tools: ["look"] }));
      expect(codeOf(executed)).toBe("turn_limit");
      counts.push(executed.events.filter(({ type }) => type === "cost:updated").length);
    }
    expect(counts).toEqual([17, 3, 1]);
    const deps = depsOf({ first: forever() }, { limits: { maxToolCorrections: 0 } });
    expect(codeOf(await execute(deps))).toBe("tool_failed");
  });

  it("REL-69 refuses a turn with its reason, before a request", async () => {
    const script = watchedScript([say("never")]);
    const deps = depsOf({ first: script }, { preEgress: () => ({ kind: "refuse", reason: "not today" }) });
    const { outcome } = await execute(deps);
    expect(outcome).toEqual({ kind: "failed", error: { code: "turn_limit", message: "not today", retryable: false } });
    expect(script.asked).toEqual([]);
  });

  it.each<[string, Partial<AgentRunnerDeps>]>([
    ["preEgress", { preEgress: () => Promise.reject(new AgentError("invalid-options", "x")) }],
    ["preEgress", { preEgress: () => "no" as never }],
    ["preAttempt", { preAttempt: () => Promise.reject(new AgentError("aborted", "x")) }],
    ["resolveProvider", { resolveProvider: () => fault() }],
    ["resolveProvider", { resolveProvider: () => ({}) as never }],
    ["resolveMediaSurface", { resolveMediaSurface: () => fault() }],
    ["provide", { provide: () => fault() }],
    ["provide", { provide: () => undefined as never }],
    ["log", { log: () => fault() }],
  ])("REL-75 fails the vertex as internal where %s throws or gives nonsense", async (name, extra) => {
    const executed = await execute(depsOf({ first: hi() }, extra));
    expect([codeOf(executed), messageOf(executed)]).toEqual(["internal", expect.stringContaining(name)]);
  });

  it("REL-15 waits between attempts by its sleep, and reads its clock", async () => {
    const waited: number[] = [];
    const now = vi.fn(() => 5);
    const backoff = { kind: "linear", baseMs: 7, maxMs: 9 } as const;
    const first = scriptedProvider([fail("overloaded"), fail("overloaded")]);
    const deps = depsOf({ first, second: hi() }, { sleep: async (ms) => void waited.push(ms), now });
    const fallback_chain = [{ provider: "second", model: "m-2" }];
    expect(codeOf(await execute(deps, vertexOf({ retry: { max: 2, backoff } }, { fallback_chain })))).toBe("completed");
    expect(waited).toEqual([7]);
    expect(now).toHaveBeenCalled();
  });

  it("REL-15 fails the vertex as internal where keyFor throws", async () => {
    const first: LlmProviderAdapter = { ...hi(), withCredential: () => hi() };
    const executed = await execute(depsOf({ first }, { keyFor: () => fault() }));
    expect([codeOf(executed), messageOf(executed)]).toEqual(["internal", expect.stringContaining("keyFor")]);
  });

  it("is warned where emit throws, and the vertex completes", async () => {
    const ports = quietPorts();
    const executed = await execute(depsOf({ first: hi() }, { ports }), vertexOf(), { emit: () => fault() });
    expect(executed.outcome.kind).toBe("completed");
    expect(ports.warnings.length).toBeGreaterThan(0);
  });

  it("is warned where an async emit rejects, and the vertex completes", async () => {
    const ports = quietPorts();
    const emit = () => Promise.reject(new Error("mine"));
    const executed = await execute(depsOf({ first: hi() }, { ports }), vertexOf(), { emit: emit as never });
    await new Promise(setImmediate);
    expect(executed.outcome.kind).toBe("completed");
    expect(ports.warnings[0]).toContain("emit of a vertex threw, but must not: mine");
  });

  it("gets the events of the loop in its log, with the vertex as agent", async () => {
    const ports = quietPorts();
    const log = createEventLog(ports);
    await execute(depsOf({ first: hi() }, { log: (node) => (expect(node.agentRef).toBe("writer"), log) }));
    expect(log.events.map(({ type, agentId }) => [type, agentId])).toEqual([
      ["turn-start", "n1"],
      ["llm-turn", "n1"],
    ]);
  });

  it("is asked nothing once the signal has fired", async () => {
    const executed = await execute(depsOf({}, { resolveProvider: () => fault() }), vertexOf(), {
      signal: AbortSignal.abort(),
    });
    expect(codeOf(executed)).toBe("cancelled");
  });
});

function fault(): never {
  throw new Error("fault");
}

describe("createAgentNodeExecutor", () => {
  it.each<[string, object]>([
    ["unknown option", { extra: 1 }],
    ["resolveProvider", { resolveProvider: undefined }],
    ["registry.dispatch", { registry: {} }],
    ["keyFor", { keyFor: "key" }],
    ["tools", { tools: {} }],
    ["tool 0", { tools: [{ id: "look" }] }],
    ["is not a tool name", { tools: [{ id: "a.b", description: "x", parameters: {} }] }],
    ["fsScope", { fsScope: "root" }],
    ["outputCheck", { outputCheck: "deep" }],
    ["maxToolTurns", { limits: { maxToolTurns: -1 } }],
    ["unknown option", { limits: { turns: 1 } }],
    ["policies", { policies: {} }],
    ["timeoutMs", { timeoutMs: 0 }],
    ["ports", { ports: 1 }],
    ["media.keep", { media: { keep: 1 } }],
  ])("REL-09 refuses a wrong dep: %s", (what, deps) => {
    expect(() => createAgentNodeExecutor({ ...depsOf({}), ...deps } as AgentRunnerDeps)).toThrow(what);
  });

  it("refuses two definitions of one id", () => {
    const look = { id: "look", description: "x", parameters: {} };
    expect(() => createAgentNodeExecutor({ ...depsOf({}), tools: [look, look] })).toThrow("look");
  });
});

describe("createToolRegistry", () => {
  it("dispatches by id, and gives a context without verbs, memory and call ids", async () => {
    const seen: unknown[] = [];
    const look = tool("look", (args, context) => {
      seen.push(args, context.agentId, context.attempt);
      for (const name of ["pluck", "memory", "toolCallId", "idempotencyKey"] as const)
        expect(() => context[name]).toThrow("a vertex has no");
      return "x";
    });
    const { registry, tools } = createToolRegistry([look]);
    const context = { nodeId: "n1", fsScope: "full" as const, signal: new AbortController().signal };
    expect(tools).toEqual([{ id: "look", description: "Does look.", parameters: { type: "object" } }]);
    expect(await registry.dispatch("look", { a: 1 }, context)).toBe("x");
    expect(seen).toEqual([{ a: 1 }, "n1", 1]);
    expect(() => registry.dispatch("absent", {}, context)).toThrow(UnknownToolError);
  });
});

describe("a generative vertex", () => {
  const generative = (result: unknown, extra: Partial<AgentRunnerDeps> = {}) => {
    const first = { ...hi(), generateMedia: () => Promise.resolve(result as MediaResult) };
    return depsOf({ first }, { resolveMediaSurface: () => "generative", ...extra });
  };
  const image = { modalities: ["image"] as const };
  const url = { media: { mediaType: "image/png", url: "https://example.com/a.png" }, units: 1 };

  it.each<[string, object, unknown, string]>([
    ["no modality", {}, url, "validation"],
    ["two modalities", { modalities: ["image", "audio"] }, url, "validation"],
    ["an unknown modality", { modalities: ["smell"] }, url, "validation"],
    ["an empty prompt", { ...image, prompt_template: " " }, url, "validation"],
    ["a job", image, { jobId: "1" }, "internal"],
    ["data that nobody keeps", image, { media: { mediaType: "image/png", data: "YWJj" }, units: 1 }, "internal"],
    ["an answer that cannot be read", image, { media: {} }, "internal"],
    ["a url", image, url, "completed"],
  ])("REL-28 with %s", async (_name, node, result, code) => {
    expect(codeOf(await execute(generative(result), vertexOf(node)))).toBe(code);
  });

  it("REL-28 asks preEgress with no tokens, and costs nothing without a rate", async () => {
    const asked: unknown[] = [];
    const deps = generative(url, { preEgress: (egress) => void asked.push(egress) });
    const { events, outcome } = await execute(deps, vertexOf(image));
    expect(asked).toEqual([{ nodeId: "n1", model: "m-1", turn: 0, estimatedTokens: 0 }]);
    expect(outcome).toMatchObject({ output: { text: "", media: [{ type: "image", ...url.media }] } });
    expect(events).toMatchObject([{ type: "cost:updated", costMicrocents: 0 }]);
    const refused = generative(url, { preEgress: () => ({ kind: "refuse", reason: "no" }) });
    expect(codeOf(await execute(refused, vertexOf(image)))).toBe("turn_limit");
  });

  it("REL-13 REL-27 needs a provider that makes media, and never fails over", async () => {
    const never = vi.fn();
    const second = { ...hi(), generateMedia: never };
    const deps = depsOf({ first: hi(), second }, { resolveMediaSurface: () => "generative" });
    const fallback_chain = [{ provider: "second", model: "m-2" }];
    const executed = await execute(deps, vertexOf(image, { fallback_chain }));
    expect([codeOf(executed), messageOf(executed)]).toEqual([
      "internal",
      expect.stringContaining("cannot generate media"),
    ]);
    expect(never).not.toHaveBeenCalled();
    expect(codeOf(await execute(depsOf({ first: hi() }, { resolveMediaSurface: () => undefined })))).toBe("completed");
  });
});
