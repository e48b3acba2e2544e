// Sessions against `cassette serve`: whatever kind of model asks over HTTP, the transcript is that of the native provider.

import { describe, expect, it } from "vitest";
import { recordingProvider } from "../../../src/cassette/record/recording-provider.js";
import type { AssistantMessage } from "../../../src/core/model/message.js";
import type { LlmProviderAdapter } from "../../../src/core/model/provider.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import type { SessionEvent } from "../../../src/core/session/event.js";
import type { RuntimeLlm, RuntimeMessage } from "../../../src/core/session/model/runtime-llm.js";
import { openaiProvider } from "../../../src/core/vendors/providers.js";
import { Agent } from "../../../src/entry/session.js";
import { toAiSdk } from "../../../src/harness/adapters/ai-sdk/to-ai-sdk.js";
import type { AnyAiSdkModel } from "../../../src/harness/adapters/ai-sdk/sdk-types.js";
import { SDKS } from "../../support/ai-sdk.js";
import { ask, quietPorts, say, tool } from "../../support/script.js";
import { readRun } from "../../support/sessions.js";
import { placeJson, startServe } from "./running.js";

const look = tool("look", ({ at }) => `saw the ${String(at)}`);
const GOAL = "What is there?";
const agentOf = (model: ConstructorParameters<typeof Agent>[0]["model"]) =>
  new Agent({ model, ports: quietPorts(), ...(typeof model === "function" ? {} : { tools: [look] }) });

async function transcript(model: Parameters<typeof agentOf>[0]): Promise<SessionEvent[]> {
  return readRun(await agentOf(model).send(GOAL));
}

/** Records the conversation, and serves it to the model that `create` makes of the native provider. */
async function served(create: (native: LlmProviderAdapter) => Parameters<typeof agentOf>[0]) {
  const recorder = recordingProvider(
    scriptedProvider([ask([{ name: "look", id: "call_1", arguments: { at: "sea" } }]), say("A boat.")]),
  );
  await transcript(recorder);
  const server = await startServe([placeJson("session.cassette.json", recorder.toCassette())]);
  const native = openaiProvider({ apiKey: "k", model: "m", baseURL: `${server.url}/v1`, ports: quietPorts() });
  const events = await transcript(create(native));
  const { code, err } = await server.stop();
  expect({ code, err }).toEqual({ code: 0, err: expect.any(String) as string });
  return events;
}

/** A function that answers with its calls, their results and its text at once. */
function functionOf(native: LlmProviderAdapter): RuntimeLlm {
  const { name, description, schema } = look;
  return async ({ history }) => {
    const messages = [...history];
    const answer: RuntimeMessage[] = [];
    for (;;) {
      const { message } = await native.turn({ messages, tools: [{ name, description, schema }] });
      const { toolCalls = [] } = message as AssistantMessage;
      answer.push(message as AssistantMessage);
      messages.push(message);
      if (toolCalls.length === 0) return answer;
      for (const call of toolCalls) {
        const content = `saw the ${String(call.arguments["at"])}`;
        const result = { role: "tool", toolCallId: call.id, name: call.name, content } as const;
        answer.push(result);
        messages.push(result);
      }
    }
  };
}

describe("a session whose model is served from a cassette", () => {
  it.each(SDKS)("PSS-04 acceptance 12: has the native provider's transcript with %s", async (_name, sdk, version) => {
    const native = await served((provider) => provider);
    expect(native.map(({ type }) => type)).toContain("tool-result");
    const own = await served((provider) => {
      const model = toAiSdk(provider, { specificationVersion: version });
      return sdk.wrapLanguageModel({
        model: model as never,
        middleware: { specificationVersion: version } as never,
      }) as unknown as AnyAiSdkModel;
    });
    expect(own).toEqual(native);
  });

  it("PSS-05 PSS-06 acceptance 12: has it with a function that answers several steps at once", async () => {
    const isBoundary = ({ type }: SessionEvent) => type === "step-start" || type === "step-end";
    const native = await served((provider) => provider);
    const own = await served(functionOf);
    const said = (events: SessionEvent[]) => events.filter((event) => !isBoundary(event));
    expect(said(own)).toEqual(said(native));
    expect(own.filter(isBoundary)).toEqual([{ type: "step-start" }, { type: "step-end" }]);
  });
});
