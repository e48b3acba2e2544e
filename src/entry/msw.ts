// `playhead/msw`: cassettes as request handlers of MSW 2 or 3, and recordings through MSW. It uses the file system and the environment
// of this process. Values of environment variables whose names look secret are always redacted.

import { bypass, http, type RequestHandler } from "msw";
import { secretsOf, withValues, type Cassette } from "../cassette/index.js";
import {
  createMswAdapter,
  createUseCassette,
  toMswParts,
  type CassetteHandle,
  type CassetteHandlers as Handlers,
  type CassetteHandlersOptions,
  type RecordingHandlers as Recording,
  type RecordingHandlersOptions,
  type UseCassetteHandlersOptions,
  type UsedCassetteHandlers as UsedHandlers,
} from "../harness/index.js";
import { nodeFiles } from "../host/index.js";

/** Handlers for `setupServer(...handlers)` and `server.use(...handlers)`, and the `done` to await at the end of the test. */
export type CassetteHandlers = Handlers<RequestHandler>;

/** Handlers that record, and the cassette of their recorded turns. */
type RecordingHandlers = Recording<RequestHandler>;

/** Handlers that replay or record, with the decided mode and the path of the cassette. */
export type UsedCassetteHandlers = UsedHandlers<RequestHandler>;

const adapter = createMswAdapter<RequestHandler>(
  toMswParts<RequestHandler>({ http, bypass }),
  createUseCassette({ files: nodeFiles(), environment: process.env }),
);

function withSecrets<T extends { redact?: unknown }>(options: T & Pick<CassetteHandlersOptions, "redact">): T {
  return { ...options, redact: withValues(options.redact, secretsOf(process.env)) };
}

/**
 * Creates handlers that answer requests to the three vendors only from `source`: one cassette, several, or a replaying handle of
 * `useCassette`. Of several cassettes, the first one that has the turn answers. Pass them as one list, since MSW sends every request to
 * the first matching handler. Throws `CassetteError` for a cassette that is refused.
 */
export function cassetteHandlers(
  source: Cassette | readonly Cassette[] | CassetteHandle,
  options: CassetteHandlersOptions = {},
): CassetteHandlers {
  const isHandle = typeof (source as Partial<CassetteHandle> | null | undefined)?.done === "function";
  return adapter.cassetteHandlers(source, isHandle ? options : withSecrets(options));
}

/** Creates handlers that forward requests to the real vendor and record the turns. They forward its errors but never record them. */
export function recordingHandlers(options: RecordingHandlersOptions = {}): RecordingHandlers {
  return adapter.recordingHandlers(withSecrets(options));
}

/** Creates handlers for one cassette of one test. CASSETTE_MODE and CI decide whether they replay or record. See `useCassette`. */
export function useCassetteHandlers(
  file: string,
  options: UseCassetteHandlersOptions = {},
): Promise<UsedCassetteHandlers> {
  return adapter.useCassetteHandlers(file, options);
}
