// A vertex that failed over is recorded and replayed: the riskiest promise of this face.

import { describe, expect, it } from "vitest";
import { recordingProvider } from "../../../src/cassette/record/recording-provider.js";
import { forkProvider } from "../../../src/cassette/record/fork.js";
import { cassetteProvider } from "../../../src/cassette/replay/replay.js";
import { buildCassette } from "../../../src/cassette/file/build.js";
import type { CassetteV2 } from "../../../src/cassette/file/format.js";
import { readAnsweredBy } from "../../../src/cassette/stream/answered-by.js";
import type { NodeEventBody } from "../../../src/core/vertex/events.js";
import type { AgentRunnerDeps } from "../../../src/core/vertex/host/deps.js";
import type { LlmProviderAdapter } from "../../../src/core/model/provider.js";
import { fail } from "../../support/chain.js";
import { fixedPorts } from "../../support/recording.js";
import { ask, say, tool } from "../../support/script.js";
import { depsOf, execute, vertexOf } from "../../support/vertex.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";

const CHAIN = {
  retry: { max: 2 },
  fallback_chain: [
    { provider: "second", model: "m-2", max_attempts: 2 },
    { provider: "third", model: "m-3" },
  ],
  tools: ["look"],
};
const usage = { inputTokens: 10, outputTokens: 5 };
const LOOK = tool("look", () => "seen");
const never = (): never => {
  throw new Error("a replay asked the host");
};

/** Two turns: in the first the first provider fails twice and cools down, the second answers under a dated name. */
const providers = (): Record<string, LlmProviderAdapter> => ({
  first: scriptedProvider([fail("rate-limit"), fail("overloaded")]),
  third: scriptedProvider([say("Never.")]),
  second: scriptedProvider([
    ask([{ name: "look" }], { content: "Hm.", usage, costUsd: 0.001, model: "m-2-2026-01-01" }),
    fail("timeout"),
    say("Done.", { usage, costUsd: 0.002, model: "m-2" }),
  ]),
});

const spoken = (events: readonly NodeEventBody[]) =>
  events.map((event) => (event.type === "agent:token" ? event.token : "")).join("");
const others = (events: readonly NodeEventBody[]) => events.filter(({ type }) => type !== "agent:token");

async function record(vertex = vertexOf({}, CHAIN), given = providers()) {
  let recorder: ReturnType<typeof recordingProvider> | undefined;
  const provide: AgentRunnerDeps["provide"] = (live) => (recorder = recordingProvider(live(), { ports: fixedPorts() }));
  const live = await execute(depsOf(given, { provide }, [LOOK]), vertex);
  const cassette = (recorder as ReturnType<typeof recordingProvider>).toCassette();
  return { live, cassette };
}

/** A replay without the host's providers, keys and clock. */
function replay(provider: LlmProviderAdapter, vertex = vertexOf({}, CHAIN)) {
  const deps = depsOf(
    {},
    { provide: () => provider, resolveProvider: never, keyFor: never, now: never, sleep: never },
    [LOOK],
  );
  return execute(deps, vertex);
}

describe("a vertex that failed over", () => {
  it("REL-64 REL-67 has the same events and the same outcome in a replay", async () => {
    const { live, cassette } = await record();
    expect(live.outcome).toEqual({
      kind: "completed",
      output: "Done.",
      tokensUsed: { input: 20, output: 10, model: "m-2" },
    });
    const costs = live.events.flatMap((event) => (event.type === "cost:updated" ? [event] : []));
    expect(costs.map(({ model, attemptNumber, costMicrocents }) => [attemptNumber, model, costMicrocents])).toEqual([
      [1, "m-1", 0],
      [2, "m-1", 0],
      [3, "m-2-2026-01-01", 100_000],
      [1, "m-2", 0],
      [2, "m-2", 200_000],
    ]);
    expect(await replay(cassetteProvider(cassette))).toEqual(live);
    const whole = await replay(cassetteProvider(cassette, { streaming: "whole" }));
    expect([whole.outcome, spoken(whole.events), others(whole.events)]).toEqual([
      ...[live.outcome, spoken(live.events), others(live.events)],
    ]);
  });

  it("records the steps of such turns, with the models that were asked for", async () => {
    const { cassette } = await record();
    const step = (outcome: string, provider: string, model: string, kind?: string) => ({
      ...{ outcome, provider, model },
      ...(kind === undefined ? {} : { kind }),
    });
    expect(cassette.extensions?.answeredBy).toEqual([
      {
        turn: 0,
        steps: [
          step("failed", "scripted", "m-1", "rate-limit"),
          step("failed", "scripted", "m-1", "overloaded"),
          step("answered", "scripted", "m-2"),
        ],
      },
      {
        turn: 1,
        steps: [
          step("skipped", "scripted", "m-1"),
          step("failed", "scripted", "m-2", "timeout"),
          step("answered", "scripted", "m-2"),
        ],
      },
    ]);
  });

  it("records nothing more for a turn that the requested model answered at once", async () => {
    const first = scriptedProvider([say("Hi.", { usage, model: "m-1" })]);
    const { live, cassette } = await record(vertexOf(), { first });
    expect(cassette.extensions).not.toHaveProperty("answeredBy");
    expect(await replay(cassetteProvider(cassette), vertexOf())).toEqual(live);
  });

  it("keeps the steps of replayed turns in a fork", async () => {
    const { live, cassette } = await record();
    const fork = forkProvider(cassette, { at: 1, live: scriptedProvider([say("Other.")]), ports: fixedPorts() });
    const forked = await replay(fork);
    expect(forked.events.slice(0, 3)).toEqual(live.events.slice(0, 3));
    const [kept, ...others] = fork.toCassette().extensions?.answeredBy as unknown[];
    expect([kept, others]).toEqual([(cassette.extensions?.answeredBy as unknown[])[0], []]);
  });
});

describe("a record of steps that does not fit", () => {
  const with_ = (cassette: CassetteV2, answeredBy: unknown): CassetteV2 => {
    const { entries, extensions, ...head } = cassette;
    return buildCassette({ ...head, extensions: { ...extensions, answeredBy } }, entries);
  };

  it.each([
    ["a list", { turn: 0 }],
    ["an object", ["x"]],
    ["unknown field", [{ turn: 0, steps: [], more: 1 }]],
    ["a turn that is not in the recording", [{ turn: 9, steps: [{ outcome: "answered", provider: "p", model: "m" }] }]],
    ["no steps", [{ turn: 0, steps: [] }]],
    ["a step 0", [{ turn: 0, steps: [{ outcome: "failed", provider: "p", model: "m" }] }]],
    ["a step 0", [{ turn: 0, steps: [{ outcome: "answered", provider: "p", model: "m", kind: "auth" }] }]],
  ])("is left out and warned of once: not %s", async (flaw, answeredBy) => {
    const { cassette } = await record();
    const warnings: string[] = [];
    const changed = with_(cassette, answeredBy);
    const provider = cassetteProvider(changed, { ports: { warn: (text) => void warnings.push(text) } });
    const { events } = await replay(provider);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(flaw);
    const costs = events.filter(({ type }) => type === "cost:updated");
    expect(costs).toMatchObject([{ attemptNumber: 1 }, { attemptNumber: 1 }]);
    expect(readAnsweredBy(changed).steps.size).toBe(0);
  });
});
