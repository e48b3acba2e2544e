// Laws of one graph vertex: whatever its author, its host, its data and its vendors do.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cassetteProvider } from "../../src/cassette/replay/replay.js";
import { recordingProvider } from "../../src/cassette/record/recording-provider.js";
import { AgentError, type LlmErrorKind } from "../../src/core/errors.js";
import type { LlmMessage } from "../../src/core/model/message.js";
import type { LlmProviderAdapter, LlmTurnResponse } from "../../src/core/model/provider.js";
import { scriptedProvider, type ScriptStep } from "../../src/core/providers/scripted.js";
import { classifyFailure } from "../../src/core/vertex/outcome.js";
import { fillTemplate } from "../../src/core/vertex/prompt/resolve.js";
import type { AgentRunnerDeps } from "../../src/core/vertex/host/deps.js";
import type { PlanVertex } from "../../src/core/vertex/vertex.js";
import { json as jsonValue, text } from "../support/arbitraries.js";
import { fixedPorts } from "../support/recording.js";
import { ask, say, tool } from "../support/script.js";
import { fail } from "../support/chain.js";
import { depsOf, execute, vertexOf } from "../support/vertex.js";

const CODES = [
  ...["cancelled", "tool_denied", "tool_failed", "internal", "provider_auth", "provider_rate_limit"],
  ...["provider_unavailable", "content_filter", "validation", "turn_limit"],
];
const KINDS: readonly LlmErrorKind[] = [
  ...(["auth", "permission", "not-found", "bad-request", "context-length"] as const),
  ...(["rate-limit", "overloaded", "unavailable", "timeout", "unknown"] as const),
];
const TOOLS = [tool("look", ({ at }) => `seen ${JSON.stringify(at)}`), tool("find", () => "found")];

const throws = (thrown: unknown) => () => {
  throw thrown;
};

describe("an execution", () => {
  it("REL-01 REL-75 never rejects and gives a code of the closed set, for any vertex and a host that throws", async () => {
    const thrown = fc.oneof(
      text.map((words) => new Error(words)),
      jsonValue,
      fc.constant(undefined),
    );
    const names = ["resolveProvider", "provide", "preEgress", "preAttempt", "resolveMediaSurface", "log", "keyFor"];
    const deps = fc.dictionary(fc.constantFrom(...names), thrown.map(throws), { noNullPrototype: true });
    const node = fc.record(
      { agent_ref: jsonValue, prompt_template: jsonValue, tools: jsonValue, retry: jsonValue },
      { requiredKeys: [] },
    );
    const vertex = fc.oneof(
      fc.record({ id: text, type: fc.constantFrom("agent", "condition"), config: jsonValue }),
      node.map((fields) => vertexOf(fields as object)),
      fc.constant(vertexOf()),
    );
    await fc.assert(
      fc.asyncProperty(vertex, deps, async (given, extra) => {
        const first = scriptedProvider([say("Hi.")]);
        const { outcome } = await execute(depsOf({ first }, extra as Partial<AgentRunnerDeps>), given as PlanVertex);
        expect(outcome.kind === "completed" || CODES.includes(outcome.error.code)).toBe(true);
      }),
    );
  });
});

/** Turns with tools, and an answer. */
const call = fc.record({ name: fc.constantFrom("look", "find", "absent"), arguments: fc.record({ at: jsonValue }) });
const turn = fc.record({
  content: text,
  calls: fc.array(call, { minLength: 1, maxLength: 3 }),
  costUsd: fc.option(
    fc.nat(1_000).map((cents) => cents / 1e6),
    { nil: undefined },
  ),
  model: fc.option(fc.constantFrom("m-1", "m-1-dated", "m-2"), { nil: undefined }),
});
const conversation = fc.record({ turns: fc.array(turn, { maxLength: 3 }), answer: text });
/** The failures in front of each answer, by the vendor that makes them. */
const faults = fc.array(
  fc.record({ first: fc.array(fc.constantFrom(...KINDS), { maxLength: 2 }), second: fc.boolean() }),
  {
    minLength: 4,
    maxLength: 4,
  },
);

function toResponses({
  turns,
  answer,
}: typeof conversation extends fc.Arbitrary<infer T> ? T : never): LlmTurnResponse[] {
  const usage = { inputTokens: 10, outputTokens: 5 };
  return [
    ...turns.map(({ content, calls, costUsd, model }) => {
      const numbered = calls.map((one, index) => ({ id: `c${index}`, ...one }));
      const extra = { ...(costUsd === undefined ? {} : { costUsd }), ...(model === undefined ? {} : { model }) };
      return ask(numbered as Parameters<typeof ask>[0], { content, usage, ...extra });
    }),
    say(answer),
  ];
}

/** Vendors that stream in pieces of three characters, and fail as planned before each answer that is theirs. */
function vendors(
  responses: readonly LlmTurnResponse[],
  plan: readonly { first: readonly LlmErrorKind[]; second: boolean }[],
) {
  let answered = 0;
  let failed = 0;
  const vendor = (isFirst: boolean): LlmProviderAdapter => ({
    name: isFirst ? "one" : "two",
    turn: () => Promise.reject(new Error("streams only")),
    async *stream() {
      const { first, second } = plan[answered] as (typeof plan)[number];
      const step: ScriptStep | undefined =
        isFirst && failed < first.length ? fail(first[failed++] as LlmErrorKind) : undefined;
      if (step !== undefined) await scriptedProvider([step]).turn({ messages: [{ role: "user", content: "x" }] });
      if (!isFirst && second && failed < 9) {
        failed = 9;
        await scriptedProvider([fail("overloaded")]).turn({ messages: [{ role: "user", content: "x" }] });
      }
      const response = responses[answered++] as LlmTurnResponse;
      failed = 0;
      for (const piece of response.message.content.match(/[\s\S]{1,3}/gu) ?? [])
        yield { type: "text-delta", text: piece };
      yield { type: "response", response };
    },
  });
  return { first: vendor(true), second: vendor(false) };
}

