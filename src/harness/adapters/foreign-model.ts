// A model of another framework behind our provider seam: its calls end at the request's `timeoutMs`, what it throws becomes one of
// our error codes, and the framework gets its own error object back.

import {
  AgentError,
  isRetryableStatus,
  joinSignals,
  kindForStatus,
  quoteForeign,
  showValue,
  type LlmProviderAdapter,
  type LlmStreamEvent,
  type LlmTurnRequest,
  type LlmTurnResponse,
} from "../../core/index.js";
import { toLoose } from "./loose.js";

/** What the model threw, by the error it became. Not the error's `cause`, since it may hold a whole request. */
const originals = new WeakMap<AgentError, { readonly thrown: unknown }>();

/** How to call a model. Both functions may throw anything. */
interface ForeignModel {
  readonly answer: (request: LlmTurnRequest) => Promise<LlmTurnResponse>;
  readonly events: (request: LlmTurnRequest) => AsyncIterable<LlmStreamEvent>;
  /** Called with whatever a call threw. */
  readonly onThrown?: (thrown: unknown) => void;
}

export function foreignProvider(name: string, { answer, events, onThrown }: ForeignModel): LlmProviderAdapter {
  function failed(thrown: unknown, signal: AbortSignal | undefined, hasStarted: boolean): unknown {
    onThrown?.(thrown);
    if (thrown instanceof AgentError) return thrown;
    const error = signal?.aborted === true ? abortedBy(signal, name) : judge(thrown, name, hasStarted);
    originals.set(error, { thrown });
    return error;
  }

  return {
    name,
    async turn(given) {
      const request = withTimeout(given);
      try {
        return await answer(request);
      } catch (error) {
        throw failed(error, request.signal, false);
      }
    },
    async *stream(given) {
      const request = withTimeout(given);
      let hasStarted = false;
      try {
        for await (const event of events(request)) {
          hasStarted = true;
          yield event;
        }
      } catch (error) {
        throw failed(error, request.signal, hasStarted);
      }
    },
  };
}

/** The request, with its `timeoutMs` as a part of its signal: models of other frameworks do not know that field. */
function withTimeout(request: LlmTurnRequest): LlmTurnRequest {
  const { signal, timeoutMs } = request;
  if (timeoutMs === undefined) return request;
  const limit = AbortSignal.timeout(timeoutMs);
  return { ...request, signal: signal === undefined ? limit : joinSignals(signal, limit) };
}

function abortedBy(signal: AbortSignal, name: string): AgentError {
  const reason: unknown = signal.reason;
  if (toLoose(reason)["name"] !== "TimeoutError") {
    return new AgentError("aborted", `the call to ${name} was aborted`, { cause: reason });
  }
  return new AgentError("timeout", `${name} did not finish its answer in time`, {
    kind: "timeout",
    retryable: true,
    hint: "Retry, or raise timeoutMs.",
  });
}

function judge(thrown: unknown, name: string, responseStarted: boolean): AgentError {
  const { statusCode, status: plainStatus, isRetryable, message } = toLoose(thrown);
  const quoted = quoteForeign(typeof message === "string" ? message : String(thrown));
  const status = [statusCode, plainStatus].find((value) => typeof value === "number");
  return new AgentError(
    status === undefined ? "provider-response" : "provider-http",
    status === undefined ? `${name} failed: ${quoted}` : `${name} answered HTTP ${status}: ${quoted}`,
    {
      kind: status === undefined ? "unknown" : kindForStatus(status),
      retryable: typeof isRetryable === "boolean" ? isRetryable : status !== undefined && isRetryableStatus(status),
      responseStarted,
      hint: "The framework that made the call gets its own error object.",
    },
  );
}

/** `error` on its way back to the framework: the object that its model threw, the reason of an abort, or else the error itself. */
export function toFrameworkError(error: unknown): unknown {
  if (!(error instanceof AgentError)) return error;
  const original = originals.get(error);
  if (original !== undefined) return original.thrown;
  return error.code === "aborted" && error.cause !== undefined ? error.cause : error;
}

/** A stream that ended without its last event. */
export function tornStream(name: string): AgentError {
  return new AgentError("provider-response", `the stream of ${name} ended before its last event`, {
    kind: "unknown",
    retryable: true,
  });
}

/** The provider's stream; a provider that cannot stream gives its answer as the only event. */
export function streamOf(provider: LlmProviderAdapter, request: LlmTurnRequest): AsyncIterable<LlmStreamEvent> {
  return provider.stream?.(request) ?? wholeAnswer(provider, request);
}

async function* wholeAnswer(provider: LlmProviderAdapter, request: LlmTurnRequest): AsyncGenerator<LlmStreamEvent> {
  yield { type: "response", response: await provider.turn(request) };
}

/** Throws `invalid-options` unless `handle` is one of `useCassette`, or another object with a provider. */
export function assertHandle(handle: unknown, owner: string): void {
  const { turn, provider } = toLoose(handle);
  if (typeof toLoose(provider)["turn"] === "function") return;
  const what = typeof turn === "function" ? "its provider" : showValue(handle);
  throw new AgentError("invalid-options", `${owner} needs the handle of useCassette, not ${what}`, {
    hint: "Pass the handle itself, or { provider }.",
  });
}

/** Throws `AgentError` `invalid-options` for a value without `turn`, naming `owner`: when it is handed in, not at the first call. */
export function assertProvider(provider: unknown, owner: string): void {
  const { turn, provider: inner } = toLoose(provider);
  if (typeof turn === "function") return;
  const isHandle = typeof toLoose(inner)["turn"] === "function";
  const what = isHandle ? "the handle of useCassette" : showValue(provider);
  throw new AgentError("invalid-options", `${owner} needs a provider, not ${what}`, {
    hint: isHandle
      ? "Pass handle.provider."
      : "Pass a provider, such as handle.provider of useCassette, recordingProvider(…) or cassetteProvider(cassette).",
  });
}
