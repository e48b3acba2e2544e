import { afterAll, describe, expect, it } from "vitest";
import { checkBundle, hashBundle } from "../../../src/cassette/bundle/check.js";
import { recordAgents } from "../../../src/cassette/bundle/record.js";
import { canonicalize } from "../../../src/core/canon/json.js";
import { sha256Hex } from "../../../src/core/canon/digest.js";
import { echoProvider } from "../../../src/core/providers/echo.js";
import { createRuntime } from "../../../src/core/runtime/runtime.js";
import { countingPorts, PLAN, RESULT, runChain, trio, trioBundle } from "../../support/bundles.js";
import { keepForOracle, verifyKept } from "../../support/oracle.js";
import { refusal } from "../../support/refusal.js";

afterAll(verifyKept);

const record = async (ids: readonly string[]) => {
  const recording = recordAgents(trio(), { ports: countingPorts() });
  return { recording, ...(await runChain(recording.agents, ids, "Umbrella?")) };
};

describe("recordAgents", () => {
  it("PLK-102 gives one cassette for each agent that was asked, and lists the others", async () => {
    const { bundle, cassettes } = await trioBundle();
    expect(Object.keys(cassettes)).toEqual(["researcher", "actor"]);
    expect([cassettes["researcher"]?.agentId, cassettes["actor"]?.agentId]).toEqual(["researcher", "actor"]);
    expect(bundle.unasked).toEqual(["reviewer"]);
    expect(bundle.agents["researcher"]).toEqual({
      cassette: `researcher.${cassettes["researcher"]?.envelopeHash.slice(0, 16)}.cassette.json`,
      cassetteId: "000102030405060708090a0b0c0d0e0f",
      envelopeHash: cassettes["researcher"]?.envelopeHash,
      entries: 2,
    });
    expect(bundle.agents["actor"]?.cassetteId).toBe("101112131415161718191a1b1c1d1e1f");
  });

  it("keeps the plan without its functions, the path and the end", async () => {
    const { bundle } = await trioBundle();
    expect(bundle.plan).toEqual({
      entry: "researcher",
      edges: [
        { from: "researcher", to: "reviewer", conditional: true },
        { from: "researcher", to: "actor", conditional: false },
      ],
      exits: ["actor", "reviewer"],
    });
    expect([bundle.path, bundle.ended]).toEqual([["researcher", "actor"], { kind: "exit" }]);
  });

  it("hashes everything but the hash, as canonical JSON", async () => {
    const { bundle } = await trioBundle();
    const { bundleHash, ...covered } = bundle;
    expect(bundleHash).toBe(sha256Hex(canonicalize(covered)));
    expect(bundleHash).toBe(hashBundle(bundle));
  });

  it("holds no word of the goal or of an answer in the bundle itself", async () => {
    const text = JSON.stringify((await trioBundle()).bundle);
    expect(text).not.toMatch(/umbrella/i);
  });

  it("gives a frozen recording that is whole", async () => {
    const recording = await trioBundle();
    expect(Object.isFrozen(recording.bundle.path)).toBe(true);
    expect(Object.isFrozen(recording.cassettes)).toBe(true);
    expect(checkBundle(recording)).toEqual(recording);
  });

  it("keeps every field of a definition but the provider", () => {
    const [first] = trio();
    const [wrapped] = recordAgents(trio()).agents;
    expect({ ...wrapped, provider: undefined, customTools: undefined }).toEqual({
      ...first,
      provider: undefined,
      customTools: undefined,
    });
    expect(wrapped?.provider.name).toBe("scripted");
  });

  it("has no plan when the run had none, and any end a run can have", async () => {
    const { recording } = await record(["researcher"]);
    const visits = [{ agentId: "researcher" }];
    const alone = recording.toBundle({ result: { visits, ended: { kind: "no-edge" } } });
    expect("plan" in alone.bundle).toBe(false);
    const circled = recording.toBundle({ result: { visits, ended: { kind: "cycle", agentId: "actor", limit: 8 } } });
    expect(circled.bundle.ended).toEqual({ kind: "cycle", agentId: "actor", limit: 8 });
    for (const cassette of Object.values(circled.cassettes)) keepForOracle(cassette);
  });

  it("keeps agents apart that share one provider, and destroys that once", async () => {
    let destroyed = 0;
    const shared = { ...echoProvider(), destroy: () => void destroyed++ };
    const recording = recordAgents(trio({ researcher: shared, actor: shared, reviewer: shared }));
    const { result } = await runChain(recording.agents, ["researcher", "actor"], "Hi.");
    const { cassettes } = recording.toBundle({ result });
    expect([cassettes["researcher"]?.entries.length, cassettes["actor"]?.entries.length]).toEqual([1, 1]);
    await createRuntime({ agents: recording.agents }).destroy();
    expect(destroyed).toBe(1);
  });

  it("records an agent that is entered twice in one cassette", async () => {
    const recording = recordAgents(trio({ researcher: echoProvider(), actor: echoProvider() }));
    const { result } = await runChain(recording.agents, ["researcher", "actor", "researcher"], "Hi.");
    expect(recording.toBundle({ result }).bundle).toMatchObject({
      path: ["researcher", "actor", "researcher"],
      agents: { researcher: { entries: 2 }, actor: { entries: 1 } },
    });
  });

  it("takes ids that are odd names", async () => {
    const agents = ["__proto__", "toString", "../x", "con"].map((id) => ({
      id,
      systemPrompt: "",
      provider: echoProvider(),
    }));
    const recording = recordAgents(agents);
    const ids = agents.map(({ id }) => id);
    const { result } = await runChain(recording.agents, ids, "Hi.");
    const whole = recording.toBundle({ result });
    expect(Object.keys(whole.bundle.agents)).toEqual(ids);
    expect(checkBundle(whole)).toEqual(whole);
  });
});