const CHAIN = {
  retry: { max: 2 },
  tools: ["look", "find"],
  fallback_chain: [{ provider: "second", model: "m-2", max_attempts: 3 }],
};

describe("a recorded vertex", () => {
  it("REL-64 replays with equal events and outcome, whatever failed on the way", async () => {
    let completed = 0;
    await fc.assert(
      fc.asyncProperty(conversation, faults, async (given, plan) => {
        const responses = toResponses(given);
        let recorder: ReturnType<typeof recordingProvider> | undefined;
        const provide: AgentRunnerDeps["provide"] = (live) =>
          (recorder = recordingProvider(live(), { ports: { ...fixedPorts(), warn: () => undefined }, redact: false }));
        const vertex = vertexOf({}, CHAIN);
        const live = await execute(depsOf(vendors(responses, plan), { provide }, TOOLS), vertex);
        const costs = live.events.flatMap((event) => (event.type === "cost:updated" ? [event] : []));
        const sum = costs.reduce((total, { costMicrocents }) => total + costMicrocents, 0);
        expect(costs.at(-1)?.cumulativeCostMicrocents ?? 0).toBe(sum);
        if (live.outcome.kind !== "completed") return;
        completed++;
        const cassette = (recorder as ReturnType<typeof recordingProvider>).toCassette();
        const provider = cassetteProvider(JSON.parse(JSON.stringify(cassette)), { ports: { warn: () => undefined } });
        const replayed = await execute(depsOf({}, { provide: () => provider }, TOOLS), vertex);
        expect(replayed).toEqual(live);
        provider.assertConsumed();
      }),
    );
    expect(completed).toBeGreaterThan(10);
  });
});

describe("a prompt", () => {
  const scope = (topic: unknown) => {
    const { signal } = new AbortController();
    return { inputs: { topic }, ctx: {}, runOutputs: new Map<string, unknown>(), signal };
  };

  it("REL-33 is its text where it has no reference, and data is never read again", async () => {
    const plain = text.filter((words) => !words.includes("{{") && words.trim() !== "");
    await fc.assert(
      fc.asyncProperty(plain, text, async (authored, data) => {
        const well = authored.toWellFormed();
        expect(await fillTemplate(well, scope(data))).toBe(well);
        const hostile = `{{ inputs.key }}${data.toWellFormed()}`;
        expect(await fillTemplate("{{ inputs.topic }}", scope(hostile))).toBe(hostile);
      }),
    );
  });

  it("REL-30 REL-31 REL-83 never moves data into the system message", async () => {
    await fc.assert(
      fc.asyncProperty(text, text, jsonValue, async (system, append, data) => {
        let sent: readonly LlmMessage[] = [];
        const first: LlmProviderAdapter = {
          turn: ({ messages }) => ((sent = [...messages]), Promise.resolve(say("Ok."))),
        };
        const node = { system_prompt_append: append, prompt_template: 'Data: {{ run.outputs["p"] }}' };
        await execute(depsOf({ first }), vertexOf(node, { system_prompt: system }), {
          runOutputs: new Map([["p", data]]),
        });
        const authored = [system, append]
          .filter((part) => part !== "")
          .join("\n\n")
          .toWellFormed();
        const expected = authored === "" ? [] : [{ role: "system", content: authored }];
        expect(sent.slice(0, -1)).toEqual(expected);
        expect(sent.at(-1)?.role).toBe("user");
      }),
    );
  });
});

describe("a grant", () => {
  it("REL-84 offers and dispatches the same tools", async () => {
    const names = ["a", "b", "c", "d"];
    await fc.assert(
      fc.asyncProperty(fc.subarray(names), fc.subarray(names), async (agentTools, calls) => {
        fc.pre(calls.length > 0);
        const dispatched: string[] = [];
        let offered: readonly string[] = [];
        const script = scriptedProvider([ask(calls.map((name) => ({ name }))), say("Ok.")]);
        const first: LlmProviderAdapter = {
          turn(request) {
            offered = (request.tools ?? []).map(({ name }) => name);
            return script.turn(request);
          },
        };
        const tools = names.map((name) => tool(name, () => (dispatched.push(name), "x")));
        await execute(depsOf({ first }, {}, tools), vertexOf({}, { tools: agentTools }));
        expect(offered).toEqual(agentTools);
        expect(dispatched).toEqual(calls.filter((name) => agentTools.includes(name)));
      }),
    );
  });
});

describe("a classification", () => {
  it("REL-46 REL-55 depends on code and kind, and not on words", () => {
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), text, text, fc.boolean(), (kind, one, other, retryable) => {
        const judged = [one, other].map((words) => {
          const { code, retryable: again } = classifyFailure(
            new AgentError("provider-response", words, { kind, retryable }),
          );
          return [code, again];
        });
        expect(judged[0]).toEqual(judged[1]);
      }),
    );
  });
});
