import { describe, expect, it, vi } from "vitest";
import type { AgentSchedule } from "../../../../src/core/process/agent/schedule.js";
import type { LlmProviderAdapter } from "../../../../src/core/model/provider.js";
import type { Ports } from "../../../../src/core/ports.js";
import { PATIENCE } from "../../../support/patience.js";
import { CONTROL, control, runAgent, says, startAgent } from "../../../support/process/agent.js";

/** A provider that keeps the model and the last message of each turn. */
function watched(): { provider: LlmProviderAdapter; asked: string[] } {
  const asked: string[] = [];
  const provider: LlmProviderAdapter = {
    turn({ messages, settings }) {
      asked.push(`${settings?.model ?? ""}: ${String(messages.at(-1)?.content)}`);
      return Promise.resolve(says("1"));
    },
  };
  return { provider, asked };
}

const at = (...points: [input: number, turn: number][]): AgentSchedule => ({
  version: 1,
  control: points.map(([input, turn], n) => ({ n, input, turn })),
  clock: [],
});
const side = [...CONTROL];
const other = control({ set_model: "other" });
/** Patience is over at once. */
const hasty = (): Pick<Ports, "timer"> => ({
  timer(ms, fire) {
    const id = setTimeout(fire, ms === 30_000 ? 20 : ms);
    return () => clearTimeout(id);
  },
});

describe("a run with a schedule", () => {
  it("notes where control takes effect, and nothing without control", async () => {
    const agent = startAgent({ ...watched(), side, schedule: "record" });
    agent.send("1");
    await agent.until(1);
    agent.send(other, "2");
    agent.input.end();
    expect((await agent.ended).schedule).toEqual(at([1, 1]));
    const { end } = await runAgent({ ...watched(), side, schedule: "record" }, "1");
    expect(end.schedule).toBeUndefined();
  });

  it("holds control that comes early, and messages whose control comes late", async () => {
    for (const lines of [
      [other, "1", "2", "3"],
      ["1", "2", "3", other],
    ]) {
      const { provider, asked } = watched();
      const { end } = await runAgent({ provider, side, schedule: at([2, 2]) }, ...lines);
      expect(asked).toEqual(["test-1: 1", "test-1: 2", "other: 3"]);
      expect(end.exitCode).toBe(0);
    }
  });

  it("passes markers on while a message waits, since its control may wait for them", async () => {
    const agent = startAgent({ ...watched(), side, schedule: at([1, 1]) });
    agent.send("1", "\u0001flow", "2");
    await agent.until(2);
    agent.send(other);
    agent.input.end();
    expect(await agent.ended).toMatchObject({ outputs: 2, exitCode: 0 });
  });

  it("tells each turn the recorded time", async () => {
    const prompts = async (now: number, schedule: AgentSchedule | "record") => {
      const { provider, asked } = watched();
      const spec = { runtime_context: true };
      const { end } = await runAgent({ provider, spec, schedule, ports: { now: () => now } }, "1", "2");
      return { asked, schedule: end.schedule };
    };
    const recorded = await prompts(1_767_225_600_999, "record");
    expect(recorded.schedule?.clock).toEqual([1_767_225_600, 1_767_225_600]);
    expect((await prompts(1_900_000_000_000, recorded.schedule as AgentSchedule)).asked).toEqual(recorded.asked);
    expect(recorded.asked[1]).toContain("Time: 2026-01-01T00:00:00Z");
  });

  it.each([
    ["message 1 waits for control message 0", at([1, 1]), ["1", "2"]],
    ["message 0 waits for control message 1", at([0, 0], [0, 0]), [control({ pause: true }), "1"]],
    ["control message 0 waits for message 1", at([2, 2]), [other, "1"]],
  ])("says who waits for what once nothing comes: %s", async (what, schedule, lines) => {
    const agent = startAgent({ ...watched(), side, schedule, ports: hasty() });
    agent.send(...lines);
    await vi.waitUntil(() => agent.errors.length > 0, PATIENCE);
    agent.input.end();
    expect((await agent.ended).exitCode).toBe(1);
    expect(agent.errors[0]).toMatchObject({
      code: "schedule-diverged",
      error: `the run does not follow its recording: ${what}`,
    });
  });

  it("says so at once if control has ended", async () => {
    const { errors } = await runAgent({ ...watched(), side, schedule: at([1, 1]) }, "1", "2");
    expect(errors[0]).toMatchObject({
      error: expect.stringContaining("message 1 waits for control message 0, but control has ended") as string,
    });
  });
});
