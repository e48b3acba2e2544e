// One message of a prompt: its role and its content. Recorded images are shown if their type cannot contain scripts. An image URL
// is shown as text, never as a link, and is not fetched.

import { isPlainObject, type LlmMessage, type Reasoning } from "../../core/index.js";
import type { Allowance } from "./allowance.js";
import { counted } from "./figures.js";
import { fold, foldedView, jsonText, laidOut, preview, textView } from "./text-view.js";
import { html, type Child, type Html } from "./template.js";

const IMAGE_TYPES: readonly unknown[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** A message with the label of its role, or nothing if the page is full. */
export function messageView(message: LlmMessage, allowance: Allowance): Child {
  if (!allowance.item()) return undefined;
  switch (message.role) {
    case "system":
      return said("system", "System", systemPrompt(message.content, allowance));
    case "user":
      return said("user", "User", contentView(message.content, allowance));
    case "assistant": {
      const calls = (message.toolCalls ?? []).map(({ name, arguments: args }) =>
        fold("call", html`<span class="tool">${name}</span>`, textView(jsonText(args), "code", allowance)),
      );
      return said("assistant", "Assistant", [message.content !== "" && prose(message.content, allowance), calls]);
    }
    case "tool":
      return said("tool", "Tool", resultOf(message.name, message.content, message.isError === true, allowance));
  }
}

/** A row of the timeline, with its label on the left, or above on a narrow page. */
export function said(kind: string, label: string, body: Child): Html {
  return html`<div class="row ${kind}">
    <p class="who">${label}</p>
    <div class="what">${body}</div>
  </div>`;
}

/** The model's reasoning, folded. Loading does not check it, so each piece is checked here. */
export function reasoningView(reasoning: readonly Reasoning[] | undefined, allowance: Allowance): Child {
  if (!Array.isArray(reasoning)) return undefined;
  return (reasoning as readonly unknown[]).map((thought) => {
    if (!allowance.item()) return undefined;
    const text = isPlainObject(thought) && thought["type"] === "text" ? thought["text"] : undefined;
    if (typeof text !== "string") return html`<p class="note">Reasoning that only the vendor can read.</p>`;
    const about = html`<span class="label">Reasoning</span> <span class="about">${preview(text, 160)}</span>`;
    return fold("thought", about, textView(text, "prose", allowance));
  });
}

export function prose(text: string, allowance: Allowance): Html {
  return foldedView(text, "prose", allowance);
}

function systemPrompt(text: string, allowance: Allowance): Html {
  const about = html`<span class="size">${counted(text.length, "character")}</span>
    <span class="about">${preview(text, 160)}</span>`;
  return fold("long", about, textView(text, "prose", allowance));
}

function resultOf(name: string, content: string, isError: boolean, allowance: Allowance): Html {
  const about = html`<span class="tool">${name}</span>${isError && html` <span class="badge bad">error</span>`}
    <span class="about">${preview(content, 120)}</span>`;
  return fold("call", about, textView(laidOut(content), "code", allowance));
}

function contentView(content: unknown, allowance: Allowance): Child {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  return parts.map((part) => {
    if (typeof part === "string") return prose(part, allowance);
    if (!isPlainObject(part)) return undefined;
    if (part["type"] === "text") return prose(String(part["text"]), allowance);
    if (typeof part["url"] === "string") {
      return html`<p class="note">Image URL, not loaded: <code>${preview(part["url"], 300)}</code></p>`;
    }
    return imageView(part["mediaType"], part["data"], allowance);
  });
}

function imageView(mediaType: unknown, data: unknown, allowance: Allowance): Html {
  const text = typeof data === "string" ? data : "";
  const kind = typeof mediaType === "string" ? preview(mediaType, 60) : "of unknown type";
  const size = counted(text.length, "base64 character");
  const hidden = (why: string): Html => html`<p class="note">Image ${kind}, ${size}: not shown, ${why}.</p>`;
  if (!IMAGE_TYPES.includes(mediaType)) return hidden("because only PNG, JPEG, GIF and WebP are shown");
  if (!BASE64.test(text)) return hidden("because it is not base64");
  if (!allowance.image(text.length)) return hidden("because it is too large for the page");
  const source = `data:${kind};base64,${text}`;
  return html`<figure>
    <img src="${source}" alt="Image in the prompt, ${kind}" />
    <figcaption>${kind}, ${size}</figcaption>
  </figure>`;
}
