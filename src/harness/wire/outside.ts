// Requests that are not a conversation turn, so that no cassette can hold them: what each one is, and how many came. Whatever
// records or replays over HTTP names them in these words.

import { TURN_PATHS } from "../../core/index.js";
import { plural } from "../../core/index.js";

/** A request by its method and its path, without a query: a query may hold a key. */
export interface OutsideRequest {
  readonly method: string;
  readonly path: string;
}

/** Requests that are alike in every field, and how many came. */
export type CountedRequest<T extends OutsideRequest = OutsideRequest> = T & { readonly count: number };

/** Requests by kind, in the order in which each kind came first; made by {@link createRequestTally}. */
export interface RequestTally<T extends OutsideRequest> {
  /** True for the first of its kind. */
  add(request: T): boolean;
  list(): CountedRequest<T>[];
}

/** An empty tally. */
export function createRequestTally<T extends OutsideRequest>(): RequestTally<T> {
  const counts = new Map<string, CountedRequest<T>>();
  return {
    add(request) {
      const key = JSON.stringify(request);
      const count = (counts.get(key)?.count ?? 0) + 1;
      counts.set(key, { ...request, count });
      return count === 1;
    },
    list: () => [...counts.values()],
  };
}

/** "POST /v1/responses refused: 2 times" */
export function countText({ method, path, count }: CountedRequest, what: string): string {
  return `${method} ${path} ${what}: ${plural(count, "time")}`;
}

/** The requests that are recorded and replayed, for a message. */
export const HELD = `cassettes hold POST requests to ${TURN_PATHS.slice(0, -1).join(", ")} and ${TURN_PATHS.at(-1)}`;

/** "OpenAI's Responses API, which no cassette holds", and what to do about it where that is known. */
export function nameOutside({ method, path }: OutsideRequest): string {
  const name = OTHER_APIS.find(([of, pattern]) => of === method && pattern.test(path))?.[2];
  return name ?? "not a conversation turn";
}

const OTHER_APIS: readonly (readonly [method: string, path: RegExp, name: string])[] = [
  [
    "POST",
    /\/responses(?:\/compact)?$/,
    'OpenAI\'s Responses API, which no cassette holds (@openai/agents asks by chat completions after setOpenAIAPI("chat_completions"), the AI SDK by openai.chat(model))',
  ],
  ["POST", /\/embeddings$|\/api\/embed$/, "a request for embeddings, which no cassette holds"],
  ["POST", /\/messages\/count_tokens$/, "Anthropic's token counting, which no cassette holds"],
  ["POST", /(?<!\/chat)\/completions$|\/v1\/complete$/, "the API of text completions, which no cassette holds"],
  ["POST", /\/api\/generate$/, "Ollama's generate, which no cassette holds"],
  ["POST", /:(?:stream)?generateContent$/i, "Gemini's own API, which no cassette holds"],
  ["GET", /\/models(?:\/[^/]+)?$|\/api\/tags$/, "a question about models, which no cassette holds"],
];
