// An embedding model of the AI SDK, recorded and replayed as exchanges: each call is a request with the values and an answer with
// the vectors.

import { claimExchanges, type ExchangeSide, type PlainRequest } from "../../../cassette/index.js";
import { AgentError, canonicalize, showValue, type LlmProviderAdapter } from "../../../core/index.js";
import { MAX_EMBEDDINGS_PER_CALL } from "../../limits.js";
import { assertHandle } from "../foreign-model.js";
import { optional, toLoose, type Loose } from "../loose.js";

/** Any embedding model of AI SDK 5, 6 or 7. */
export interface AnyEmbeddingModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doEmbed(options: never): PromiseLike<unknown>;
}

/** The path under which a cassette keeps embeddings. */
const PATH = "/ai-sdk/embeddings";

/**
 * An embedding model for `embed` and `embedMany`, recorded and replayed like the provider of `handle`. Each call replays once, by its
 * provider, model, values and provider options. A replay never calls `model`. Headers are not recorded. One call has at most 100
 * values, so that its vectors fit an exchange: the SDK splits longer lists. A call rejects with
 * `CassetteError` `exchange-missing`, `exchange-changed` or `exhausted` if it was not recorded. Throws `AgentError` `invalid-options`.
 */
export function cassetteEmbeddingModel<M extends AnyEmbeddingModel>(
  handle: { readonly provider: LlmProviderAdapter },
  model: M,
): M {
  assertHandle(handle, "cassetteEmbeddingModel");
  assertModel(model);
  const side = claimExchanges(handle.provider);
  const { specificationVersion, provider, modelId } = model;
  const { supportsParallelCalls, maxEmbeddingsPerCall } = toLoose(model);
  return {
    ...{ specificationVersion, provider, modelId, supportsParallelCalls },
    maxEmbeddingsPerCall: Promise.resolve(maxEmbeddingsPerCall).then(atMost),
    doEmbed: (options: Loose) => embed(model, options, side),
  } as unknown as M;
}

/** More vectors could be more than one exchange holds. */
function atMost(limit: unknown): number {
  return typeof limit === "number" ? Math.min(limit, MAX_EMBEDDINGS_PER_CALL) : MAX_EMBEDDINGS_PER_CALL;
}

async function embed(model: AnyEmbeddingModel, options: Loose, side: ExchangeSide): Promise<unknown> {
  (options["abortSignal"] as AbortSignal | undefined)?.throwIfAborted();
  const request = writeRequest(model, options);
  const found = side.take?.(request);
  if (found !== undefined) return JSON.parse(new TextDecoder().decode(found.answer.body)) as unknown;
  if (side.refuse !== undefined) throw side.refuse(request);
  const opened = side.open?.(request);
  try {
    const result = toLoose(await model.doEmbed(options as never));
    opened?.answer({ status: 200, headers: JSON_TYPE, body: writeAnswer(result) });
    return result;
  } catch (error) {
    opened?.fail();
    throw error;
  }
}

const JSON_TYPE = { "content-type": "application/json" };

function writeRequest({ provider, modelId }: AnyEmbeddingModel, { values, providerOptions }: Loose): PlainRequest {
  const body = toBytes({ provider, model: modelId, ...optional({ values, providerOptions }) });
  return { method: "POST", url: PATH, type: JSON_TYPE["content-type"], body };
}

/** Without the vendor's raw answer. Some models give typed arrays. */
function writeAnswer({ embeddings, usage, warnings, providerMetadata }: Loose): Uint8Array {
  const vectors = (embeddings as ArrayLike<number>[]).map((vector) => Array.from(vector));
  return toBytes({ embeddings: vectors, ...optional({ usage, warnings, providerMetadata }) });
}

function toBytes(value: object): Uint8Array {
  return new TextEncoder().encode(canonicalize(value));
}

function assertModel(model: unknown): void {
  const { doEmbed, provider, modelId } = toLoose(model);
  if (typeof doEmbed === "function" && typeof provider === "string" && typeof modelId === "string") return;
  throw new AgentError("invalid-options", `cassetteEmbeddingModel needs an embedding model, not ${showValue(model)}`, {
    hint: `Pass a model object, such as openai.embedding("text-embedding-3-small"). A model name is not enough.`,
  });
}
