// A language model of the AI SDK as one of our providers.

import {
  AgentError,
  showValue,
  type LlmProviderAdapter,
  type LlmStreamEvent,
  type LlmTurnRequest,
} from "../../../core/index.js";
import { type Loose, toLoose } from "../loose.js";
import { foreignProvider } from "../foreign-model.js";
import { createFold } from "./fold.js";
import { liveParts } from "./play/play.js";
import { writeCall } from "./request.js";
import { readResult } from "./result.js";
import type { AnyAiSdkModel } from "./sdk-types.js";

/** One call of a model that has not begun. */
export interface LiveCall {
  generate(): PromiseLike<unknown>;
  stream(): PromiseLike<unknown>;
}

/**
 * Wraps any language model of the AI SDK, version 2, 3 or 4. Rejects with `AgentError`: `provider-http` and `provider-response`
 * (retryable as the SDK says), `timeout`, `aborted`, and `invalid-options` for a request that this version cannot express. Throws
 * `invalid-options` for anything else than such a model.
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
  throw new AgentError("invalid-options", `fromAiSdk needs a language model, not ${describe(model)}`, {
    hint: `Pass a model object of specification v2, v3 or v4, such as openai("gpt-5"). A model name is not enough.`,
  });
}

function describe(model: unknown): string {
  if (typeof model === "function") return "a function, such as a vendor instead of one of its models";
  if (typeof model !== "object" || model === null) return showValue(model);
  const { specificationVersion, doEmbed, doGenerate, doStream, turn } = toLoose(model);
  if (typeof doEmbed === "function") return "an embedding model";
  if (typeof doGenerate === "function" && typeof doStream !== "function")
    return "a model without doStream, such as one for images, speech or transcripts";
  if (typeof turn === "function") return "a Playhead provider";
  return `a model of specification ${showValue(specificationVersion)}`;
}

/** A provider that makes the call `callOf` gives for each request. */
export function liveProvider(name: string, callOf: (request: LlmTurnRequest) => LiveCall): LlmProviderAdapter {
  const begin = (request: LlmTurnRequest): LiveCall => {
    const call = callOf(request);
    request.signal?.throwIfAborted();
    return call;
  };
  return foreignProvider(name, {
    answer: async (request) => readResult(toLoose(await begin(request).generate())),
    async *events(request) {
      yield* readParts(toLoose(await begin(request).stream()), name, request.signal);
    },
  });
}

async function* readParts(
  result: Loose,
  name: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<LlmStreamEvent, void, undefined> {
  const fold = createFold();
  let passed: Loose[] = [];
  const withParts = <T extends LlmStreamEvent>(event: T): T => {
    liveParts.set(event, passed);
    passed = [];
    return event;
  };
  for await (const part of readAll(result["stream"] as ReadableStream<unknown>, signal)) {
    if (part["type"] === "error") throw part["error"];
    passed.push(part);
    const delta = fold.take(part);
    if (delta !== undefined) yield withParts(delta);
  }
  yield withParts({ type: "response", response: readResult(fold.result(name)) });
}

/** Reads the stream. Leaving early or aborting cancels it: a model may ignore the signal, or send nothing more. */
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
