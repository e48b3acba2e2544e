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
    expect(never).toMatchObject({ outcome: "unstruck", missed: [7] });
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

describe("the report", () => {
  const faults: Fault[] = [{ kind: "refusal" }];

  it("says which calls were not struck, since the run was shorter than what was planned", async () => {
    const rows = await surviveFaults(plain, { faults: [{ kind: "unknown-tool" }], calls: [0, 2, 7, 9] });
    expect(rows).toMatchObject([{ outcome: "finished", missed: [7, 9] }]);
    expect(formatSurvival(rows)).toBe('unknown tool  finished  "Take an umbrella.", not struck at call 7, 9');
  });

  it("counts the calls of each provider that is struck, and one that was struck anywhere as struck", async () => {
    const both = ({ faulty, host }: Trial) => {
      const entries = [faulty(scriptedProvider([])), faulty(scriptedProvider([say("spare"), say("spare")]))];
      const chain = fallbackProvider(
        entries.map((provider) => ({ provider, maxAttempts: 1 })),
        { ports: host.ports },
      );
      return createRuntime({ agents: [{ id: "ann", systemPrompt: "", provider: chain }], ports: host.ports }).run({
        goal: "go",
      });
    };
    const [row] = await surviveFaults(both, { faults: [{ kind: "network", code: "ECONNRESET" }], calls: [0, 1] });
    expect(row).toMatchObject({ outcome: "failed", code: "providers-exhausted", missed: [1] });
  });

  it("names what anything at all was thrown, and keeps it", async () => {
    const thrown = [new RangeError("odd"), "no error", undefined, { toString: () => "an object" }, null, 5n];
    const rows = [];
    for (const one of thrown) {
      // eslint-disable-next-line @typescript-eslint/only-throw-error, @typescript-eslint/prefer-promise-reject-errors
      rows.push(
        ...(await surviveFaults(
          struck(() => Promise.reject(one)),
          { faults },
        )),
      );
    }
    expect(rows.map(({ outcome, code, error }) => [outcome, code, error])).toEqual([
      ["failed", "RangeError", thrown[0]],
      ["failed", "string", "no error"],
      ["failed", "undefined", undefined],
      ["failed", "object", thrown[3]],
      ["failed", "object", null],
      ["failed", "bigint", 5n],
    ]);
    expect(
      formatSurvival(rows)
        .split("\n")
        .map((line) => line.slice("refusal  failed  ".length)),
    ).toEqual([
      ...["RangeError: odd", "string: no error", "undefined", "object: an object", "object: null", "bigint: 5"],
    ]);
  });

  it("names a run that throws before it begins", async () => {
    const throws = ({ faulty }: Trial) => {
      faulty(scriptedProvider([]));
      throw new SyntaxError("no prompt");
    };
    expect(await surviveFaults(throws, { faults })).toMatchObject([{ outcome: "unstruck", code: "SyntaxError" }]);
  });

  it("escapes what a terminal would act on, and cuts what is long", async () => {
    const hostile = Object.assign(new Error("\u001b[2J\u202e\n" + "x".repeat(5_000)), { name: "\u001b]0;title\u0007" });
    const [failed] = await surviveFaults(
      struck(() => Promise.reject(hostile)),
      { faults },
    );
    const long = `\u009b31m\u2028${"é".repeat(5_000)}`;
    const talks = ({ faulty, host }: Trial) => {
      const provider = faulty(scriptedProvider([say(long), say(long)]));
      return createRuntime({ agents: [{ id: "ann", systemPrompt: "", provider }], ports: host.ports }).run({
        goal: "go",
      });
    };
    const [said] = await surviveFaults(talks, { faults: [{ kind: "latency", ms: 5 }] });
    if (failed === undefined || said === undefined) throw new Error("no rows");
    const lines = formatSurvival([failed, said]).split("\n");
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain("\\u001b]0;title\\u0007: \\u001b[2J\\u202e");
    expect(lines[1]).toContain('"\\u009b31m\\u2028éé');
    for (const line of lines) {
      expect(line).toMatch(/^[\x20-\x7eé…]+$/);
      expect(line).toContain("…");
      expect(line.length).toBeLessThan(250);
    }
    expect(said.finalAnswer).toBe(long);
  });

  it(
    "says why a run seems to hang: nothing it waits for comes, or it waits for ever",
    { timeout: 120_000 },
    async () => {
      const waits = struck(() => new Promise<never>(() => undefined));
      const polls = async ({ faulty, host }: Trial) => {
        await faulty(scriptedProvider([])).turn({ messages: [{ role: "user", content: "go" }] });
        for (;;) await host.clock.sleep(1_000);
      };
      const rows = [...(await surviveFaults(waits, { faults })), ...(await surviveFaults(polls, { faults }))];
      expect(rows.map(({ outcome }) => outcome)).toEqual(["hangs", "hangs"]);
      const [silent = "", busy = ""] = formatSurvival(rows).split("\n");
      expect(silent).toContain("no timer is left that could settle it");
      expect(busy).toContain("until fired 50000 timers, and there is always one more");
    },
  );

  it("is nothing for nothing", () => {
    expect(formatSurvival([])).toBe("");
  });
});

/** A run that has its fault before it does what it does. */
function struck(run: (trial: Trial) => Promise<never>) {
  return async (trial: Trial) => {
    await trial.faulty(scriptedProvider([])).turn({ messages: [{ role: "user", content: "go" }] });
    return run(trial);
  };
}
