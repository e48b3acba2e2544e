// A cassette that a program opened for a recording. Every request goes to its vendor. The file is written when the cassette is closed.

import { basename } from "node:path";
import { CASSETTE_SUFFIX, secretsOf, withValues } from "../../cassette/index.js";
import { defined, wireOf, type Vendor } from "../../core/index.js";
import { createRecordingDesk, PIN_HEADER, refusalReply } from "../../harness/index.js";
import type { HttpHandler, HttpReply, HttpRequest } from "../../host/index.js";
import { targetOf } from "../child/base-url-variables.js";
import { toFailure, usageError } from "../errors.js";
import { readFilterOptions } from "../options/filters.js";
import { parseTarget, proxyHandler } from "../proxy/handler.js";
import { createProxyRecorder } from "../proxy/recorder.js";
import { parsePass } from "../serve/requests.js";
import { keepRecording } from "./keeping.js";
import type { OpenedCassette } from "./opened.js";
import type { OpenOptions } from "./orders.js";
import type { ControlPlace } from "./place.js";

/** The name of the one recording within its recorder. */
const NAME = "the-recording";

/** Throws `CassetteError` if the file must not be written. */
export async function openRecording(
  file: string,
  mode: "record" | "refresh",
  options: OpenOptions,
  place: ControlPlace,
): Promise<OpenedCassette> {
  const { rerecord, keepErrors } = options;
  const { env, files } = place;
  const isPassed = parsePass(options.pass);
  const hashFilter = await readFilterOptions(options, files);
  const redact = withValues(undefined, secretsOf({ ...env }));
  const desk = createRecordingDesk(files, place.taken, {});
  await desk.open(file, mode, rerecord);
  const notes: string[] = [];
  const unanswered: string[] = [];
  const ignore = (): void => undefined;
  const recorder = createProxyRecorder(
    {
      // The recorder counts these.
      ...{ lost: ignore, passedOn: ignore, exchanged: ignore, kept: ignore, closed: ignore },
      without: (what) => void notes.push(`${file}: recorded without ${what}`),
    },
    { redact, ...defined({ hashFilter, keepErrors }) },
  );
  const handlers = new Map<string, HttpHandler>();

  function handlerFor(target: string): HttpHandler {
    const known = handlers.get(target);
    if (known !== undefined) return known;
    const handler = proxyHandler({
      ...{ target: parseTarget(target), recorder, isPassed },
      findSecrets: () => [],
      claim: async (name) => (name === NAME ? undefined : `this base URL belongs to ${basename(file)}`),
      note: (why) => void unanswered.push(`not answered: ${why}`),
      sentBack: ignore,
      forgot: (why) => void notes.push(why),
    });
    handlers.set(target, handler);
    return handler;
  }

  async function answer(request: HttpRequest, given: Vendor | undefined): Promise<HttpReply> {
    const vendor = given ?? wireOf(request);
    try {
      if (vendor === undefined) throw usageError(`${request.method} ${request.path} is for an unknown vendor`, NAME_IT);
      return await handlerFor(targetOf(vendor, env))(named(request, file));
    } catch (error) {
      const { code, message, hint = "" } = toFailure(error);
      const why = `${message}. ${hint}`;
      recorder.refuse(request, why);
      return refusalReply({ status: 502, code, message: why }, vendor);
    }
  }
  return {
    mode,
    answer,
    async close(end) {
      recorder.end();
      const parts = { desk, recorder, redact, notes, unanswered, note: place.note };
      return keepRecording({ file, mode, rerecord, end, ...parts });
    },
  };
}

const NAME_IT = "Use a base URL from `variables`, which names its vendor.";

/** The request under the name of the recording, unless the client names another one, which the proxy refuses. */
function named(request: HttpRequest, file: string): HttpRequest {
  const given = request.headers[PIN_HEADER];
  const own = [undefined, "", basename(file), basename(file, CASSETTE_SUFFIX)];
  if (!own.includes(given as string | undefined)) return request;
  return { ...request, headers: { ...request.headers, [PIN_HEADER]: NAME } };
}
