import { Agent, handoff, Runner, tool, type Model } from "@openai/agents";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { diffCassettes } from "../../../../src/cassette/diff/diff.js";
import { CassetteError } from "../../../../src/cassette/errors.js";
import { parseCassette } from "../../../../src/cassette/trust/load-cassette.js";
import { fromAgentsModel, toAgentsModel } from "../../../../src/harness/adapters/openai-agents/model.js";
import { createUseCassette } from "../../../../src/harness/cassette/use-cassette.js";
import { agentsModel, HANDOFF, PLAIN, RICH, type Answer } from "../../../support/openai-agents.js";
import { memoryFiles } from "../../../support/memory-files.js";
import { rejection } from "../../../support/refusal.js";

const FILE = "weather.cassette.json";
const runner = new Runner({ tracingDisabled: true });

interface Given {
  prompt?: string;
  sky?: string;
  temperature?: number;
}

function agentOf(model: Model, { sky = "rain", temperature = 0 }: Given) {
  const weather = tool({
    name: "weather",
    description: "The weather of a city.",
    parameters: z.object({ city: z.string() }),
    execute: ({ city }) => ({ city, sky }),
  });
  const clock = tool({
    name: "clock",
    description: "The time in a zone.",
    parameters: z.object({ zone: z.string() }),
    execute: ({ zone }) => `noon ${zone}`,
  });
  const clerk = new Agent({ name: "clerk", instructions: "Write.", model });
  return new Agent({
    name: "guide",
    instructions: "Be brief.",
    model,
    modelSettings: { temperature },
    tools: [weather, clock],
    handoffs: [handoff(clerk)],
  });
}

/** How users run an agent. Each gives what they see at the end. */
const WAYS = {
  run: async (model: Model, given: Given) => {
    const result = await runner.run(agentOf(model, given), given.prompt ?? "Weather?");
    return {
      output: result.finalOutput,
      history: plain(result.history),
      usage: usageOf(result),
      agent: result.lastAgent?.name,
    };
  },
  "run, streamed": async (model: Model, given: Given) => {
    const result = await runner.run(agentOf(model, given), given.prompt ?? "Weather?", { stream: true });
    let text = "";
    for await (const event of result) {
      if (event.type === "raw_model_stream_event" && event.data.type === "output_text_delta") text += event.data.delta;
    }
    await result.completed;
    const { finalOutput: output, lastAgent } = result;
    return { output, history: plain(result.history), usage: usageOf(result), agent: lastAgent?.name, text };
  },
};

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function usageOf(result: { state: { usage: { inputTokens: number; outputTokens: number; requests: number } } }) {
  const { inputTokens, outputTokens, requests } = result.state.usage;
  return { inputTokens, outputTokens, requests };
}

for (const [way, run] of Object.entries(WAYS)) {
  describe(`${way} of the Agents SDK`, () => {
    const files = memoryFiles({});
    const useCassette = createUseCassette({ files, environment: {} });

    async function play(mode: "record" | "replay", answers: readonly Answer[], given: Given = {}, file = FILE) {
      const { model, asked } = agentsModel(answers);
      const handle = await useCassette(file, fromAgentsModel(model, "acme:acme-1"), { mode });
      const result = await run(toAgentsModel(handle.provider), given);
      await handle.done();
      return { result, asked };
    }

    it.each([
      ["calls with ids and thoughts", RICH, 2],
      ["a handoff", HANDOFF, 2],
      ["plain answers", PLAIN, 2],
    ] as const)("records and replays %s without asking the model", async (what, answers, turns) => {
      const file = `${what}.cassette.json`;
      const recorded = await play("record", answers, {}, file);
      expect(recorded.asked).toHaveLength(turns);
      expect(recorded.result.output).toBe("It rains in Oslo at noon.");
      const replayed = await play("replay", [], {}, file);
      expect(replayed.result).toEqual(recorded.result);
      expect(replayed.asked).toEqual([]);
    });

    it("gives the runner what the model itself would have given", async () => {
      const direct = await run(agentsModel(RICH).model as Model, {});
      expect((await play("record", RICH, {}, "direct.cassette.json")).result).toEqual(direct);
    });

    it.each([
      ["prompt", { prompt: "Weather today?" }, "prompt-changed"],
      ["result of a tool", { sky: "snow" }, "prompt-changed"],
      ["setting", { temperature: 1 }, "settings-changed"],
    ] as const)("misses on another %s, and says so at done() too", async (_what, given, code) => {
      await play("record", RICH).catch(() => undefined);
      const { model, asked } = agentsModel([]);
      const handle = await useCassette(FILE, fromAgentsModel(model), { mode: "replay" });
      const error = await rejection(run(toAgentsModel(handle.provider), given));
      expect(error).toBeInstanceOf(CassetteError);
      expect(error).toMatchObject({ code });
      expect(await rejection(handle.done())).toMatchObject({ code });
      expect(asked).toEqual([]);
    });

    it("refuses a file that was tampered with", async () => {
      const text = files.texts.get(FILE) ?? "";
      files.texts.set("tampered.cassette.json", text.replace("rains", "shines"));
      expect(await rejection(play("replay", [], {}, "tampered.cassette.json"))).toMatchObject({
        code: "response-hash",
      });
    });

    it("shows drift between two recordings by our diff", async () => {
      const other = PLAIN.map((answer) =>
        answer.map((item) =>
          "name" in item && item["name"] === "clock" ? { ...item, arguments: '{"zone":"UTC"}' } : item,
        ),
      );
      await play("record", PLAIN, {}, "before.cassette.json");
      await play("record", other, {}, "after.cassette.json");
      const [before, after] = ["before", "after"].map((name) =>
        parseCassette(files.texts.get(`${name}.cassette.json`) ?? ""),
      );
      expect(diffCassettes(before as never, after as never).map(({ kind }) => kind)).toEqual(["args-changed"]);
    });
  });
}
