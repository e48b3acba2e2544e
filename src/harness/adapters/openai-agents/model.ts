// One of our providers as a model of the Agents SDK, and a model of the SDK as one of our providers. Together they put a cassette
// between a `Runner` and its model.

import {
  AgentError,
  defined,
  LlmProviderHttpError,
  showValue,
  type LlmProviderAdapter,
  type LlmStreamEvent,
  type LlmTurnRequest,
} from "../../../core/index.js";
import { assertProvider, foreignProvider, streamOf, toFrameworkError, tornStream } from "../foreign-model.js";
import { asText, toLoose } from "../loose.js";
import { readRequest, writeRequest } from "./request.js";
import { readResponse, writeDone, writeResponse } from "./response.js";
import type { AgentsModel, AgentsRequest, AgentsStreamEvent, AnyAgentsModel, RetryAdvice } from "./sdk-types.js";

/** The runner's own request. A symbol field travels with a request and its copies, and is never recorded. */
const ORIGINAL = Symbol("playhead.original");

type Carrying = LlmTurnRequest & { readonly [ORIGINAL]?: AgentsRequest };

/**
 * The model. A call rejects as its provider does: with the `CassetteError` of a miss, or with the original error of a model under
 * `fromAgentsModel`.
 */
export function toAgentsModel(provider: LlmProviderAdapter): AgentsModel {
  assertProvider(provider, "toAgentsModel");
  const requestOf = (original: AgentsRequest): Carrying => ({ ...readRequest(original), [ORIGINAL]: original });
  return {
    async getResponse(request) {
      try {
        return writeResponse(await provider.turn(requestOf(request)));
      } catch (error) {
        throw toFrameworkError(error);
      }
    },
    async *getStreamedResponse(request) {
      try {
        yield* writeEvents(streamOf(provider, requestOf(request)));
      } catch (error) {
        throw toFrameworkError(error);
      }
    },
    getRetryAdvice(failure) {
      const { error } = failure;
      const model = typeof error === "object" && error !== null ? throwers.get(error) : undefined;
      const advice = model?.getRetryAdvice?.(failure as never) as ReturnType<AgentsModel["getRetryAdvice"]>;
      return advice ?? adviseRetry(error);
    },
  };
}

/** The protocol has events for texts alone. Reasoning and calls come with the answer. */
async function* writeEvents(events: AsyncIterable<LlmStreamEvent>): AsyncGenerator<AgentsStreamEvent> {
  let hasStarted = false;
  for await (const event of events) {
    if (!hasStarted) yield { type: "response_started" };
    hasStarted = true;
    if (event.type === "text-delta" && event.text !== "") yield { type: "output_text_delta", delta: event.text };
    if (event.type === "response") yield writeDone(event.response);
  }
}

/** Models under `fromAgentsModel`, by the errors that they threw: they give the best advice about them. */
const throwers = new WeakMap<object, AnyAgentsModel>();

/** Advice for the runner's retry policies. Errors that are not ours the runner reads itself. */
function adviseRetry(error: unknown): RetryAdvice | undefined {
  if (!(error instanceof AgentError)) return undefined;
  const { retryable, responseStarted, message } = error;
  const wait = error instanceof LlmProviderHttpError ? error.retryAfterMs : undefined;
  return {
    suggested: retryable && !responseStarted,
    reason: message,
    replaySafety: responseStarted ? "unsafe" : "safe",
    responseStarted,
    ...defined({ retryAfterMs: wait }),
  };
}

/**
 * Wraps any model of the SDK; `name` is recorded as the provider. Behind `toAgentsModel` the model gets the runner's own request,
 * tracing included. Rejects with `AgentError`: `provider-http`, `provider-response`, `timeout`, `aborted`, and `invalid-options`
 * for a request that the SDK cannot express. Throws `invalid-options` for any other value.
 */
export function fromAgentsModel(model: AnyAgentsModel, name = "openai-agents"): LlmProviderAdapter {
  assertModel(model);
  const callOf = (request: Carrying): never => {
    const { signal, [ORIGINAL]: original } = request;
    signal?.throwIfAborted();
    return (original === undefined ? writeRequest(request, name) : { ...original, ...defined({ signal }) }) as never;
  };
  return foreignProvider(name, {
    async answer(request) {
      const response = toLoose(await model.getResponse(callOf(request)));
      return readResponse({ ...response, id: response["responseId"] });
    },
    async *events(request) {
      yield* readEvents(model.getStreamedResponse(callOf(request)), name, request.signal);
    },
    onThrown(thrown) {
      if (typeof thrown === "object" && thrown !== null) throwers.set(thrown, model);
    },
  });
}

function assertModel(model: unknown): void {
  const { getResponse, getStreamedResponse } = toLoose(model);
  if (typeof getResponse === "function" && typeof getStreamedResponse === "function") return;
  throw new AgentError("invalid-options", `fromAgentsModel needs a model, not ${showValue(model)}`, {
    hint: "Pass an object with getResponse and getStreamedResponse, such as await new OpenAIProvider().getModel(name).",
  });
}

async function* readEvents(
  events: AsyncIterable<unknown>,
  name: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<LlmStreamEvent> {
  let model = "";
  for await (const item of events) {
    const { type, delta, response, event } = toLoose(item);
    // An event of chat completions names the model. The last event of such a stream does not.
    model ||= asText(toLoose(event)["model"]);
    if (type === "output_text_delta" && typeof delta === "string") yield { type: "text-delta", text: delta };
    if (type !== "response_done") continue;
    yield { type: "response", response: readResponse(toLoose(response), model) };
    return;
  }
  // OpenAI's client ends an aborted stream without an error.
  signal?.throwIfAborted();
  throw tornStream(name);
}
