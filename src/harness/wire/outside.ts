// Requests that are not a conversation turn, so that cassettes cannot hold them: their names and counts, for everything that records
// or replays over HTTP.

import { plural, TURN_PATHS } from "../../core/index.js";

/** A request by its method and its path, without a query: a query may hold a key. */
export interface OutsideRequest {
  readonly method: string;
  readonly path: string;
}

export type CountedRequest<T extends OutsideRequest = OutsideRequest> = T & { readonly count: number };

/** Requests by kind, in the order of their first requests. `add` returns true for the first of its kind. */
export function createRequestTally<T extends OutsideRequest>() {
  const counts = new Map<string, CountedRequest<T>>();
  return {
    add(request: T): boolean {
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

/** Said once, when a door holds more conversations of the vendor's server than it can. */
export const FORGOT =
  "too many conversations are held for requests that continue them: the ones that were unused for longest are forgotten";

/** The requests that are recorded and replayed, for a message. */
export const HELD = `cassettes hold POST requests to ${TURN_PATHS.slice(0, -1).join(", ")} and ${TURN_PATHS.at(-1)}`;

/** "OpenAI's Responses API, which no cassette holds", with a hint if there is one. */
export function nameOutside({ method, path }: OutsideRequest): string {
  const name = OTHER_APIS.find(([of, pattern]) => of === method && pattern.test(path))?.[2];
  return name ?? "not a conversation turn";
}

const OTHER_APIS: readonly (readonly [method: string, path: RegExp, name: string])[] = [
  ["POST", /\/responses\/compact$/, "OpenAI's compaction of a conversation, which no cassette holds"],
  [
    "POST",
    /\/v1\/chat$/,
    "version 1 of Cohere's chat API, which no cassette holds (version 2 at /v2/chat is recorded)",
  ],
  ["POST", /\/embeddings$|\/api\/embed$/, "a request for embeddings, which no cassette holds"],
  ["POST", /\/messages\/count_tokens$/, "Anthropic's token counting, which no cassette holds"],
  ["POST", /(?<!\/chat)\/completions$|\/v1\/complete$/, "the API of text completions, which no cassette holds"],
  ["POST", /\/api\/generate$/, "Ollama's generate, which no cassette holds"],
  ["POST", /:countTokens$/, "Gemini's token counting, which no cassette holds"],
  ["GET", /\/models(?:\/[^/]+)?$|\/api\/tags$/, "a request about models, which no cassette holds"],
];
