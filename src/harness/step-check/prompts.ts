// Builds the question of every recorded turn: its prompt, and the tools and settings in force. A recording without the whole prompt
// or the tools is refused, because another model could not get the same question.

import { contextsByTurn, isEmptyWire, rebuildPrompts, type Cassette, type CassetteV2 } from "../../cassette/index.js";
import {
  defined,
  isPlainObject,
  isWireName,
  SETTING_NAMES,
  type LlmMessage,
  type LlmSettings,
  type LlmToolDefinition,
  type LlmTurnRequest,
  type LlmTurnResponse,
} from "../../core/index.js";
import { HarnessError } from "../errors.js";

export interface Step {
  turn: number;
  request: LlmTurnRequest;
  recorded: LlmTurnResponse;
}

interface Steps {
  cassette: CassetteV2;
  steps: Step[];
  /** Sentences on how the questions differ from the recorded ones. */
  notes: string[];
}

/**
 * Builds the questions for the model named `provider`. Another model's reasoning is left out, because vendors refuse it. `tools`
 * replaces the recorded tools. Throws `HarnessError` `not-checkable`.
 */
export function readSteps(cassette: Cassette, provider: string, tools?: readonly LlmToolDefinition[]): Steps {
  if (cassette.version === 1) {
    throw notCheckable("version 1 keeps no prompts", "Record it again.");
  }
  const prompts = rebuildPrompts(cassette);
  if (prompts === undefined) {
    throw notCheckable("it keeps only the hashes of its prompts", "Record it with prompts: true.");
  }
  if (isPlainObject(cassette.extensions?.["stepCheck"])) {
    throw notCheckable("it holds the answers of a step check", "Pass the recording that was checked.");
  }
  const notes = new Set<string>();
  const own = cassette.recordedProvider === provider;
  const contexts = contextsByTurn(cassette.extensions?.contexts ?? [], cassette.entries.length);
  const steps = cassette.entries.map(({ turnIndex, response }, index): Step => {
    const context = contexts[index];
    const offered = tools ?? (context?.tools as unknown as LlmToolDefinition[] | undefined);
    if (offered === undefined) throw withoutTools(turnIndex);
    if (context?.settings === undefined) notes.add("no settings were recorded, so none were sent");
    const messages = own ? (prompts[index] ?? []) : withoutReasoning(prompts[index] ?? [], notes);
    const offeredHere = own ? offered : withoutHosted(offered, notes);
    const settings = sendable(context?.settings, own, notes);
    const request = { messages, tools: offeredHere, ...defined({ settings }) };
    return { turn: turnIndex, request, recorded: response };
  });
  if (tools !== undefined) notes.add("the given tools replace the recorded ones");
  noteRedaction(cassette, notes);
  return { cassette, steps, notes: [...notes] };
}

/**
 * The settings for the model. Fields recorded from a vendor's wire cannot be sent. Extras of a framework's adapter mean nothing to
 * another model.
 */
function sendable(settings: LlmSettings | undefined, own: boolean, notes: Set<string>): LlmSettings | undefined {
  const isSent = (name: string): boolean => SETTING_NAMES.includes(name) || (own && !isWireName(name));
  const all = Object.entries(settings ?? {});
  const left = all.filter(([name]) => !isSent(name));
  if (left.length === 0) return settings;
  const names = left.filter(([name, value]) => !isEmptyWire(name, value)).flatMap(namesOf);
  if (names.length > 0) notes.add(`not sent, because only the recorded client understands it: ${names.join(", ")}`);
  return Object.fromEntries(all.filter(([name]) => isSent(name)));
}

/** Leaves out tools that the recorded vendor runs itself, because nobody would run them for another model. */
function withoutHosted(tools: readonly LlmToolDefinition[], notes: Set<string>): readonly LlmToolDefinition[] {
  const hosted = tools.filter(isHosted).map(({ name }) => name);
  if (hosted.length === 0) return tools;
  notes.add(`tools that the recorded vendor ran were not offered: ${hosted.join(", ")}`);
  return tools.filter((tool) => !isHosted(tool));
}

function isHosted({ name: _name, description: _description, schema: _schema, ...extras }: LlmToolDefinition): boolean {
  return Object.values(extras).some((value) => isPlainObject(value) && ("id" in value || "hosted" in value));
}

function namesOf([name, value]: [string, unknown]): string[] {
  const inner = isPlainObject(value) ? Object.keys(value) : [];
  return inner.length === 0 ? [name] : inner.map((field) => `${name}.${field}`);
}

function withoutReasoning(messages: readonly LlmMessage[], notes: Set<string>): readonly LlmMessage[] {
  const isThought = (message: LlmMessage): boolean => message.role === "assistant" && message.reasoning !== undefined;
  if (!messages.some(isThought)) return messages;
  notes.add("the recorded model's reasoning is left out of the prompts");
  return messages.map((message) => {
    if (message.role !== "assistant") return message;
    const { reasoning, ...kept } = message;
    return kept;
  });
}

function noteRedaction({ extensions }: CassetteV2, notes: Set<string>): void {
  const redacted: unknown = extensions?.redacted;
  if (Array.isArray(redacted) && redacted.length > 0) {
    notes.add(
      `the recording is redacted (${redacted.join(", ")}): the model sees placeholders instead of the original text`,
    );
  }
  if (extensions?.filtered === true) notes.add("the prompts were filtered before they were kept (hashFilter)");
}

function withoutTools(turn: number): HarnessError {
  return notCheckable(
    `it does not say which tools were offered at turn ${turn}`,
    "Pass the tools (--tools FILE, or `tools` of stepCheck), or record it again.",
  );
}

function notCheckable(why: string, hint: string): HarnessError {
  return new HarnessError("not-checkable", `the cassette cannot be step-checked: ${why}`, hint);
}
