// A provider of ours as a language model of the AI SDK: a recorder, a replay, or a vendor's wire behind generateText, streamText
// and every agent of the SDK.

import {
  AgentError,
  assertKnownOptions,
  providerName,
  showValue,
  type LlmProviderAdapter,
  type LlmStreamEvent,
  type LlmTurnRequest,
} from "../../../core/index.js";
import { assertProvider } from "../assert-provider.js";
import { toSdkError } from "./errors.js";
import { playParts } from "./play/play.js";
import { readCall } from "./request.js";
import { writeResult } from "./result.js";
import type { AiSdkModel, AiSdkModelV2, GenerateResult, SpecVersion, StreamPart, StreamResult } from "./spec.js";

/** The options of {@link toAiSdk}. */
export interface ToAiSdkOptions {
  /** Which version the model speaks. Default `v3`, which AI SDK 6 and 7 take; AI SDK 5 takes `v2` alone. */
  readonly specificationVersion?: SpecVersion;
}

/** The SDK must not fetch what a URL in a prompt names: a replay has no network, and a recording keeps the URL. */
export const ANY_URL: Record<string, RegExp[]> = { "*/*": [/.*/] };

/**
 * The model. Calls reject with what the provider rejects with: a `CassetteError` of a miss as it is, an error of a model under
 * `fromAiSdk` as that model threw it, and a failure of a provider of ours that may pass as one the SDK retries.
 */
export function toAiSdk(
  provider: LlmProviderAdapter,
  options: ToAiSdkOptions & { readonly specificationVersion: "v2" },
): AiSdkModelV2;
export function toAiSdk(provider: LlmProviderAdapter, options?: ToAiSdkOptions): AiSdkModel;
export function toAiSdk(provider: LlmProviderAdapter, options: ToAiSdkOptions = {}): AiSdkModel | AiSdkModelV2 {
  assertKnownOptions("toAiSdk", options, ["specificationVersion"]);
  assertProvider(provider, "toAiSdk");
  const { specificationVersion = "v3" } = options;
  assertVersion(specificationVersion);
  return {
    specificationVersion: specificationVersion as "v3",
    ...identify(provider),
    supportedUrls: ANY_URL,
    doGenerate: async (call) => generate(provider, readCall(call), specificationVersion),
    doStream: async (call) => stream(provider, readCall(call), specificationVersion),
  };
}

export function assertVersion(version: unknown): void {
  if (version === "v2" || version === "v3" || version === "v4") return;
  throw new AgentError("invalid-options", `specificationVersion is ${showValue(version)}`, {
    hint: `Use "v2" for AI SDK 5, "v3" or nothing for AI SDK 6 and 7.`,
  });
}

/** Vendor and model, the same whether recorded or replayed. */
function identify(source: LlmProviderAdapter): { provider: string; modelId: string } {
  const name = providerName(source).replace(/^cassette:/, "");
  const [, provider, modelId] = /^([^:]+):(.+)$/s.exec(name) ?? [];
  return { provider: provider ?? "playhead", modelId: modelId ?? name };
}

export async function generate(
  provider: LlmProviderAdapter,
  request: LlmTurnRequest,
  version: SpecVersion,
): Promise<GenerateResult> {
  try {
    return writeResult(await provider.turn(request), version);
  } catch (error) {
    throw toSdkError(error);
  }
}

/**
 * Resolves once the first event is there, so that a miss, or a call that may be tried again, rejects here. Cancelling the stream
 * aborts the call, which may be waiting for a model that says nothing more.
 */
export async function stream(
  provider: LlmProviderAdapter,
  given: LlmTurnRequest,
  version: SpecVersion,
): Promise<StreamResult> {
  const left = new AbortController();
  const signal = given.signal === undefined ? left.signal : AbortSignal.any([given.signal, left.signal]);
  const request = { ...given, signal };
  const events = (provider.stream?.(request) ?? whole(provider, request))[Symbol.asyncIterator]();
  try {
    const first = await events.next();
    return { stream: toReadable(playParts(resume(first, events), version), left) };
  } catch (error) {
    throw toSdkError(error);
  }
}

async function* whole(provider: LlmProviderAdapter, request: LlmTurnRequest): AsyncGenerator<LlmStreamEvent> {
  yield { type: "response", response: await provider.turn(request) };
}

async function* resume(
  first: IteratorResult<LlmStreamEvent>,
  rest: AsyncIterator<LlmStreamEvent>,
): AsyncGenerator<LlmStreamEvent> {
  try {
    if (first.done !== true) yield first.value;
    yield* { [Symbol.asyncIterator]: () => rest };
  } finally {
    // A reader who left after the first event has not begun the rest.
    await rest.return?.();
  }
}

/** A failure on the way is a part of its own, as with every model of the SDK. Cancelling ends the call. */
function toReadable(parts: AsyncGenerator<StreamPart, void, undefined>, left: AbortController) {
  return new ReadableStream<StreamPart>({
    async pull(controller) {
      try {
        const { done, value } = await parts.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        if (left.signal.aborted) return;
        controller.enqueue({ type: "error", error: toSdkError(error) });
        controller.close();
      }
    },
    async cancel(reason) {
      left.abort(reason);
      await parts.return();
    },
  });
}
