// The suite against every provider that ships, whole and streamed.

import type { RequestListener } from "node:http";
import { afterAll, beforeAll, describe, it } from "vitest";
import { parseCassette } from "../../../../src/cassette/trust/load-cassette.js";
import { recordingProvider } from "../../../../src/cassette/record/recording-provider.js";
import { cassetteProvider } from "../../../../src/cassette/replay/replay.js";
import { formatCassette } from "../../../../src/cassette/trust/cassette-store.js";
import type { LlmProviderAdapter, LlmTurnRequest } from "../../../../src/core/model/provider.js";
import type { WireName } from "../../../../src/core/vendors/table.js";
import { vendorProvider, VENDORS, wireOf } from "../../../../src/core/vendors/vendors.js";
import type { Vendor } from "../../../../src/core/vendors/vendor.js";
import { echoProvider } from "../../../../src/core/providers/echo.js";
import { fallbackProvider } from "../../../../src/core/providers/fallback.js";
import { scriptedProvider } from "../../../../src/core/providers/scripted.js";
import { PROVIDER_REQUESTS } from "../../../../src/harness/conformance/provider/requests.js";
import {
  providerConformance,
  type MakeProvider,
  type ProviderConformanceOptions,
} from "../../../../src/harness/conformance/provider/suite.js";
import { faultyProvider } from "../../../../src/harness/faults/provider.js";
import { MAX_ASKED } from "../../../../src/harness/limits.js";
import { answerTo } from "../../../support/answers.js";
import { apiKey, listen } from "../../../support/wire.js";

type Mode = "answers" | "fails" | "is silent";

/** Speaks every wire, and keeps silent or fails where the path says so. */
const vendors: RequestListener = (request, response) => {
  const [, mode = "", ...rest] = (request.url ?? "").split("/");
  const path = `/${rest.join("/")}`;
  const wire = wireOf({ method: "POST", path: path.replace(/\?.*/, "") }) ?? VENDORS.openai;
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => void parts.push(part));
  request.on("end", () => {
    if (mode === "silent") return;
    if (mode === "failing") {
      response.writeHead(500, { "content-type": "application/json" });
      response.end(JSON.stringify(wire.fail({ status: 500, code: "down", message: "down for now" })));
      return;
    }
    const turn = wire.parse(JSON.parse(Buffer.concat(parts).toString()), path);
    const stamp = { id: "1", createdAt: 0, model: "m-1", wantsUsage: turn.wantsUsage };
    const answer = answerTo(turn.request);
    response.writeHead(200, { "content-type": turn.isStream ? wire.streamType : "application/json" });
    if (turn.isStream) for (const piece of wire.stream(answer, stamp)) response.write(piece);
    response.end(turn.isStream ? "" : JSON.stringify(wire.write(answer, stamp)));
  });
};

let server: Awaited<ReturnType<typeof listen>>;
beforeAll(async () => {
  server = await listen(vendors);
});
afterAll(() => server.close());

function vendor(wire: WireName, mode: Mode, streaming = false): LlmProviderAdapter {
  const base = { answers: "answering", fails: "failing", "is silent": "silent" }[mode];
  const common = { model: "m-1", baseURL: `${server.baseURL}/${base}`, streaming, ports: { warn: () => undefined } };
  const spoken: Vendor = VENDORS[wire];
  return vendorProvider(spoken, { ...common, ...(spoken.keyVariable === undefined ? {} : { apiKey }) });
}

const every = (wire: WireName, wrap: (provider: LlmProviderAdapter) => LlmProviderAdapter, streaming?: boolean) =>
  [
    () => wrap(vendor(wire, "answers", streaming)),
    {
      failing: () => wrap(vendor(wire, "fails", streaming)),
      silent: () => wrap(vendor(wire, "is silent", streaming)),
    },
  ] as const;

const same = (provider: LlmProviderAdapter) => provider;
const recorded = (provider: LlmProviderAdapter) => recordingProvider(provider);
const chained = (provider: LlmProviderAdapter) => fallbackProvider([{ provider }]);
const unstruck = (provider: LlmProviderAdapter) => faultyProvider(provider, { schedule: [] });
const late = (provider: LlmProviderAdapter) =>
  faultyProvider(provider, { faults: [{ kind: "latency", ms: 1 }], rate: 1 });

/** Answers by the request, as a script of functions. */
const script = () => scriptedProvider(Array.from({ length: 20 }, () => (request: LlmTurnRequest) => answerTo(request)));

/** A cassette in which every request of the suite stands as often as it may be asked. */
async function cassette(record: LlmProviderAdapter, streamed: boolean): Promise<LlmProviderAdapter> {
  const recorder = recordingProvider(record);
  for (const request of Object.values(PROVIDER_REQUESTS)) {
    for (let time = 0; time < MAX_ASKED; time++) {
      if (!streamed) await recorder.turn(request);
      else for await (const _ of recorder.stream?.(request) ?? []);
    }
  }
  return cassetteProvider(parseCassette(formatCassette(recorder.toCassette())));
}

const SHIPPED: [string, MakeProvider, ProviderConformanceOptions?][] = [
  ["echoProvider", echoProvider],
  ["scriptedProvider", script, { failing: () => scriptedProvider([]) }],
  ["recordingProvider of a script", () => recordingProvider(script())],
  ["cassetteProvider of a script", () => cassette(script(), false)],
  ["cassetteProvider of a stream", () => cassette(vendor("openai", "answers"), true)],
  ["openaiProvider", ...every("openai", same)],
  ["openaiProvider that streams inside", ...every("openai", same, true)],
  ["responsesProvider", ...every("responses", same)],
  ["responsesProvider that streams inside", ...every("responses", same, true)],
  ["anthropicProvider", ...every("anthropic", same)],
  ["geminiProvider", ...every("gemini", same)],
  ["geminiProvider that streams inside", ...every("gemini", same, true)],
  ["bedrockProvider", ...every("bedrock", same)],
  ["bedrockProvider that streams inside", ...every("bedrock", same, true)],
  ["cohereProvider", ...every("cohere", same)],
  ["ollamaProvider", ...every("ollama", same)],
  ["recordingProvider of a vendor", ...every("openai", recorded)],
  ["fallbackProvider", ...every("anthropic", chained)],
  ["faultyProvider that strikes nothing", ...every("openai", unstruck)],
  ["faultyProvider that is late", ...every("openai", late)],
];

for (const [title, make, options] of SHIPPED) {
  describe(title, () => {
    for (const { name, run } of providerConformance(make, options)) it(name, run);
  });
}
