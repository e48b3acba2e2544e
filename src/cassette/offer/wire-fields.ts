// Compares the fields of a vendor's request that have no setting of their own. Older recordings do not contain these fields, so they are
// not compared with such a recording, and this is reported once. A recording with the setting of a wire, even an empty object, does
// contain them. For everything else, an empty object means the same as no setting.

import {
  hashJson,
  isPlainObject,
  isWireName,
  type JsonObject,
  type JsonValue,
  type LlmMessage,
  type LlmSettings,
  type LlmTurnRequest,
} from "../../core/index.js";
import type { ContextExtension } from "../file/format.js";

export interface UncomparedFields {
  /** The names of the fields, in order of arrival. */
  readonly fields: readonly string[];
  /** The number of answered turns that had such fields. */
  readonly turns: number;
}

export interface WireFieldCheck {
  /** True if the recording holds these fields. */
  readonly isHeld: boolean;
  /** Returns the settings that can be compared with the recording. */
  known<T extends LlmSettings | undefined>(settings: T): T;
  /** Returns the messages that can be compared with the recording: the list itself if nothing is removed. */
  knownMessages<T extends LlmMessage>(messages: T[]): T[];
  answered(settings: LlmSettings | null | undefined, messages?: readonly LlmMessage[]): void;
  uncompared(): UncomparedFields;
}

/** Creates the check. It calls `warn` once, at the first turn that is answered without comparing all of its fields. */
export function createWireFieldCheck(
  contexts: readonly ContextExtension[],
  warn: (text: string) => void = () => undefined,
): WireFieldCheck {
  const isHeld = contexts.some(({ settings }) => settings !== undefined && Object.keys(settings).some(isWireName));
  const fields = new Set<string>();
  let turns = 0;
  return {
    isHeld,
    known: (settings) => (settings === undefined ? settings : without(settings, isHeld ? isEmptyWire : isWireName)),
    knownMessages: (messages) =>
      isHeld || !messages.some(hasFields) ? messages : messages.map((message) => without(message, isWireName)),
    answered(settings, messages = []) {
      if (isHeld) return;
      const inMessages = messages.flatMap(namesIn).map((name) => `messages[].${name}`);
      const names = [...namesIn(settings ?? {}), ...inMessages];
      if (names.length === 0) return;
      for (const name of names) fields.add(name);
      if (turns++ === 0) warn(uncomparedText([...fields]));
    },
    uncompared: () => ({ fields: [...fields], turns }),
  };
}

/** The request with the settings that the recording can be compared with. */
export function comparableRequest(request: LlmTurnRequest, fields: WireFieldCheck): LlmTurnRequest {
  const settings = fields.known(request.settings ?? undefined);
  return settings === undefined || settings === request.settings ? request : { ...request, settings };
}

export function uncomparedText(fields: readonly string[]): string {
  return `not compared: ${fields.join(", ")}. The recording does not show whether it was made with these fields. Record again to compare them`;
}

/** Returns the settings of every wire except `wire`. */
export function fieldsOfOtherWires(settings: JsonObject | undefined, wire: string): JsonObject {
  const others = Object.entries<JsonValue>(settings ?? {}).filter(([name]) => name !== wire && isWireName(name));
  return Object.fromEntries<JsonValue>(others);
}

/** True for a wire's setting that only shows that the request had no such fields. */
export function isEmptyWire(name: string, value: unknown): boolean {
  return isWireName(name) && isPlainObject(value) && Object.keys(value).length === 0;
}

/** Prepares recorded contexts for comparison with requests: removes wire settings without fields. */
export function comparableContexts(contexts: readonly ContextExtension[]): ContextExtension[] {
  return contexts.map((context) => {
    if (context.settings === undefined) return context;
    const settings = without(context.settings, isEmptyWire);
    return settings === context.settings ? context : { ...context, settings, settingsHash: hashJson(settings) };
  });
}

/** Removes settings. Returns the object itself if nothing is removed. */
function without<T extends object>(settings: T, isLeftOut: (name: string, value: unknown) => boolean): T {
  const all = Object.entries(settings);
  const rest = all.filter(([name, value]) => !isLeftOut(name, value));
  return rest.length === all.length ? settings : (Object.fromEntries(rest) as T);
}

function hasFields(message: object): boolean {
  return Object.keys(message).some(isWireName);
}

function namesIn(holder: object): string[] {
  return Object.entries(holder).flatMap(([name, fields]) =>
    isWireName(name) && isPlainObject(fields) ? Object.keys(fields) : [],
  );
}
