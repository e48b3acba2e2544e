// What every turn of a recording was asked: its prompt, and the tools and settings that were in force. Without all of the
// prompt and the tools another model cannot be asked the same, so a recording that lacks them is refused in words.

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

/** One recorded turn as it can be asked again. */
export interface Step {
  turn: number;
  request: LlmTurnRequest;
  recorded: LlmTurnResponse;
}

/** All turns of a recording. */
export interface Steps {
  cassette: CassetteV2;
  steps: Step[];
  /** Sentences on how the questions are other than what the recorded model was asked. */
  notes: string[];
}

/**
 * The questions of a recording in their order, for the model of that name: the thoughts of another one are not shown to it, since
 * vendors refuse foreign ones. `tools` are offered at every turn in place of the recorded ones. Throws `HarnessError`
 * `not-checkable`.
 */
export function readSteps(cassette: Cassette, provider: string, tools?: readonly LlmToolDefinition[]): Steps {
  if (cassette.version === 1) {
    throw notCheckable("it is of version 1, which keeps no prompts", "Record it again.");
  }
  const prompts = rebuildPrompts(cassette);
  if (prompts === undefined) {
    throw notCheckable("it keeps the hashes of its prompts and not the prompts", "Record it with prompts: true.");
  }
  if (isAnswers(cassette)) {
    throw notCheckable("it holds the answers of a step check", "Give the recording that was checked.");
  }
  const notes = new Set<string>();
  const own = cassette.recordedProvider === provider;
  const contexts = contextsByTurn(cassette.extensions?.contexts ?? [], cassette.entries.length);
  const steps = cassette.entries.map(({ turnIndex, response }, index): Step => {
    const context = contexts[index];
    const offered = tools ?? (context?.tools as unknown as LlmToolDefinition[] | undefined);
    if (offered === undefined) throw withoutTools(turnIndex);
    if (context?.settings === undefined) notes.add("no settings are recorded, so none were asked for");
    const messages = own ? (prompts[index] ?? []) : withoutReasoning(prompts[index] ?? [], notes);
    const offeredHere = own ? offered : withoutHosted(offered, notes);
    const settings = sendable(context?.settings, own, notes);
    return {
      turn: turnIndex,
      request: { messages, tools: offeredHere, ...defined({ settings }) },
      recorded: response,
    };
  });
  if (tools !== undefined) notes.add("the tools are those that were given, not the recorded ones");
  noteRedaction(cassette, notes);
  return { cassette, steps, notes: [...notes] };
}

/** True for a cassette that a step check wrote. */
export function isAnswers(cassette: CassetteV2): boolean {
  return isPlainObject(cassette.extensions?.["stepCheck"]);
}

/**
 * The settings that the model can be asked with. Fields that came over a vendor's wire can be sent by no provider, and what an
 * adapter kept of another framework means nothing to another model.
 */
function sendable(settings: LlmSettings | undefined, own: boolean, notes: Set<string>): LlmSettings | undefined {
  const isSent = (name: string): boolean => SETTING_NAMES.includes(name) || (own && !isWireName(name));
  const all = Object.entries(settings ?? {});
  const left = all.filter(([name]) => !isSent(name));
  if (left.length === 0) return settings;
  const names = left.filter(([name, value]) => !isEmptyWire(name, value)).flatMap(namesOf);
  if (names.length > 0) notes.add(`not sent, since only the recorded client understands it: ${names.join(", ")}`);
  return Object.fromEntries(all.filter(([name]) => isSent(name)));
}

/** Adapters keep a tool that a vendor runs as one without a schema; offered to another model it would be a tool nobody runs. */
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
  notes.add("the recorded model's thoughts are left out of the prompts");
  return messages.map((message) => {
    if (message.role !== "assistant") return message;
    const { reasoning, ...kept } = message;
    return kept;
  });
}

function noteRedaction({ extensions }: CassetteV2, notes: Set<string>): void {
  const redacted: unknown = extensions?.redacted;
  if (Array.isArray(redacted) && redacted.length > 0) {
    notes.add(`the recording is redacted (${redacted.join(", ")}): the model saw placeholders, not what stood there`);
  }
  if (extensions?.filtered === true) notes.add("the prompts were filtered before they were kept (hashFilter)");
}

function withoutTools(turn: number): HarnessError {
  return notCheckable(
    `it does not say which tools were offered at turn ${turn}`,
    "Give the tools (--tools FILE, or `tools` of stepCheck), or record it again.",
  );
}

function notCheckable(why: string, hint: string): HarnessError {
  return new HarnessError("not-checkable", `the cassette cannot be step-checked: ${why}`, hint);
}
