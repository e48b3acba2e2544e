import { expect, it } from "vitest";
import { cassetteProvider } from "../../src/cassette/replay/replay.js";
import { recordingProvider } from "../../src/cassette/record/recording-provider.js";
import { assertKnownOptions, unknownOptions } from "../../src/core/options.js";
import {
  anthropicProvider,
  createRuntime,
  echoProvider,
  fallbackProvider,
  geminiProvider,
  ollamaProvider,
  responsesProvider,
  openaiProvider,
} from "../../src/core/index.js";
import { refusal } from "../support/refusal.js";

it("names what nobody reads, and what there is", () => {
  expect(unknownOptions({ a: 1, b: 2, c: 3 }, ["b"])).toEqual(["a", "c"]);
  expect(refusal(() => assertKnownOptions("thing", { tool: 1 }, ["tools"]))).toMatchObject({
    code: "invalid-options",
    message: "thing has an unknown option: tool",
    hint: "The options are tools.",
  });
  assertKnownOptions("thing", { tools: 1 }, ["tools"]);
});

it.each([null, undefined, "tools", []])("refuses %j, which is not an object", (options) => {
  expect(refusal(() => assertKnownOptions("thing", options as never, ["tools"]))).toMatchObject({
    code: "invalid-options",
    message: expect.stringMatching(/^thing cannot use the options /),
    hint: "Pass an object.",
  });
});

it.each([
  ["recordingProvider", () => recordingProvider(echoProvider(), { redcat: (x: unknown) => x } as never)],
  ["openaiProvider", () => openaiProvider({ apiKey: "k", model: "m", baseUrl: "http://localhost" } as never)],
  ["anthropicProvider", () => anthropicProvider({ apiKey: "k", model: "m", max_tokens: 5 } as never)],
  ["responsesProvider", () => responsesProvider({ apiKey: "k", model: "m", max_tokens: 5 } as never)],
  ["geminiProvider", () => geminiProvider({ apiKey: "k", model: "m", max_tokens: 5 } as never)],
  ["ollamaProvider", () => ollamaProvider({ model: "m", apiKey: "k" } as never)],
  ["fallbackProvider", () => fallbackProvider([{ provider: echoProvider() }], { onAtempt: () => undefined } as never)],
  ["openaiProvider without options", () => (openaiProvider as () => unknown)()],
  ["cassetteProvider", () => cassetteProvider({}, { requireIntegrit: true } as never)],
  [
    "the settings of an agent",
    () =>
      createRuntime({
        agents: [{ id: "a", systemPrompt: "", provider: echoProvider(), settings: { temprature: 1 } as never }],
      }),
  ],
])("%s refuses a misspelled or missing option", (_name, build) => {
  expect(refusal(build)).toMatchObject({ code: "invalid-options" });
});
