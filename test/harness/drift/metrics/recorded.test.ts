// Recordings of every door have a cost, even if the vendor's answer does not name the model.

import { http, HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { afterEach, describe, expect, it } from "vitest";
import { createTurnPricer } from "../../../../src/cassette/count/usage-sum.js";
import type { CassetteV2 } from "../../../../src/cassette/file/format.js";
import { recordingProvider } from "../../../../src/cassette/record/recording-provider.js";
import { fromAiSdk } from "../../../../src/harness/adapters/ai-sdk/from-ai-sdk.js";
import { spendingOf } from "../../../../src/harness/drift/metrics/spending.js";
import { recordingHandlers } from "../../../../src/entry/msw.js";
import { fromLangChain } from "../../../../src/entry/langchain.js";
import { load, proxying, vendor } from "../../../cli/proxying.js";

const costOf = (cassette: CassetteV2) => spendingOf(cassette, createTurnPricer()).cost;

/** Cohere's answer names no model. A thousand tokens in and a hundred out cost 0.0035 USD. */
const COHERE = {
  id: "a",
  finish_reason: "COMPLETE",
  message: { role: "assistant", content: [{ type: "text", text: "Hi." }] },
  usage: {
    billed_units: { input_tokens: 900, output_tokens: 100 },
    tokens: { input_tokens: 1_000, output_tokens: 100 },
  },
};
const ASKED = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ model: "command-a-03-2025", messages: [{ role: "user", content: "Hello" }] }),
};
const expected = { value: 0.0035, unknown: 0 };

const server = setupServer();
afterEach(() => {
  server.resetHandlers();
  server.close();
});

describe("the cost of a recording", () => {
  it("of the proxy", async () => {
    const proxy = await proxying(await vendor(JSON.stringify(COHERE)), "priced-proxy.cassette.json");
    await fetch(`${proxy.url}/v2/chat`, ASKED);
    await proxy.stop();
    expect(costOf(load("priced-proxy.cassette.json"))).toEqual(expected);
  });

  it("of MSW", async () => {
    const url = await vendor(JSON.stringify(COHERE));
    const recording = recordingHandlers({ baseUrls: { cohere: url } });
    server.use(
      ...recording,
      http.all("*", () => HttpResponse.error()),
    );
    server.listen();
    await fetch(`${url}/v2/chat`, ASKED);
    expect(costOf(await recording.toCassette())).toEqual(expected);
  });

  it("of a model of the AI SDK", async () => {
    const model = {
      specificationVersion: "v2",
      provider: "cohere.chat",
      modelId: "command-a-03-2025",
      supportedUrls: {},
      doGenerate: () =>
        Promise.resolve({
          content: [{ type: "text", text: "Hi." }],
          finishReason: "stop",
          usage: { inputTokens: 1_000, outputTokens: 100, totalTokens: 1_100 },
          warnings: [],
        }),
      doStream: () => Promise.reject(new Error("not streamed")),
    };
    const recorder = recordingProvider(fromAiSdk(model as never));
    await recorder.turn({ messages: [{ role: "user", content: "Hello" }] });
    expect(costOf(recorder.toCassette() as CassetteV2)).toEqual(expected);
  });

  it("of a chat model of LangChain", async () => {
    const model = {
      model: "command-a-03-2025",
      _llmType: () => "cohere",
      invoke: () =>
        Promise.resolve({
          content: "Hi.",
          usage_metadata: { input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 },
        }),
      stream: () => Promise.reject(new Error("not streamed")),
    };
    const recorder = recordingProvider(fromLangChain(model as never));
    await recorder.turn({ messages: [{ role: "user", content: "Hello" }] });
    expect(costOf(recorder.toCassette() as CassetteV2)).toEqual(expected);
  });
});