describe("recordAgents refuses", () => {
  it.each([
    ["no agents", [], "recordAgents needs a list of agents"],
    ["no list", undefined, "recordAgents needs a list of agents"],
    ["an agent without an id", [{ provider: echoProvider() }], "agent 0 of recordAgents has no id"],
    ["an id no file can hold", [{ id: "\ud800", provider: echoProvider() }], "holds a lone surrogate"],
    ["an id twice", [trio()[0], trio()[0]], 'two agents of recordAgents have the id "researcher"'],
    ["an agent without a provider", [{ id: "a" }], 'agent "a" has no provider'],
  ])("%s", (_what, agents, words) => {
    expect(refusal(() => recordAgents(agents as never))).toMatchObject({
      code: "invalid-options",
      summary: expect.stringContaining(words) as string,
    });
  });

  it("an option nobody reads", () => {
    expect(refusal(() => recordAgents(trio(), { redcat: 1 } as never))).toMatchObject({ code: "invalid-options" });
  });
});

describe("toBundle refuses", () => {
  it("a run of which nothing was recorded", () => {
    const { toBundle } = recordAgents(trio());
    expect(refusal(() => toBundle({ result: RESULT }))).toMatchObject({ code: "nothing-recorded" });
  });

  it("a run that is not over", async () => {
    const recording = recordAgents(trio({ actor: { turn: () => new Promise(() => undefined) } }));
    void recording.agents[1]?.provider.turn({ messages: [] });
    expect(refusal(() => recording.toBundle({ result: RESULT }))).toMatchObject({ code: "turn-in-progress" });
  });

  it("the result of another run", async () => {
    const { recording } = await record(["researcher", "actor"]);
    const result = { ...RESULT, visits: [{ agentId: "researcher" }] };
    expect(refusal(() => recording.toBundle({ result }))).toMatchObject({
      code: "invalid-options",
      summary: 'agent "actor" was recorded, but according to the result it was never entered',
    });
  });

  it.each([
    ["the path", { result: { ...RESULT, visits: [...RESULT.visits, { agentId: "bob" }] } }, "the result"],
    ["the end", { result: { ...RESULT, ended: { kind: "cycle", agentId: "bob", limit: 8 } } }, "the result"],
    ["the entry", { result: RESULT, plan: { ...PLAN, entry: "bob" } }, "the plan"],
    ["an edge", { result: RESULT, plan: { ...PLAN, edges: [{ from: "actor", to: "bob" }] } }, "the plan"],
    ["an exit", { result: RESULT, plan: { ...PLAN, exits: ["bob"] } }, "the plan"],
  ] as const)("a stranger in %s", async (_what, run, owner) => {
    const { recording } = await record(["researcher", "actor"]);
    expect(refusal(() => recording.toBundle(run))).toMatchObject({
      code: "invalid-options",
      summary: `${owner} names agent "bob", which is not recorded here`,
    });
  });

  it.each([
    ["no result", { result: undefined }, "`visits` must be a list"],
    ["no visits", { result: { ...RESULT, visits: [] } }, "`visits` must be a list"],
    ["a visit of nobody", { result: { ...RESULT, visits: [{}] } }, "visit 0 must have an agentId"],
    ["no end", { result: { visits: RESULT.visits } }, "its end undefined is unknown"],
    ["an unknown end", { result: { ...RESULT, ended: { kind: "bored" } } }, 'its end "bored" is unknown'],
    [
      "half a cycle",
      { result: { ...RESULT, ended: { kind: "cycle", agentId: "a" } } },
      "its cycle must have an agentId",
    ],
    ["a plan without an entry", { result: RESULT, plan: { ...PLAN, entry: 1 } }, "`entry` must be a string"],
    ["a plan without edges", { result: RESULT, plan: { ...PLAN, edges: {} } }, "`edges` must be a list"],
    ["half an edge", { result: RESULT, plan: { ...PLAN, edges: [{ from: "a" }] } }, "edge 0 must have `from` and `to`"],
    ["a plan without exits", { result: RESULT, plan: { ...PLAN, exits: [1] } }, "`exits` must be a list of strings"],
  ])("%s", async (_what, run, words) => {
    const { recording } = await record(["researcher", "actor"]);
    expect(refusal(() => recording.toBundle(run as never))).toMatchObject({
      code: "invalid-options",
      summary: expect.stringContaining(words) as string,
    });
  });
});
