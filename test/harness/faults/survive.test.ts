import { describe, expect, it } from "vitest";
import { fallbackProvider } from "../../../src/core/providers/fallback.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { createRuntime } from "../../../src/core/runtime/runtime.js";
import { everyFault, type Fault } from "../../../src/harness/faults/fault.js";
import { formatSurvival, surviveFaults, type Trial } from "../../../src/harness/faults/survive.js";
import { ask, say, tool } from "../../support/script.js";

const customTools = [tool("look", () => "rain", { schema: { type: "object", required: ["city"] } })];
const steps = [ask([{ name: "look", arguments: { city: "Oslo" } }]), say("Take an umbrella.")];

/** An agent as it comes, and one that asks again. */
const plain = ({ faulty, host }: Trial) =>
  createRuntime({
    agents: [{ id: "ann", systemPrompt: "", provider: faulty(scriptedProvider(steps)), customTools }],
    ports: host.ports,
  }).run({ goal: "go" });

const patient = ({ faulty, host }: Trial) => {
  const provider = fallbackProvider([{ provider: faulty(scriptedProvider(steps)), maxAttempts: 3 }], {
    ports: host.ports,
  });
  const agents = [{ id: "ann", systemPrompt: "", provider, customTools, timeoutMs: 60_000 }];
  return createRuntime({ agents, ports: host.ports }).run({ goal: "go" });
};

describe("surviveFaults", () => {
  it("says of each fault what came of it", async () => {
    const rows = await surviveFaults(plain);
    expect(rows.map(({ fault }) => fault)).toEqual(everyFault());
    const outcomes = Object.fromEntries(
      rows.map(({ fault, outcome, code }) => [JSON.stringify(fault), [outcome, code]]),
    );
    const of = (fault: Fault) => outcomes[JSON.stringify(fault)];
    expect(of({ kind: "latency", ms: 30_000 })).toEqual(["finished", undefined]);
    expect(of({ kind: "http", error: "rate-limit", wire: "openai" })).toEqual(["failed", "provider-http"]);
    expect(of({ kind: "network", code: "ECONNRESET" })).toEqual(["failed", "provider-response"]);
    expect(of({ kind: "malformed-arguments" })).toEqual(["finished", undefined]);
    expect(of({ kind: "unknown-tool" })).toEqual(["finished", undefined]);
    expect(rows.every(({ outcome }) => outcome !== "hangs")).toBe(true);
    expect(rows.find(({ fault }) => fault.kind === "latency")?.tookMs).toBe(30_000);
  });

  it("shows that asking again carries an agent over what passes", async () => {
    const rows = await surviveFaults(patient);
    const failed = rows.filter(({ outcome }) => outcome === "failed").map(({ fault }) => fault);
    expect(failed).toEqual([
      ...(["quota", "context-length", "auth", "not-found"] as const).map((error) => ({
        kind: "http",
        error,
        wire: "openai",
      })),
      { kind: "torn", how: "closed", after: 0.5 },
      ...(["page", "half", "nothing", "foreign"] as const).map((body) => ({ kind: "wrong-json", body })),
    ]);
    const survived = rows.filter(({ finalAnswer }) => finalAnswer === "Take an umbrella.");
    expect(survived.length).toBe(rows.length - failed.length - 2);
  });

  it("strikes the calls it is told to, and says where there was nothing to strike", async () => {
    const [first] = await surviveFaults(plain, { faults: [{ kind: "duplicate-call", id: "new" }], calls: [1] });
    expect(first).toMatchObject({ outcome: "unstruck", finalAnswer: "Take an umbrella." });
    const [never] = await surviveFaults(plain, { faults: [{ kind: "refusal" }], calls: [7] });
    expect(never?.outcome).toBe("unstruck");
    const [last] = await surviveFaults(plain, { faults: [{ kind: "cut-by-length" }], calls: [1] });
    expect(last).toMatchObject({ outcome: "finished", finalAnswer: "Take an " });
  });

  it("tells a run that never ends, a cap, and an error of nobody's", async () => {
    const faults: Fault[] = [{ kind: "refusal" }];
    const hangs = ({ faulty }: Trial) => (void faulty(scriptedProvider([])), new Promise<never>(() => undefined));
    expect(await surviveFaults(struck(hangs), { faults })).toMatchObject([{ outcome: "hangs" }]);
    const fails = () => Promise.reject(new RangeError("odd"));
    expect(await surviveFaults(struck(fails), { faults })).toMatchObject([{ outcome: "failed", code: "RangeError" }]);
    const capped = ({ faulty, host }: Trial) => {
      const provider = faulty(scriptedProvider(steps));
      const agents = [{ id: "ann", systemPrompt: "", provider, customTools, budget: { maxTurns: 1 } }];
      return createRuntime({ agents, ports: host.ports }).run({ goal: "go" });
    };
    expect(await surviveFaults(capped, { faults: [{ kind: "unknown-tool" }] })).toMatchObject([{ outcome: "budget" }]);
    await expect(surviveFaults(plain, { fault: [] } as never)).rejects.toThrow("unknown option");
  });

  it("makes a table of it", async () => {
    const faults: Fault[] = [{ kind: "hang" }, { kind: "torn", how: "reset", after: 0.25 }, { kind: "unknown-tool" }];
    expect(formatSurvival(await surviveFaults(plain, { faults })).split("\n")).toEqual([
      "hang                    failed    provider-response",
      "torn, reset after 25 %  failed    provider-response",
      'unknown tool            finished  "Take an umbrella."',
    ]);
  });
});

/** A run that has its fault before it does what it does. */
function struck(run: (trial: Trial) => Promise<never>) {
  return async (trial: Trial) => {
    await trial.faulty(scriptedProvider([])).turn({ messages: [{ role: "user", content: "go" }] });
    return run(trial);
  };
}
