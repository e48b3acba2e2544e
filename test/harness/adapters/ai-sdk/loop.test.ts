import { describe, expect, it } from "vitest";
import { CassetteError } from "../../../../src/cassette/errors.js";
import { diffCassettes } from "../../../../src/cassette/diff/diff.js";
import { parseCassette } from "../../../../src/cassette/trust/load-cassette.js";
import { fromAiSdk } from "../../../../src/harness/adapters/ai-sdk/from-ai-sdk.js";
import { cassetteMiddleware, wrappedModel } from "../../../../src/harness/adapters/ai-sdk/middleware.js";
import { toAiSdk } from "../../../../src/harness/adapters/ai-sdk/to-ai-sdk.js";
import { createUseCassette, type CassetteHandle } from "../../../../src/harness/cassette/use-cassette.js";
import { PLAIN, RICH, richTools, scriptedModel, SDKS, type ScriptedModel, type Step } from "../../../support/ai-sdk.js";
import { memoryFiles } from "../../../support/memory-files.js";
import { rejection } from "../../../support/refusal.js";

const FILE = "weather.cassette.json";

/** What the SDK shows of the first answer: nothing of it is lost on the way through us. */
const KINDS = [
  ...["reasoning", "reasoning", "source", "text", "text"],
  ...["tool-call", "tool-call", "tool-call", "tool-result", "tool-result", "tool-result"],
];

type Sdk = (typeof SDKS)[number][1];

/** The two ways to put a cassette before a model. */
const WIRINGS = [
  {
    wiring: "toAiSdk",
    live: (model: ScriptedModel) => fromAiSdk(model),
    wrap: (_sdk: Sdk, model: ScriptedModel, { provider }: CassetteHandle) =>
      toAiSdk(provider, { specificationVersion: model.specificationVersion }),
  },
  {
    wiring: "cassetteMiddleware",
    live: () => wrappedModel("acme:acme-1"),
    wrap: (sdk: Sdk, model: ScriptedModel, handle: CassetteHandle) =>
      sdk.wrapLanguageModel({ model, middleware: cassetteMiddleware(handle) }),
  },
];

interface Run {
  prompt?: string;
  weather?: string;
  temperature?: number;
}

/** The loops of the SDK that its users write. Each gives what the user sees at the end. */
const LOOPS = {
  generateText: async (sdk: Sdk, model: never, { prompt = "Weather?", weather, temperature = 0 }: Run) => {
    const result = await sdk.generateText({
      model,
      prompt,
      temperature,
      tools: richTools(sdk, weather),
      stopWhen: sdk.stepCountIs(4),
      maxRetries: 0,
    });
    return seen(result);
  },
  streamText: async (sdk: Sdk, model: never, { prompt = "Weather?", weather, temperature = 0 }: Run) => {
    const failures: unknown[] = [];
    const result = sdk.streamText({
      model,
      prompt,
      temperature,
      tools: richTools(sdk, weather),
      stopWhen: sdk.stepCountIs(4),
      maxRetries: 0,
      onError: ({ error }) => void failures.push(error),
    });
    let text = "";
    for await (const delta of result.textStream) text += delta;
    if (failures.length > 0) throw failures[0];
    const [steps, totalUsage, sources] = await Promise.all([result.steps, result.totalUsage, result.sources]);
    return { ...seen({ text: await result.text, steps, totalUsage, sources }), streamed: text };
  },
  ToolLoopAgent: async (sdk: Sdk, model: never, { prompt = "Weather?", weather, temperature = 0 }: Run) => {
    // AI SDK 5 has the same agent under another name, which ends after one step unless it is told.
    const Agent = Object.hasOwn(sdk, "ToolLoopAgent") ? sdk.ToolLoopAgent : sdk.Experimental_Agent;
    const stopWhen = sdk.stepCountIs(4);
    const agent = new Agent({ model, tools: richTools(sdk, weather), temperature, stopWhen, maxRetries: 0 });
    return seen(await agent.generate({ prompt }));
  },
};

