// The inputs that a caller may send to a session, and their one normal form.

import { fromBase64 } from "../canon/bytes.js";
import { seal } from "../canon/copy.js";
import { isPlainObject, NotJsonError } from "../canon/value.js";
import { MAX_INPUT_CHARACTERS } from "../limits.js";
import type { ContentPart, LlmMessage } from "../model/message.js";
import { showValue } from "../text/show.js";

/** One part of an input. `image` and `data` are base64 text or a data URL. An image without `mediaType` must be a URL or data URL. */
export type UserPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly image: string; readonly mediaType?: string }
  | { readonly type: "file"; readonly data: string; readonly mediaType: string };

export interface UserText {
  readonly type: "user-text";
  readonly text: string | readonly string[];
}

export interface UserMessage {
  readonly type: "user-message";
  readonly content: readonly UserPart[];
}

/** An accepted input. */
export type UserInput = UserText | UserMessage;

/** What `send`, `steer`, `overlay` and `schedule` take. */
export type AgentInput = string | readonly string[] | UserInput | readonly UserPart[];

/** An accepted input and the message that the model reads. */
export interface ReadInput {
  readonly input: UserInput;
  readonly message: LlmMessage;
}

/** Copies an input into its normal form. Throws a `TypeError` that says what is wrong with it. */
export function readInput(given: unknown): ReadInput {
  let input: UserInput;
  try {
    input = seal(toNormalForm(given));
  } catch (error) {
    if (error instanceof NotJsonError) throw refuse(`is not plain JSON: ${error.message}`, error);
    throw error;
  }
  const { length } = JSON.stringify(input);
  if (length > MAX_INPUT_CHARACTERS)
    throw refuse(`has ${length} characters of JSON, and the limit is ${MAX_INPUT_CHARACTERS}`);
  return { input, message: toMessage(input) };
}

/** The message that the model reads. */
export function toMessage(input: UserInput): LlmMessage {
  return seal({ role: "user", content: toContent(input) });
}

/** The kinds of an input's parts, in order. */
export function kindsOf(input: UserInput): readonly string[] {
  if (input.type === "user-message") return input.content.map(({ type }) => type);
  return typeof input.text === "string" ? ["text"] : input.text.map(() => "text");
}

function toNormalForm(given: unknown): UserInput {
  if (typeof given === "string") return { type: "user-text", text: given };
  if (Array.isArray(given)) {
    const items: readonly unknown[] = given;
    if (items.length === 0) throw refuse("is an empty list");
    if (items.every((item) => typeof item === "string")) return { type: "user-text", text: items };
    return { type: "user-message", content: items.map(readPart) };
  }
  if (!isPlainObject(given)) throw refuse(`is ${showValue(given)}`);
  if (given["type"] === "user-text") {
    const { text } = readKeys(given, ["text"]);
    const isList = Array.isArray(text) && text.length > 0 && text.every((item) => typeof item === "string");
    if (typeof text !== "string" && !isList) throw refuse(`has the text ${showValue(text)}`);
    return { type: "user-text", text: text as string | readonly string[] };
  }
  if (given["type"] === "user-message") {
    const { content } = readKeys(given, ["content"]);
    if (!Array.isArray(content) || content.length === 0) throw refuse(`has the content ${showValue(content)}`);
    return { type: "user-message", content: content.map(readPart) };
  }
  throw refuse(`has the type ${showValue(given["type"])}`);
}

function readPart(part: unknown, index: number): UserPart {
  if (!isPlainObject(part)) throw refuse(`has ${showValue(part)} as part ${index}`);
  const wrong = (what: string): TypeError => refuse(`has a part ${index} ${what}`);
  const text = (name: string, value: unknown): string => {
    if (typeof value === "string") return value;
    throw wrong(`whose ${name} is ${showValue(value)}`);
  };
  switch (part["type"]) {
    case "text":
      return { type: "text", text: text("text", readKeys(part, ["text"])["text"]) };
    case "image": {
      const { image, mediaType } = readKeys(part, ["image", "mediaType"]);
      const own: UserPart = { type: "image", image: text("image", image) };
      const read = mediaType === undefined ? own : { ...own, mediaType: text("mediaType", mediaType) };
      if (toImage(read) === undefined)
        throw wrong("whose image is neither an http(s) URL, a data URL, nor base64 with a mediaType");
      return read;
    }
    case "file": {
      const { data, mediaType } = readKeys(part, ["data", "mediaType"]);
      const read = { type: "file", data: text("data", data), mediaType: text("mediaType", mediaType) } as const;
      if (!/^(image|text)\//.test(read.mediaType))
        throw wrong(`whose mediaType is ${showValue(read.mediaType)}: only image/* and text/* can be sent`);
      if (toFile(read) === undefined) throw wrong("whose data is neither base64 nor a base64 data URL");
      return read;
    }
    default:
      throw wrong(`of the type ${showValue(part["type"])}`);
  }
}

/** Throws for a key that would have no effect. */
function readKeys(object: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const unknown = Object.keys(object).find((key) => key !== "type" && !names.includes(key));
  if (unknown !== undefined) throw refuse(`has an unknown key ${showValue(unknown)}`);
  return object;
}

function toContent(input: UserInput): string | ContentPart[] {
  if (input.type === "user-text")
    return typeof input.text === "string" ? input.text : input.text.map((text) => ({ type: "text", text }));
  return input.content.map((part) => {
    switch (part.type) {
      case "text":
        return { type: "text", text: part.text };
      case "image":
        return toImage(part) as ContentPart;
      case "file":
        return toFile(part) as ContentPart;
    }
  });
}

const DATA_URL = /^data:([^;,]*)(?:;[^;,]*)*;base64,/;

function toImage({ image, mediaType }: Extract<UserPart, { type: "image" }>): ContentPart | undefined {
  if (/^https?:\/\//i.test(image)) return { type: "image", url: image };
  const head = DATA_URL.exec(image);
  const data = head === null ? image : image.slice(head[0].length);
  const type = mediaType ?? head?.[1];
  if (type === undefined || type === "" || fromBase64(data) === undefined) return undefined;
  return { type: "image", mediaType: type, data };
}

function toFile({ data: given, mediaType }: Extract<UserPart, { type: "file" }>): ContentPart | undefined {
  const head = DATA_URL.exec(given);
  const data = head === null ? given : given.slice(head[0].length);
  const bytes = fromBase64(data);
  if (bytes === undefined) return undefined;
  if (mediaType.startsWith("image/")) return { type: "image", mediaType, data };
  return { type: "text", text: new TextDecoder().decode(bytes) };
}

function refuse(what: string, cause?: unknown): TypeError {
  return new TypeError(
    `the input ${what}. Pass a string, a list of strings, { type: "user-text", text }, { type: "user-message", content }, ` +
      `or a list of parts such as { type: "text", text }.`,
    cause === undefined ? undefined : { cause },
  );
}
