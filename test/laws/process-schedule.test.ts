// Law of the schedule of an agent: whenever control comes, a run that follows a recorded schedule sends the recorded prompts.

import fc from "fast-check";
import { expect, it } from "vitest";
import type { LlmProviderAdapter } from "../../src/core/model/provider.js";
import { defineTool } from "../../src/core/tools/tool.js";
import "../support/law-seed.js";
import { calls, CONTROL, control, says, startAgent, type Given } from "../support/process/agent.js";

const look = defineTool({ name: "look", description: "Looks.", schema: { type: "object" }, invoke: () => "seen" });

const wants = fc.oneof(
  fc.nat(9).map((at) => ({ set_model: `m${at}` })),
  fc.nat(9).map((at) => ({ set_temp: at / 10 })),
  fc.nat(9).map((at) => ({ set_memory: [{ role: "user", content: `memory ${at}` }] })),
  fc.constantFrom({ pause: true }, { resume: true }, { get_memory: true }, { set_model: null }),
);
/** Lines of a sender, each after some rounds of the event loop. */
const delays = fc.array(fc.oneof(fc.constant(0), fc.nat(6)), { minLength: 24, maxLength: 24 });

interface Sent {
  readonly messages: number;
  readonly controls: readonly object[];
  /** Where each control message stands among the messages. */
  readonly places: readonly number[];
  readonly ticks: readonly number[];
}

const rounds = async (count: number): Promise<void> => {
  for (let at = 0; at < count; at++) await new Promise((resolve) => setImmediate(resolve));
};

/** The prompts and outputs of a run, and its schedule. */
async function run({ messages, controls, places, ticks }: Sent, schedule: Given["schedule"]) {
  const asked: string[] = [];
  const provider: LlmProviderAdapter = {
    async turn({ messages: prompt, settings }) {
      asked.push(JSON.stringify({ prompt, settings }));
      await rounds(ticks[asked.length % ticks.length] ?? 0);
      const last = prompt.at(-1);
      if (last?.role === "user" && Number(last.content) % 2 === 1) return calls("look", {}, `call_${asked.length}`);
      return says(String(asked.length));
    },
  };
  const agent = startAgent({ provider, tools: [look], side: [...CONTROL], ...(schedule && { schedule }) });
  const lines: string[] = Array.from({ length: messages }, (_, at) => String(at));
  const all = [...controls, { resume: true }].map((one, at) => ({ text: control(one), place: places[at] ?? messages }));
  const ordered = lines.flatMap((text, at) => [
    ...all.filter(({ place }) => place === at).map((one) => one.text),
    text,
  ]);
  ordered.push(...all.filter(({ place }) => place >= messages).map((one) => one.text));
  for (const [at, text] of ordered.entries()) {
    await rounds(ticks[at % ticks.length] ?? 0);
    agent.send(text);
  }
  agent.input.end();
  const end = await agent.ended;
  const outputs = agent.lines.filter((line) => line.includes('"data_out"'));
  return { asked, outputs, end };
}

it("a run sends the recorded prompts, whenever its control comes", { timeout: 60_000 }, async () => {
  let others = 0;
  const sent = fc.record({
    messages: fc.integer({ min: 1, max: 5 }),
    controls: fc.array(wants, { minLength: 1, maxLength: 6 }),
    places: fc.array(fc.nat(5), { minLength: 6, maxLength: 6 }).map((list) => list.sort((a, b) => a - b)),
    ticks: delays,
  });
  await fc.assert(
    fc.asyncProperty(sent, sent, async (first, second) => {
      const recorded = await run(first, "record");
      expect(recorded.end).toMatchObject({ reason: "eof", exitCode: 0 });
      const other = { ...first, places: second.places, ticks: second.ticks };
      const replayed = await run(other, recorded.end.schedule);
      expect([replayed.asked, replayed.outputs]).toEqual([recorded.asked, recorded.outputs]);
      const free = await run(other, undefined);
      if (JSON.stringify(free.asked) !== JSON.stringify(recorded.asked)) others++;
    }),
    { numRuns: 60 },
  );
  expect(others).toBeGreaterThan(0);
});
