// `playhead/msw`: cassettes as request handlers of MSW 2 or 3, and recordings through MSW, on the files and environment of
// this process. The secrets of the environment, by the names of its variables, are always redacted.

import { bypass, http, type RequestHandler } from "msw";
import { secretsOf, withValues, type Cassette } from "../cassette/index.js";
import {
  createMswAdapter,
  createUseCassette,
  type CassetteHandle,
  type CassetteHandlers as Handlers,
  type CassetteHandlersOptions,
  type RecordingHandlers as Recording,
  type RecordingHandlersOptions,
  type UseCassetteHandlersOptions,
  type UsedCassetteHandlers as UsedHandlers,
} from "../harness/index.js";
import { nodeFiles } from "../host/index.js";

/**
 * Handlers for `setupServer(...handlers)` and `server.use(...handlers)`, and the `done` to await when the test is over.
 */
export type CassetteHandlers = Handlers<RequestHandler>;

/** Handlers that record, and the cassette of what they recorded. */
type RecordingHandlers = Recording<RequestHandler>;

/** Handlers that replay or record, with the mode that was decided and the path of the cassette. */
export type UsedCassetteHandlers = UsedHandlers<RequestHandler>;

const adapter = createMswAdapter<RequestHandler>(
  {
    handle: (urls, answer) => http.all(urls, ({ request }) => answer(request)),
    send: (request) => fetch(bypass(request)),
  },
  createUseCassette({ files: nodeFiles(), environment: process.env }),
);

function withSecrets<T extends { redact?: unknown }>(options: T & Pick<CassetteHandlersOptions, "redact">): T {
  return { ...options, redact: withValues(options.redact, secretsOf(process.env)) };
}

/**
 * Handlers that answer the three wires from a cassette, from several, or from a handle of `useCassette` that replays, and from
 * nothing else. Of several the first answers that has the turn; give them in one list, since the first handlers that MSW finds
 * answer every request. Throws `CassetteError` where a cassette is refused.
 */
export function cassetteHandlers(
  source: Cassette | readonly Cassette[] | CassetteHandle,
  options: CassetteHandlersOptions = {},
): CassetteHandlers {
  const isHandle = typeof (source as Partial<CassetteHandle> | null | undefined)?.done === "function";
  return adapter.cassetteHandlers(source, isHandle ? options : withSecrets(options));
}

/** Handlers that pass requests on to the real vendor and record the turns. Errors of the vendor are passed on, never kept. */
export function recordingHandlers(options: RecordingHandlersOptions = {}): RecordingHandlers {
  return adapter.recordingHandlers(withSecrets(options));
}

/** One cassette for one test: handlers that replay or record as CASSETTE_MODE and CI say; see `useCassette`. */
export function useCassetteHandlers(
  file: string,
  options: UseCassetteHandlersOptions = {},
): Promise<UsedCassetteHandlers> {
  return adapter.useCassetteHandlers(file, options);
}
