// Generative vertices: a model that generates media is called once, through a separate method. The call is not a turn, so no cassette holds it.

import { fromBase64 } from "../canon/bytes.js";
import { sha256Hex } from "../canon/digest.js";
import { isPlainObject } from "../canon/value.js";
import { AgentError, invalidOptions } from "../errors.js";
import { figure } from "../loop/estimate.js";
import { toMicroCents } from "../model/usage.js";
import type { LlmProviderAdapter } from "../model/provider.js";
import { showValue } from "../text/show.js";
import { assertNotAborted } from "../tools/abort.js";
import type { NodeEventBody } from "./events.js";
import { hostCall } from "./host/host-call.js";

/** The endpoint that a model answers at: `chat` for turns, `generative` for media. */
export type MediaSurface = "chat" | "generative";

export type MediaModality = "image" | "audio" | "video";

const MODALITIES: readonly unknown[] = ["image", "audio", "video"] satisfies MediaModality[];

/** A request for media. */
export interface MediaRequest {
  readonly model: string;
  readonly prompt: string;
  readonly modality: MediaModality;
  readonly signal: AbortSignal;
}

/** Media as base64 `data` or as a `url`, and the `units` that it costs. A `jobId` names an unfinished job, which fails the vertex. */
export type MediaResult =
  | {
      readonly media:
        { readonly mediaType: string; readonly data: string } | { readonly mediaType: string; readonly url: string };
      readonly units: number;
      /** The model that answered. Default: the requested one. */
      readonly model?: string;
    }
  | { readonly jobId: string };

/** A provider that can generate media. */
export interface MediaProvider extends LlmProviderAdapter {
  generateMedia(request: MediaRequest): Promise<MediaResult>;
}

/** The functions of a host for media. */
export interface MediaDeps {
  /** Keeps the bytes of an answer. Its handle is `media://sha256/` and their hash in hex. */
  keep?(bytes: Uint8Array, mediaType: string): Promise<void>;
  /** USD for one unit of a model. Default 0. */
  rate?(model: string): number | undefined;
}

/** The output of a generative vertex. */
export interface MediaOutput {
  readonly text: "";
  readonly media: readonly [{ readonly type: MediaModality; readonly mediaType: string; readonly url: string }];
}

/** The one modality of a generative vertex. Throws `AgentError` `invalid-options`. */
export function readModality(nodeId: string, modalities: readonly unknown[] = []): MediaModality {
  const [modality] = modalities;
  if (modalities.length === 1 && MODALITIES.includes(modality)) return modality as MediaModality;
  const given = modalities.length === 1 ? showValue(modality) : `${modalities.length} modalities`;
  throw invalidOptions(
    `vertex ${nodeId}: node.modalities has ${given}, and its model generates media`,
    `Name exactly one of ${MODALITIES.join(", ")}.`,
  );
}

/** Generates the media, with one `cost:updated`. Rejects with `capability-missing` if the provider or the host lacks a capability. */
export async function generateMedia(
  provider: LlmProviderAdapter,
  request: MediaRequest,
  { nodeId, media = {}, emit }: { nodeId: string; media: MediaDeps | undefined; emit: (event: NodeEventBody) => void },
): Promise<{ output: MediaOutput; model: string }> {
  const { generateMedia: generate } = provider as Partial<MediaProvider>;
  if (typeof generate !== "function")
    throw lacking(
      `the provider of model ${request.model} cannot generate media`,
      "A recording holds no media. Pass a provider with generateMedia.",
    );
  const result: unknown = await generate.call(provider, request);
  assertNotAborted(request.signal);
  const { mediaType, model = request.model, units, ...place } = readResult(result);
  const usd = figure(units) * figure(await hostCall("media.rate", () => media.rate?.(model)));
  const costMicrocents = toMicroCents(usd);
  const tokens = { inputTokens: 0, outputTokens: 0 };
  const cost = { costMicrocents, cumulativeCostMicrocents: costMicrocents, attemptNumber: 1 };
  emit({ type: "cost:updated", nodeId, model, ...tokens, ...cost });
  const url = place.url ?? (await keep(place.data as string, mediaType, media));
  assertNotAborted(request.signal);
  return { output: { text: "", media: [{ type: request.modality, mediaType, url }] }, model };
}

interface ReadResult {
  readonly mediaType: string;
  readonly data?: string;
  readonly url?: string;
  readonly units: number;
  readonly model?: string;
}

function readResult(result: unknown): ReadResult {
  const { media, units, model, jobId } = isPlainObject(result) ? result : {};
  if (jobId !== undefined)
    throw lacking("the vendor started a job, and a vertex cannot wait for it", "Use a model that answers at once.");
  const { mediaType, data, url } = isPlainObject(media) ? media : {};
  const isPlaced = typeof data === "string" ? url === undefined : typeof url === "string" && data === undefined;
  const isModel = model === undefined || typeof model === "string";
  if (typeof mediaType !== "string" || !isPlaced || !isModel || !Number.isFinite(units))
    throw lacking("generateMedia returned an invalid answer", "Return { media: { mediaType, data or url }, units }.");
  return { mediaType, units, model, ...(data === undefined ? { url } : { data }) } as ReadResult;
}

async function keep(data: string, mediaType: string, media: MediaDeps): Promise<string> {
  const bytes = fromBase64(data);
  if (bytes === undefined)
    throw lacking("generateMedia returned data that is not base64", "Return base64 data, or a url.");
  if (media.keep === undefined)
    throw lacking("the host cannot keep media", "Pass media: { keep } to createAgentNodeExecutor.");
  await hostCall("media.keep", () => media.keep?.(bytes, mediaType));
  return `media://sha256/${sha256Hex(bytes)}`;
}

function lacking(what: string, hint: string): AgentError {
  return new AgentError("capability-missing", what, { hint });
}
