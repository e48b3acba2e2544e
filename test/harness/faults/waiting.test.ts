// What is waited for, and what is left of it: a call that is over, by an abort or a reader who has heard enough, has no timer any more.

import { describe, expect, it } from "vitest";
import type { LlmProviderAdapter, LlmStreamEvent, LlmTurnRequest } from "../../../src/core/model/provider.js";
import type { WireName } from "../../../src/core/vendors/table.js";
import { VENDORS } from "../../../src/core/vendors/vendors.js";
import { fixedClock } from "../../../src/harness/doubles/clock.js";
import { collect } from "../../../src/harness/doubles/collect.js";
import { describeFault, everyFault, type Fault } from "../../../src/harness/faults/fault.js";
import { faultyProvider } from "../../../src/harness/faults/provider.js";
import { faultyTool } from "../../../src/harness/faults/tool.js";
import { ask, say, tool } from "../../support/script.js";
import { weatherTool } from "../../support/wire.js";
import { everyToolFault } from "../../support/tool-faults.js";

const request: LlmTurnRequest = { messages: [{ role: "user", content: "go" }], tools: [weatherTool] };
const wires = Object.keys(VENDORS) as WireName[];

const inner: LlmProviderAdapter = {
  name: "inner",
  turn: async () => ask([{ name: "weather", arguments: { city: "Oslo" } }]),
  async *stream(one) {
    yield { type: "response", response: await inner.turn(one) };
  },
};

/** One call that is struck, as a promise of its end. */
function call(fault: Fault, wire: WireName, way: "turn" | "stream", signal?: AbortSignal) {
  const clock = fixedClock(0);
  const provider = faultyProvider(inner, { schedule: [{ call: 0, fault }], wire, ports: clock });
  const asked = signal === undefined ? request : { ...request, signal };
  const ended =
    way === "turn"
      ? provider.turn(asked).then(
          () => "answered",
          (error: { code?: string }) => error.code,
        )
      : collect(provider.stream?.(asked) ?? none()).then((one) =>
          one.kind === "failed" ? (one.error as { code?: string }).code : one.kind,
        );
  return { clock, ended };
}

async function* none(): AsyncGenerator<LlmStreamEvent> {}

const all = wires.flatMap((wire) =>
  everyFault(wire).flatMap((fault) =>
    (["turn", "stream"] as const).map((way) => [wire, describeFault(fault), way, fault] as const),
  ),
);

describe("a call that is over leaves no timer", () => {
  it.each(all)("%s: %s, by %s", async (wire, _name, way, fault) => {
    const { clock, ended } = call(fault, wire, way);
    await clock.until(ended);
    expect(clock.pending).toBe(0);
  });

  it.each(all)("%s: %s, by %s, aborted while it waits", async (wire, _name, way, fault) => {
    const controller = new AbortController();
    const { clock, ended } = call(fault, wire, way, controller.signal);
    await clock.advance(100);
    const waits = clock.pending > 0;
    controller.abort();
    const end = await clock.until(ended);
    if (waits) expect([end, clock.now()]).toEqual(["aborted", 100]);
    expect(clock.pending).toBe(0);
    expect(waits).toBe(["latency", "hang"].includes(fault.kind) || (fault.kind === "torn" && fault.how === "stalled"));
  });

  it.each(wires)("%s: a stalled stream whose reader has heard enough", async (wire) => {
    const clock = fixedClock(0);
    const schedule = [{ call: 0, fault: { kind: "torn", how: "stalled", after: 0.9 } as const }];
    const provider = faultyProvider(inner, { schedule, wire, ports: clock });
    const heard: LlmStreamEvent[] = [];
    for await (const event of provider.stream?.(request) ?? none()) {
      heard.push(event);
      break;
    }
    await clock.advance(0);
    expect([heard.length, clock.pending]).toEqual([1, 0]);
  });

  it("of a tool, whatever was wrong with it", async () => {
    for (const fault of everyToolFault().filter(({ kind }) => kind !== "deaf")) {
      const clock = fixedClock(0);
      const controller = new AbortController();
      const faulty = faultyTool(
        tool("work", () => "done"),
        { schedule: [{ call: 0, fault }], ports: clock },
      );
      const work = (async () => faulty.invoke({}, { signal: controller.signal } as never))().catch(() => undefined);
      await clock.advance(10);
      controller.abort();
      await clock.until(work);
      expect([fault.kind, clock.now(), clock.pending]).toEqual([fault.kind, 10, 0]);
    }
  });
});

describe("latency", () => {
  const late = (ms: number) => ({ schedule: [{ call: 0, fault: { kind: "latency", ms } as const }] });

  it("does not ask a provider whose caller has gone by then", async () => {
    const clock = fixedClock(0);
    const controller = new AbortController();
    let asked = 0;
    const provider = faultyProvider({ turn: (one) => ((asked += 1), inner.turn(one)) }, { ...late(500), ports: clock });
    const turn = provider.turn({ ...request, signal: controller.signal });
    clock.timer(499, () => controller.abort(new Error("gone")));
    await expect(clock.until(turn)).rejects.toMatchObject({ code: "aborted" });
    await clock.advance(1_000);
    expect(asked).toBe(0);
  });

  it("takes from the first silence of a stream, and leaves the later ones all their time", async () => {
    const clock = fixedClock(0);
    const seen: (number | undefined)[] = [];
    const watched: LlmProviderAdapter = {
      turn: inner.turn,
      stream: (one) => (seen.push(one.timeoutMs), inner.stream?.(one) ?? none()),
    };
    const ask = (ms: number) =>
      collect(
        faultyProvider(watched, { ...late(ms), ports: clock }).stream?.({ ...request, timeoutMs: 1_000 }) ?? none(),
      );
    expect(await clock.until(ask(999))).toMatchObject({ kind: "answered" });
    expect(await clock.until(ask(1_000))).toMatchObject({ kind: "failed", error: { code: "timeout" } });
    expect([seen, clock.now()]).toEqual([[1_000], 1_999]);
  });
});

describe("two runs at once over one provider", () => {
  const faults: Fault[] = [{ kind: "refusal" }, { kind: "latency", ms: 50 }, { kind: "torn", how: "closed" }];

  /** Runs that wait differently between their calls, so that their calls come in another order. */
  const play = async (waits: readonly (readonly number[])[]) => {
    const clock = fixedClock(0);
    const provider = faultyProvider({ turn: async () => say("hello") }, { faults, rate: 0.5, seed: 4, ports: clock });
    const run = async (own: readonly number[]) => {
      for (const ms of own) {
        await clock.sleep(ms);
        await provider.turn(request).catch(() => undefined);
      }
    };
    await clock.until(Promise.all(waits.map(run)).then(() => undefined));
    return provider.injected;
  };

  it("have the same faults at the same calls, counted as they are asked, whatever the times", async () => {
    const one = Array.from({ length: 40 }, (_, call) => call);
    const injected = await play([one]);
    expect(injected.length).toBeGreaterThan(10);
    expect(await play([one.slice(0, 20), one.slice(20)])).toEqual(injected);
    expect(await play([one.slice(0, 35).reverse(), one.slice(35).map((ms) => ms * 7)])).toEqual(injected);
  });
});
