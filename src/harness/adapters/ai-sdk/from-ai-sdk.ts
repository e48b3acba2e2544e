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
import { liveParts } from "./play/play.js";
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
  throw new AgentError("invalid-options", `fromAiSdk was given no language model it knows: ${describe(model)}`, {
    hint: `Pass a model object, such as openai("gpt-5"), of specification v2, v3 or v4; a name alone reaches no model.`,
  });
}

/** Models that make no text are told by what they do. */
function describe(model: unknown): string {
  if (typeof model === "function") return "a function, such as a vendor that was not asked for a model yet";
  if (typeof model !== "object" || model === null) return showValue(model);
  const { specificationVersion, doEmbed, doGenerate, doStream, turn } = toLoose(model);
  if (typeof doEmbed === "function") return "an embedding model";
  if (typeof doGenerate === "function" && typeof doStream !== "function")
    return "a model without doStream, as models of images, speech and transcripts are";
  if (typeof turn === "function") return "a provider of ours already";
  return `of specification ${showValue(specificationVersion)}`;
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
        for await (const event of readParts(toLoose(await call.stream()), name, request.signal)) {
          state.hasStarted = true;
          yield event;
        }
      } catch (error) {
        throw toAgentError(error, name, state);
      }
    },
  };
}

async function* readParts(
  result: Loose,
  name: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<LlmStreamEvent, void, undefined> {
  const fold = createFold();
  let passed: Loose[] = [];
  const told = <T extends LlmStreamEvent>(event: T): T => {
    liveParts.set(event, passed);
    passed = [];
    return event;
  };
  for await (const part of readAll(result["stream"] as ReadableStream<unknown>, signal)) {
    if (part["type"] === "error") throw part["error"];
    passed.push(part);
    const delta = fold.take(part);
    if (delta !== undefined) yield told(delta);
  }
  yield told({ type: "response", response: readResult(fold.result(name)) });
}

/** Leaving early cancels the stream, and so does the signal: a model may know of no abort, or say nothing more. */
async function* readAll(
  stream: ReadableStream<unknown>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Loose, void, undefined> {
  const reader = stream.getReader();
  let isOver = false;
  const cancel = (): void => void reader.cancel(signal?.reason).catch(() => undefined);
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      isOver = done;
      signal?.throwIfAborted();
      if (done) return;
      yield toLoose(value);
    }
  } finally {
    signal?.removeEventListener("abort", cancel);
    if (!isOver) await reader.cancel().catch(() => undefined);
  }
}
