// A provider of ours as a model of the Agents SDK, and a model of theirs as a provider of ours: together they put a cassette between
// a `Runner` and whatever it asks.

import {
  AgentError,
  defined,
  LlmProviderHttpError,
  showValue,
  type LlmProviderAdapter,
  type LlmStreamEvent,
  type LlmTurnRequest,
} from "../../../core/index.js";
import { beginCall, originalOf, toAgentError, type CallState } from "../foreign-error.js";
import { assertProvider } from "../assert-provider.js";
import { toLoose } from "../loose.js";
import { readRequest, writeRequest } from "./request.js";
import { readResponse, writeDone, writeResponse } from "./response.js";
import type { AgentsModel, AgentsRequest, AgentsStreamEvent, AnyAgentsModel, RetryAdvice } from "./spec.js";

/** What the runner asked. A symbol goes along with a request, is copied with it, and is never recorded. */
const ASKED = Symbol("playhead.asked");

type Carrying = LlmTurnRequest & { readonly [ASKED]?: AgentsRequest };

/**
 * The model. Calls reject with what the provider rejects with: a `CassetteError` of a miss as it is, an error of a model under
 * `fromAgentsModel` as that model threw it.
 */
export function toAgentsModel(provider: LlmProviderAdapter): AgentsModel {
  assertProvider(provider, "toAgentsModel");
  const requestOf = (asked: AgentsRequest): Carrying => ({ ...readRequest(asked), [ASKED]: asked });
  return {
    async getResponse(asked) {
      try {
        return writeResponse(await provider.turn(requestOf(asked)));
      } catch (error) {
        throw toSdkError(error);
      }
    },
    async *getStreamedResponse(asked) {
      try {
        yield* writeEvents(provider.stream?.(requestOf(asked)) ?? whole(provider, requestOf(asked)));
      } catch (error) {
        throw toSdkError(error);
      }
    },
    getRetryAdvice: (failure) => adviceOfModel(failure) ?? adviseRetry(failure.error),
  };
}

async function* whole(provider: LlmProviderAdapter, request: LlmTurnRequest): AsyncGenerator<LlmStreamEvent> {
  yield { type: "response", response: await provider.turn(request) };
}

/** Texts are all that the protocol has events for; thoughts and calls come with the answer. */
async function* writeEvents(events: AsyncIterable<LlmStreamEvent>): AsyncGenerator<AgentsStreamEvent> {
  let hasStarted = false;
  for await (const event of events) {
    if (!hasStarted) yield { type: "response_started" };
    hasStarted = true;
    if (event.type === "text-delta" && event.text !== "") yield { type: "output_text_delta", delta: event.text };
    if (event.type === "response") yield writeDone(event.response);
  }
}

function toSdkError(error: unknown): unknown {
  if (!(error instanceof AgentError)) return error;
  const original = originalOf(error);
  if (original !== undefined) return original.thrown;
  return error.code === "aborted" && error.cause !== undefined ? error.cause : error;
}

/** Models under `fromAgentsModel`, by the errors that they threw: they know best what the runner may do about one. */
const throwers = new WeakMap<object, AnyAgentsModel>();

function adviceOfModel(failure: { readonly error: unknown }): ReturnType<AgentsModel["getRetryAdvice"]> {
  const { error } = failure;
  const model = typeof error === "object" && error !== null ? throwers.get(error) : undefined;
  return model?.getRetryAdvice?.(failure as never) as ReturnType<AgentsModel["getRetryAdvice"]>;
}

/** What the runner's retry policies want to know. Of an error that is not ours the runner reads what it can itself. */
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
 * Wraps any model of the SDK; `name` is kept in the recording as its provider. Behind `toAgentsModel` the model is asked just as
 * the runner asked, tracing and all. Rejects with `AgentError`: `provider-http`, `provider-response`, `timeout`, `aborted`, and
 * `invalid-options` for a request that the SDK has no words for. Throws `invalid-options` for what is no such model.
 */
export function fromAgentsModel(model: AnyAgentsModel, name = "openai-agents"): LlmProviderAdapter {
  assertModel(model);
  const callOf = (request: Carrying) => {
    const asked = request[ASKED];
    const { signal } = request;
    if (asked === undefined) return writeRequest(request, name) as never;
    return { ...asked, ...defined({ signal }) } as never;
  };
  const failed = (error: unknown, state: CallState): unknown => {
    if (typeof error === "object" && error !== null) throwers.set(error, model);
    return toAgentError(error, name, state);
  };
  return {
    name,
    async turn(given) {
      const { request, state } = beginCall(given);
      try {
        request.signal?.throwIfAborted();
        const response = toLoose(await model.getResponse(callOf(request)));
        return readResponse({ ...response, id: response["responseId"] });
      } catch (error) {
        throw failed(error, state);
      }
    },
    async *stream(given) {
      const { request, state } = beginCall(given);
      try {
        request.signal?.throwIfAborted();
        for await (const event of readEvents(model.getStreamedResponse(callOf(request)), name, request.signal)) {
          state.hasStarted = true;
          yield event;
        }
      } catch (error) {
        throw failed(error, state);
      }
    },
  };
}

function assertModel(model: unknown): void {
  const { getResponse, getStreamedResponse } = toLoose(model);
  if (typeof getResponse === "function" && typeof getStreamedResponse === "function") return;
  throw new AgentError("invalid-options", `fromAgentsModel was given no model: ${showValue(model)}`, {
    hint: "Pass an object with getResponse and getStreamedResponse, such as await new OpenAIProvider().getModel(name).",
  });
}

async function* readEvents(
  events: AsyncIterable<unknown>,
  name: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<LlmStreamEvent> {
  for await (const item of events) {
    const { type, delta, response } = toLoose(item);
    if (type === "output_text_delta" && typeof delta === "string") yield { type: "text-delta", text: delta };
    if (type !== "response_done") continue;
    yield { type: "response", response: readResponse(toLoose(response)) };
    return;
  }
  // OpenAI's client ends a stream in silence where it is aborted.
  signal?.throwIfAborted();
  throw new AgentError("provider-response", `the stream of ${name} ended before it said that it was whole`, {
    kind: "unknown",
    retryable: true,
  });
}
