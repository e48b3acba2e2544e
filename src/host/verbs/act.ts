// `act`, the only verb that changes anything. It sends a request with a body, or writes a file below the root. It never retries, follows no
// redirect, and replaces a file only if the input says so.

import { defined, isPlainObject } from "../../core/index.js";
import { MAX_ACT_ANSWER } from "../limits.js";
import { mediaOf } from "./content.js";
import { decodeText } from "./charset.js";
import { shown } from "./descent.js";
import { VerbError } from "./error.js";
import { exchange, type HttpAsk } from "./http-fetch.js";
import { findBinary, isHtml } from "./media.js";
import type { World } from "./options.js";
import { parseTarget } from "./target.js";

export interface ActArgs {
  readonly uri: string;
  readonly action: string;
  /** JSON, text or bytes. For a file: text, bytes or `{ text, overwrite }`. */
  readonly input?: unknown;
}

interface Acted {
  readonly uri: string;
  readonly action: string;
  readonly status?: number;
  /** The location of a redirect or a created resource, as the server wrote it. */
  readonly location?: string;
  readonly mediaType?: string;
  /** The first 4,000 characters of the answer. */
  readonly text?: string;
  readonly bytes?: number;
}

const METHODS: readonly string[] = ["POST", "PUT", "PATCH", "DELETE"];
const FILE_ACTIONS: readonly string[] = ["write", "append"];

export async function act({ uri, action, input }: ActArgs, world: World, signal: AbortSignal): Promise<Acted> {
  if (!world.write) throw new VerbError("not-allowed", "changes are not allowed here");
  const target = parseTarget(uri, world);
  if (target.kind === "http") {
    const method = action.toUpperCase();
    if (!METHODS.includes(method)) throw unknownAction(action, "a URL", METHODS);
    return request({ url: target.url, method, follow: false, ...toBody(input) }, world, signal);
  }
  const { path, root } = target;
  const name = action.toLowerCase();
  if (!FILE_ACTIONS.includes(name)) throw unknownAction(action, "a file", FILE_ACTIONS);
  const { data, overwrite } = toFileInput(input);
  const bytes = typeof data === "string" ? Buffer.byteLength(data) : data.length;
  if (bytes > world.net.maxBytes) throw new VerbError("too-large", `input has more than ${world.net.maxBytes} bytes`);
  signal.throwIfAborted();
  if (name === "append") await root.append(path, data);
  else await root.write(path, data, overwrite);
  return { uri: shown(path), action: name, bytes };
}

async function request(ask: HttpAsk, { net }: World, signal: AbortSignal): Promise<Acted> {
  return exchange(net, ask, signal, async (answer) => {
    const { url, status, headers } = answer;
    const media = mediaOf(answer);
    const { bytes } = await answer.read({ maxBytes: Math.min(net.maxBytes, MAX_ACT_ANSWER * 4), cut: true });
    const isText = bytes.length > 0 && findBinary(bytes, media) === undefined;
    const text = isText
      ? decodeText(bytes, media?.charset, isHtml(media?.type)).text.slice(0, MAX_ACT_ANSWER)
      : undefined;
    return {
      uri: url.href,
      action: ask.method ?? "",
      status,
      ...defined({ location: headers.location, mediaType: media?.type, text: text?.toWellFormed() }),
    };
  });
}

function toBody(input: unknown): Pick<HttpAsk, "body"> {
  if (input === undefined) return {};
  if (input instanceof Uint8Array) return { body: { bytes: input, mediaType: "application/octet-stream" } };
  const isText = typeof input === "string";
  const text = isText ? input : JSON.stringify(input);
  return { body: { bytes: Buffer.from(text), mediaType: isText ? "text/plain; charset=utf-8" : "application/json" } };
}

function toFileInput(input: unknown): { data: string | Uint8Array; overwrite: boolean } {
  if (typeof input === "string" || input instanceof Uint8Array) return { data: input, overwrite: false };
  if (isPlainObject(input)) {
    const { text, overwrite = false, ...rest } = input;
    if (typeof text === "string" && typeof overwrite === "boolean" && Object.keys(rest).length === 0) {
      return { data: text, overwrite };
    }
  }
  throw new VerbError("argument", "the input for a file must be its text, or { text, overwrite }");
}

function unknownAction(action: string, what: string, known: readonly string[]): VerbError {
  return new VerbError("argument", `${action.slice(0, 40)} is not an action for ${what}. Use ${known.join(", ")}`);
}
