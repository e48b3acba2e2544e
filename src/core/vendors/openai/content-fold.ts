// Assembles the content of a streamed chat completion from texts, or from lists of parts, which Mistral sends while a model thinks.

import { toThinkingPart } from "./mistral.js";
import { assertRoom, toPiece } from "../../http/fold.js";
import { toList, toObject, type Decoding, type WireObject } from "../../http/json-readers.js";

export interface ContentFold {
  take(content: unknown): Spoken;
  isEmpty(): boolean;
  /** One text, or the list of parts once a part came. */
  body(): string | readonly WireObject[];
}

interface Spoken {
  text: string;
  thought: string;
}

export function createContentFold(decoding: Decoding): ContentFold {
  const parts: WireObject[] = [];
  let text = "";

  const takePart = (item: unknown): Spoken => {
    if (parts.length === 0 && text !== "") parts.push({ type: "text", text });
    const spoken = addPart(parts, toObject(item));
    assertRoom(parts.length - 1, "content parts", decoding);
    return spoken;
  };
  return {
    isEmpty: () => text === "" && parts.length === 0,
    take(content) {
      if (typeof content !== "string") return toList(content).map(takePart).reduce(join, { text: "", thought: "" });
      if (parts.length > 0) return takePart({ type: "text", text: content });
      text += content;
      return { text: content, thought: "" };
    },
    body: () => (parts.length > 0 ? parts : text),
  };
}

function join(a: Spoken, b: Spoken): Spoken {
  return { text: a.text + b.text, thought: a.thought + b.thought };
}

/** Adds a part, or its text to the last part if that has the same type. */
function addPart(parts: WireObject[], part: WireObject): Spoken {
  const type = toPiece(part["type"]);
  const last = parts.at(-1);
  const before = last?.["type"] === type ? last : undefined;
  const replace = (whole: WireObject): void => {
    if (before !== undefined) parts.pop();
    parts.push(whole);
  };
  if (type === "text" || type === "refusal") {
    const text = toPiece(part[type]);
    replace({ type, [type]: toPiece(before?.[type]) + text });
    return { text, thought: "" };
  }
  if (type === "thinking") {
    const thought = thoughtOf(part);
    const signature = toPiece(part["signature"]) || toPiece(before?.["signature"]);
    replace(toThinkingPart(thoughtOf(before) + thought, signature === "" ? undefined : signature));
    return { text: "", thought };
  }
  parts.push(part);
  return { text: "", thought: "" };
}

function thoughtOf(part: WireObject | undefined): string {
  return toList(part?.["thinking"])
    .map((item) => toPiece(toObject(item)["text"]))
    .join("");
}