function seen({ text, steps, totalUsage }: { text: string; steps: unknown; totalUsage: unknown; sources?: unknown }) {
  const told = (steps as { content: unknown; finishReason: string; rawFinishReason?: string; response: object }[]).map(
    (step) => ({
      content: JSON.parse(JSON.stringify(step.content)) as unknown,
      finishReason: step.finishReason,
      rawFinishReason: step.rawFinishReason,
      id: (step.response as { id: string }).id,
    }),
  );
  const { inputTokens, outputTokens } = totalUsage as { inputTokens: number; outputTokens: number };
  return { text, steps: told, inputTokens, outputTokens };
}

for (const [name, sdk, version] of SDKS) {
  for (const { wiring, live, wrap } of WIRINGS) {
    for (const [loop, run] of Object.entries(LOOPS)) {
      describe(`${loop} of ${name} through ${wiring}`, () => {
        const files = memoryFiles({});
        const useCassette = createUseCassette({ files, environment: {} });

        async function play(mode: "record" | "replay", steps: readonly Step[], given: Run = {}, file = FILE) {
          const model = scriptedModel(steps, version);
          const handle = await useCassette(file, live(model), { mode });
          const result = await run(sdk, wrap(sdk, model, handle) as never, given);
          await handle.done();
          return { result, model };
        }

        it("records and replays every part without asking the model", async () => {
          const recorded = await play("record", RICH);
          expect(recorded.model.calls).toHaveLength(2);
          expect(recorded.result.text).toBe("It rains in Oslo at noon.");
          const [first] = recorded.result.steps as { content: { type: string }[] }[];
          expect(first?.content.map(({ type }) => type).toSorted()).toEqual(KINDS);
          const replayed = await play("replay", []);
          expect(replayed.result).toEqual(recorded.result);
          expect(replayed.model.calls).toHaveLength(0);
        });

        it("gives the SDK what the model itself would have given", async () => {
          const direct = await run(sdk, scriptedModel(RICH, version) as never, {});
          expect((await play("record", RICH, {}, "direct.cassette.json")).result).toEqual(direct);
        });

        it.each([
          ["prompt", { prompt: "Weather today?" }, "prompt-changed"],
          ["result of a tool", { weather: "snow" }, "prompt-changed"],
          ["setting", { temperature: 1 }, "settings-changed"],
        ] as const)("misses on another %s, and says so at done() too", async (_what, given, code) => {
          const model = scriptedModel([], version);
          const handle = await useCassette(FILE, live(model), { mode: "replay" });
          const error = await rejection(run(sdk, wrap(sdk, model, handle) as never, given));
          expect(error).toBeInstanceOf(CassetteError);
          expect((error as CassetteError).code).toBe(code);
          expect(await rejection(handle.done())).toMatchObject({ code });
          expect(model.calls).toHaveLength(0);
        });

        it("refuses a file that was tampered with", async () => {
          const text = files.texts.get(FILE) ?? "";
          files.texts.set("tampered.cassette.json", text.replace("rains", "shines"));
          const error = await rejection(play("replay", [], {}, "tampered.cassette.json"));
          expect((error as CassetteError).code).toBe("response-hash");
        });

        it("shows drift between two recordings by our diff", async () => {
          await play("record", PLAIN, {}, "before.cassette.json");
          const [first, last] = PLAIN as [Step, Step];
          const other = first.content.map((part) => ({
            ...part,
            ...(part["toolName"] === "clock" ? { input: '{"zone":"UTC"}' } : {}),
          }));
          await play("record", [{ ...first, content: other }, last], {}, "after.cassette.json");
          const [before, after] = ["before", "after"].map((file) =>
            parseCassette(files.texts.get(`${file}.cassette.json`) ?? ""),
          );
          const drifts = diffCassettes(before as never, after as never);
          expect(drifts.map(({ kind }) => kind)).toEqual(["args-changed"]);
        });
      });
    }
  }
}
