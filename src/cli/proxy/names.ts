// What the cassettes of a proxy are called in their folder: by the header that also pins one when it is served, else by the
// first words of the user.

import { CASSETTE_SUFFIX, type CassetteV2, type Finder } from "../../cassette/index.js";
import type { UserMessage } from "../../core/index.js";
import { PIN_HEADER, slugOf, type Refusal } from "../../harness/index.js";
import type { HttpRequest } from "../../host/index.js";

/** Characters of the user's text that become a name. */
const MAX_TEXT = 60;
/** Bytes of a given name: disks allow 255 for the whole name of a file. */
const MAX_GIVEN_BYTES = 200;

/** What no file may be called on some system (Microsoft: "Naming Files, Paths, and Namespaces"), and what hides one. */
const NOT_A_NAME =
  /[\\/:*?"<>|\p{Cc}\p{Cs}]|^\.|[. ]$|^ |^(?:con|prn|aux|nul|(?:com|lpt)[\d¹²³]|conin\$|conout\$) *(?:\.|$)/iu;

/** Characters that show nothing or turn the direction of text. Joiners are left, which some scripts need. */
const INVISIBLE = /(?![\u200c\u200d])[\p{Cf}\u2028\u2029]/u;

/**
 * The name that a client gives the recording of a request, or why it cannot be a file's. Percent-encoded names are decoded. Whoever
 * lists a folder sees its names, so `findSecrets` must find nothing in one.
 */
export function readGivenName({ headers }: HttpRequest, findSecrets: Finder): { name?: string } | { refusal: Refusal } {
  const value = headers[PIN_HEADER];
  if (typeof value !== "string" || value === "") return {};
  const decoded = decode(value);
  const name = decoded.endsWith(CASSETTE_SUFFIX) ? decoded.slice(0, -CASSETTE_SUFFIX.length) : decoded;
  if (findSecrets(name).length > 0) {
    const message = `${PIN_HEADER} holds what looks like a secret, which must not be a file name; give a name such as "weather"`;
    return { refusal: { status: 400, code: "invalid-name", message } };
  }
  const isName =
    name !== "" && !NOT_A_NAME.test(name) && !INVISIBLE.test(name) && Buffer.byteLength(name) <= MAX_GIVEN_BYTES;
  if (isName) return { name };
  const message = `${PIN_HEADER} is ${JSON.stringify(decoded)}, which cannot be a file name; give a name without a folder, such as "weather"`;
  return { refusal: { status: 400, code: "invalid-name", message } };
}

/** "how-many-sparrows-are-left"; undefined where the user said nothing in words. Secrets are redacted in a cassette already. */
export function nameOfPrompt({ entries }: CassetteV2): string | undefined {
  const message = entries[0]?.prompt?.messages.find(({ role }) => role === "user");
  if (message?.role !== "user") return undefined;
  const text = firstWords(textOf(message.content).trim());
  return /[\p{L}\p{N}]/u.test(text) ? slugOf(text) : undefined;
}

/** Cut at the end of a word, where there is one. */
function firstWords(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const start = text.slice(0, MAX_TEXT + 1).toWellFormed();
  const end = start.search(/\s+\S*$/);
  return end > 0 ? start.slice(0, end) : start.slice(0, MAX_TEXT).toWellFormed();
}

function textOf(content: UserMessage["content"]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join(" ");
}

function decode(value: string): string {
  try {
    return decodeURI(value);
  } catch {
    return value;
  }
}
