// A language model of the AI SDK as a provider of ours: what a recording has behind it.

import {
  AgentError,
  showValue,
  type LlmProviderAdapter,
  type LlmStreamEvent,
  type LlmTurnRequest,
} from "../../../core/index.js";
import { type Loose, toLoose } from "../loose.js";
import { beginCall, toAgentError } from "../foreign-error.js";
import { createFold } from "./fold.js";
import { liveParts } from "./play.js";
import { writeCall } from "./request.js";
import { readResult } from "./result.js";
import type { AnyAiSdkModel } from "./spec.js";

/** One call of a model, not begun yet. */
export interface LiveCall {
  generate(): PromiseLike<unknown>;
  stream(): PromiseLike<unknown>;
}

/**
 * Wraps any language model of the AI SDK, of version 2, 3 or 4. Rejects with `AgentError`: `provider-http` and
 * `provider-response` with what the SDK says of trying again, `timeout`, `aborted`, and `invalid-options` for a request that
 * the model's version has no words for. Throws `invalid-options` for what is no such model.
 */
export function fromAiSdk(model: AnyAiSdkModel): LlmProviderAdapter {
  assertModel(model);
  const { specificationVersion: version, provider, modelId } = model;
  const name = `${provider}:${modelId}`;
  return liveProvider(name, (request) => {
    const options = writeCall(request, version, name) as never;
    return { generate: () => model.doGenerate(options), stream: () => model.doStream(options) };
  });
}

function assertModel(model: unknown): void {
  const { specificationVersion: version, doGenerate, doStream } = toLoose(model);
  const isKnown = version === "v2" || version === "v3" || version === "v4";
  if (isKnown && typeof doGenerate === "function" && typeof doStream === "function") return;
  const what = typeof model === "object" ? `of specification ${showValue(version)}` : showValue(model);
  throw new AgentError("invalid-options", `fromAiSdk was given no language model it knows: ${what}`, {
    hint: `Pass a model object, such as openai("gpt-5"), of specification v2, v3 or v4; a name alone reaches no model.`,
  });
}

/** The provider whose every call is what `callOf` makes of its request. */
export function liveProvider(name: string, callOf: (request: LlmTurnRequest) => LiveCall): LlmProviderAdapter {
  return {
    name,
    async turn(given) {
      const { request, state } = beginCall(given);
      try {
        const call = callOf(request);
        request.signal?.throwIfAborted();
        return readResult(toLoose(await call.generate()));
      } catch (error) {
        throw toAgentError(error, name, state);
      }
    },
    async *stream(given) {
      const { request, state } = beginCall(given);
      try {
        const call = callOf(request);
        request.signal?.throwIfAborted();
        for await (const event of readParts(toLoose(await call.stream()), name)) {
          state.hasStarted = true;
          yield event;
        }
      } catch (error) {
        throw toAgentError(error, name, state);
      }
    },
  };
}

async function* readParts(result: Loose, name: string): AsyncGenerator<LlmStreamEvent, void, undefined> {
  const fold = createFold();
  let passed: Loose[] = [];
  const told = <T extends LlmStreamEvent>(event: T): T => {
    liveParts.set(event, passed);
    passed = [];
    return event;
  };
  for await (const part of readAll(result["stream"] as ReadableStream<unknown>)) {
    if (part["type"] === "error") throw part["error"];
    passed.push(part);
    const delta = fold.take(part);
    if (delta !== undefined) yield told(delta);
  }
  yield told({ type: "response", response: readResult(fold.result(name)) });
}

/** Leaving early cancels the stream. */
async function* readAll(stream: ReadableStream<unknown>): AsyncGenerator<Loose, void, undefined> {
  const reader = stream.getReader();
  let isOver = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isOver = done;
      if (done) return;
      yield toLoose(value);
    }
  } finally {
    if (!isOver) await reader.cancel().catch(() => undefined);
  }
}
