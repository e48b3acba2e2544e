// What changes the behaviour of a model is another question, and what does not is the same one: settings, tools, parts of a prompt and
// approvals under each major of the SDK.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseCassette } from "../../../../src/cassette/trust/load-cassette.js";
import { recordingProvider } from "../../../../src/cassette/record/recording-provider.js";
import { cassetteProvider } from "../../../../src/cassette/replay/replay.js";
import { formatCassette } from "../../../../src/cassette/trust/cassette-store.js";
import type { LlmProviderAdapter } from "../../../../src/core/model/provider.js";
import { fromAiSdk } from "../../../../src/harness/adapters/ai-sdk/from-ai-sdk.js";
import { readPrompt } from "../../../../src/harness/adapters/ai-sdk/prompt/read.js";
import { writePrompt } from "../../../../src/harness/adapters/ai-sdk/prompt/write.js";
import { toAiSdk } from "../../../../src/harness/adapters/ai-sdk/to-ai-sdk.js";
import { scriptedModel, SDKS, tools, type Part, type Step } from "../../../support/ai-sdk.js";
import { rejection } from "../../../support/refusal.js";

const saved = (recorder: ReturnType<typeof recordingProvider>) => parseCassette(formatCassette(recorder.toCassette()));
const png = new Uint8Array([137, 80, 78, 71]);
const user = (...content: Part[]) => ({ messages: [{ role: "user", content }], prompt: undefined });
const look = { type: "text", text: "Look." };

/** What is asked in place of the recorded question, by the code of the miss. */
const OTHERS: readonly (readonly [given: Part, code: string])[] = [
  [{ temperature: 1 }, "settings-changed"],
  [{ topP: 0.5 }, "settings-changed"],
  [{ topK: 3 }, "settings-changed"],
  [{ maxOutputTokens: 9 }, "settings-changed"],
  [{ seed: 4 }, "settings-changed"],
  [{ stopSequences: ["\n"] }, "settings-changed"],
  [{ presencePenalty: 0.1 }, "settings-changed"],
  [{ frequencyPenalty: 0.1 }, "settings-changed"],
  [{ toolChoice: "required" }, "settings-changed"],
  [{ toolChoice: { type: "tool", toolName: "clock" } }, "settings-changed"],
  [{ providerOptions: { acme: { effort: "high" } } }, "settings-changed"],
  [{ activeTools: ["clock"] }, "tools-changed"],
  [{ system: "Be brief." }, "prompt-changed"],
  [user({ ...look, providerOptions: { acme: { cache: true } } }), "prompt-changed"],
  [user(look, { type: "image", image: png }), "prompt-changed"],
  [user(look, { type: "file", data: png, mediaType: "application/pdf" }), "prompt-changed"],
];

describe.each(SDKS)("a question of %s", (_name, sdk, specificationVersion) => {
  const ask = (provider: LlmProviderAdapter, given: Part = {}) =>
    sdk.generateText({
      model: toAiSdk(provider, { specificationVersion }) as never,
      prompt: "Look.",
      tools: tools(sdk),
      maxRetries: 0,
      ...given,
    } as never);

  async function record(given: Part = {}) {
    const answer: Step = { content: [{ type: "text", text: "ok" }] };
    const recorder = recordingProvider(fromAiSdk(scriptedModel([answer], specificationVersion)));
    await ask(recorder, given);
    return cassetteProvider(saved(recorder));
  }

  it.each(OTHERS)("is another one with %j", async (given, code) => {
    expect(await rejection(ask(await record(), given))).toMatchObject({ code });
  });

  it.each([
    ["bytes", { type: "image", image: png }, { type: "image", image: Buffer.from(png).toString("base64") }],
    [
      "a link",
      { type: "image", image: "https://example.com/a" },
      { type: "image", image: new URL("https://example.com/a") },
    ],
  ])("is the same one with %s spelled another way", async (_what, one, other) => {
    expect((await ask(await record(user(look, one)), user(look, other))).text).toBe("ok");
    const detailed = { ...other, providerOptions: { openai: { imageDetail: "low" } } };
    expect(await rejection(ask(await record(user(look, one)), user(look, detailed)))).toMatchObject({
      code: "prompt-changed",
    });
  });

  it("is the same one whatever the order of its keys, its headers and its signal", async () => {
    const tape = await record({
      providerOptions: { acme: { a: 1, b: { c: 2, d: undefined } } },
      headers: { "x-id": "1" },
    });
    const again = {
      providerOptions: { acme: { b: { c: 2 }, a: 1 } },
      headers: { "x-id": "2" },
      temperature: undefined,
    };
    const { signal } = new AbortController();
    expect((await ask(tape, { ...again, abortSignal: signal })).text).toBe("ok");
  });

  it.each([{ strict: true }, { providerOptions: { acme: { cache: true } } }, { description: "Another." }])(
    "is another one with a tool that says %j",
    async (more) => {
      if ("strict" in more && specificationVersion === "v2") return;
      const clock = sdk.tool({ description: "The time.", inputSchema: z.object({}), ...more } as never);
      const plain = sdk.tool({ description: "The time.", inputSchema: z.object({}) });
      const tape = await record({ tools: { clock: plain } });
      expect(await rejection(ask(tape, { tools: { clock } }))).toMatchObject({ code: "tools-changed" });
    },
  );
});

const [, ai6] = SDKS[0] ?? [];
const [, ai7] = SDKS[1] ?? [];

describe("an approval", () => {
  it.each([
    ["AI SDK 6", ai6],
    ["AI SDK 7", ai7],
  ])("of a tool is asked for, given and replayed: %s", async (_name, sdk) => {
    if (sdk === undefined) throw new Error("no SDK");
    const call = { type: "tool-call", toolCallId: "c1", toolName: "pay", input: '{"sum":3}' };
    const steps: Step[] = [{ content: [call] }, { content: [{ type: "text", text: "Paid." }] }];
    const pay = sdk.tool({ inputSchema: z.object({ sum: z.number() }), needsApproval: true, execute: () => "paid" });
    const run = async (provider: LlmProviderAdapter, approved = true) => {
      const given = { model: toAiSdk(provider) as never, tools: { pay } };
      const first = await sdk.generateText({ ...given, prompt: "Pay." });
      const asked = first.content.find(({ type }) => type === "tool-approval-request") as unknown as Part;
      const answer = { type: "tool-approval-response", approvalId: asked["approvalId"], approved };
      const messages = [
        { role: "user", content: "Pay." },
        ...first.response.messages,
        { role: "tool", content: [answer] },
      ];
      return (await sdk.generateText({ ...given, messages } as never)).text;
    };
    const recorder = recordingProvider(fromAiSdk(scriptedModel(steps)));
    expect(await run(recorder)).toBe("Paid.");
    const tape = cassetteProvider(saved(recorder));
    expect(await run(tape)).toBe("Paid.");
    tape.assertConsumed();
    expect(await rejection(run(cassetteProvider(saved(recorder)), false))).toMatchObject({ code: "prompt-changed" });
  });

  it("of what the vendor runs goes to a model and comes back", () => {
    const answers = [
      { type: "tool-approval-response", approvalId: "a1", approved: true },
      { type: "tool-approval-response", approvalId: "a2", approved: false, reason: "Too dear." },
    ];
    const prompt = [{ role: "tool", content: answers }];
    const messages = readPrompt(prompt);
    expect(messages.map((message) => message.content)).toEqual(["Tool execution approved.", "Too dear."]);
    expect(writePrompt(messages, "v3")).toEqual(prompt);
    expect(() => writePrompt(messages, "v2")).toThrow("approval");
  });
});
