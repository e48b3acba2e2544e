// Fields of a vendor's request that no setting stands for, against recordings made before they were kept: such a recording does
// not say which of them were sent, so they are not compared with it, and that is reported once. A recording that holds the
// setting of a wire, if only as an empty object, does say it. For everything else an empty object is the same as none.

import {
  hashJson,
  isPlainObject,
  isWireName,
  type JsonObject,
  type JsonValue,
  type LlmMessage,
  type LlmSettings,
} from "../../core/index.js";
import type { ContextExtension } from "../file/format.js";

export interface UncomparedFields {
  /** By name, in the order in which they came. */
  readonly fields: readonly string[];
  /** Turns that were answered although they had any. */
  readonly turns: number;
}

export interface WireFieldCheck {
  /** The settings that the recording can be compared with. */
  known<T extends LlmSettings | undefined>(settings: T): T;
  /** The messages that the recording can be compared with; the list itself where that is all of them. */
  knownMessages<T extends LlmMessage>(messages: T[]): T[];
  answered(settings: LlmSettings | null | undefined, messages?: readonly LlmMessage[]): void;
  readonly uncompared: UncomparedFields;
}

/** `warn` is called once, with the first turn that was answered without comparing all of its fields. */
export function createWireFieldCheck(
  contexts: readonly ContextExtension[],
  warn: (text: string) => void = () => undefined,
): WireFieldCheck {
  const isHeld = contexts.some(({ settings }) => settings !== undefined && Object.keys(settings).some(isWireName));
  const fields = new Set<string>();
  let turns = 0;
  return {
    known: (settings) => (settings === undefined ? settings : without(settings, isHeld ? isEmptyWire : isWireName)),
    knownMessages: (messages) =>
      isHeld || !messages.some(hasFields) ? messages : messages.map((message) => without(message, isWireName)),
    answered(settings, messages = []) {
      const inMessages = messages.flatMap(namesIn).map((name) => `messages[].${name}`);
      const names = isHeld ? [] : [...namesIn(settings ?? {}), ...inMessages];
      if (names.length === 0) return;
      for (const name of names) fields.add(name);
      if (turns++ === 0) warn(uncomparedText([...fields]));
    },
    get uncompared() {
      return { fields: [...fields], turns };
    },
  };
}

export function uncomparedText(fields: readonly string[]): string {
  return `not compared: ${fields.join(", ")}. The recording does not say whether it was made with these fields; record again to compare them`;
}

/** The fields of every wire but `wire`, as settings hold them. */
export function fieldsOfOtherWires(settings: JsonObject | undefined, wire: string): JsonObject {
  const others = Object.entries<JsonValue>(settings ?? {}).filter(([name]) => name !== wire && isWireName(name));
  return Object.fromEntries<JsonValue>(others);
}

/** True for the setting of a wire that only says that the request had no fields of its own. */
export function isEmptyWire(name: string, value: unknown): boolean {
  return isWireName(name) && isPlainObject(value) && Object.keys(value).length === 0;
}

/** Recorded contexts as they are compared with requests: without settings that hold no field of a wire. */
export function comparableContexts(contexts: readonly ContextExtension[]): ContextExtension[] {
  return contexts.map((context) => {
    if (context.settings === undefined) return context;
    const settings = without(context.settings, isEmptyWire);
    return settings === context.settings ? context : { ...context, settings, settingsHash: hashJson(settings) };
  });
}

/** The object itself where nothing is left out. */
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
