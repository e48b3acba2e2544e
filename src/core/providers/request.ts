// Checks a turn request before anything is sent. An encoder would leave out a message, a part or a setting that it does not know, and
// the model would answer another question.

import { valueAt } from "../canon/pointer.js";
import { invalidOptions, type AgentError } from "../errors.js";
import { MIN_THINKING_TOKENS } from "../limits.js";
import { SETTING_NAMES, type LlmTurnRequest } from "../model/provider.js";
import { findMessageFlaw, type ResponseFlaw } from "../model/response.js";
import { assertKnownOptions, isObject } from "../options.js";
import { showValue } from "../text/show.js";

/** Throws `invalid-options`, which names the place by a JSON pointer (RFC 6901) into `request`. */
export function assertRequest(providerName: string, request: LlmTurnRequest): void {
  const given: unknown = request;
  if (!isObject(given)) throw invalidOptions(`${providerName}: the request is ${showValue(given)}`, REQUEST_HINT);
  const { messages, settings, tools } = given;
  if (!Array.isArray(messages))
    throw invalidOptions(`${providerName}: /messages is ${showValue(messages)}`, REQUEST_HINT);
  for (let index = 0; index < messages.length; index++) {
    const flaw = findMessageFlaw(messages[index]);
    if (flaw !== undefined) throw badMessage(providerName, index, messages[index], flaw);
  }
  assertTools(providerName, tools);
  if (settings === undefined) return;
  if (!isObject(settings)) {
    throw invalidOptions(
      `${providerName}: /settings is ${showValue(settings)}`,
      `Pass any of ${SETTING_NAMES.join(", ")}.`,
    );
  }
  assertKnownOptions(`the settings of a request to ${providerName}`, settings, SETTING_NAMES);
  const { thinkingBudget } = settings;
  if (thinkingBudget === undefined) return;
  if (Number.isSafeInteger(thinkingBudget) && Number(thinkingBudget) >= MIN_THINKING_TOKENS) return;
  throw invalidOptions(
    `${providerName}: settings.thinkingBudget is ${showValue(thinkingBudget)}`,
    `Use a whole number of ${MIN_THINKING_TOKENS} or more, or leave it out.`,
  );
}

function assertTools(providerName: string, tools: unknown): void {
  if (tools === undefined) return;
  const at = Array.isArray(tools) ? tools.findIndex((tool) => !isObject(tool) || typeof tool["name"] !== "string") : "";
  if (at === -1) return;
  const what = at === "" ? `/tools is ${showValue(tools)}, not a list` : `/tools/${at} is not a tool with a name`;
  throw invalidOptions(`${providerName}: ${what}`, "Pass a list of { name, description, schema }.");
}

const REQUEST_HINT = `Pass { messages: [{ role: "user", content: "…" }] }.`;
const MESSAGE_HINT = "A message is { role, content } as in LlmMessage; a vendor's own shapes are not accepted.";
const PART_HINT =
  'A part is { type: "text", text }, { type: "image", mediaType, data } or { type: "image", url }; no other kind can be sent.';

const ROLE_HINTS: Readonly<Record<string, string>> = {
  developer: 'Give instructions the role "system".',
  function: 'Give a tool\'s answer as { role: "tool", toolCallId, name, content }.',
  model: 'Give what the model said the role "assistant".',
};

function badMessage(providerName: string, index: number, message: unknown, flaw: ResponseFlaw): AgentError {
  const { pointer, expected } = flaw;
  const value = valueAt(message, pointer);
  // Texts of the conversation are never shown, only words that name a kind.
  const shown = /\/(?:role|type)$/.test(pointer) || typeof value !== "string" ? showValue(value) : "a text";
  const what = `${providerName}: message ${index} is malformed: /messages/${index}${pointer} is ${shown}, not ${expected}`;
  const isPart = pointer.startsWith("/content/");
  const role = pointer === "/role" && typeof value === "string" ? value : "";
  return invalidOptions(
    what,
    isPart ? PART_HINT : Object.hasOwn(ROLE_HINTS, role) ? String(ROLE_HINTS[role]) : MESSAGE_HINT,
  );
}
