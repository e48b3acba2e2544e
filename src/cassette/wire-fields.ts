// Fields of a vendor's request that no setting stands for, against recordings made before they were kept: such a recording does
// not say which of them were sent, so they are not compared with it, and that is reported once.

import { isPlainObject, WIRE_NAMES, type JsonObject, type JsonValue, type LlmSettings } from "../core/index.js";
import type { ContextExtension } from "./format.js";

/** The fields of requests that one replay could not compare. */
export interface UncomparedFields {
  /** By name, in the order in which they came. */
  readonly fields: readonly string[];
  /** Turns that were answered although they had any. */
  readonly turns: number;
}

export interface WireFieldCheck {
  /** The settings that the recording can be compared with. */
  known<T extends LlmSettings | undefined>(settings: T): T;
  /** Called for each turn that was answered. */
  answered(settings: LlmSettings | null | undefined): void;
  readonly uncompared: UncomparedFields;
}

/** `warn` is called once, with the first turn that was answered without comparing all of its fields. */
export function createWireFieldCheck(
  contexts: readonly ContextExtension[],
  warn: (text: string) => void = () => undefined,
): WireFieldCheck {
  const isHeld = contexts.some(({ settings }) => settings !== undefined && hasWireFields(settings));
  const fields = new Set<string>();
  let turns = 0;
  return {
    known: (settings) =>
      isHeld || settings === undefined || !hasWireFields(settings) ? settings : withoutWireFields(settings),
    answered(settings) {
      if (isHeld || !settings || !hasWireFields(settings)) return;
      for (const name of namesIn(settings)) fields.add(name);
      if (turns++ === 0) warn(uncomparedText([...fields]));
    },
    get uncompared() {
      return { fields: [...fields], turns };
    },
  };
}

/** One sentence on fields that were not compared. */
export function uncomparedText(fields: readonly string[]): string {
  return `not compared: ${fields.join(", ")}. The recording does not say whether it was made with these fields; record again to compare them`;
}

/** The fields of every wire but `wire`, as settings hold them. */
export function fieldsOfOtherWires(settings: JsonObject | undefined, wire: string): JsonObject {
  const others = Object.entries<JsonValue>(settings ?? {}).filter(([name]) => name !== wire && isWire(name));
  return Object.fromEntries<JsonValue>(others);
}

/** True for the name of a setting that holds fields of a wire. */
export function isWire(name: string): boolean {
  return (WIRE_NAMES as readonly string[]).includes(name);
}

function hasWireFields(settings: object): boolean {
  return WIRE_NAMES.some((name) => Object.hasOwn(settings, name));
}

function withoutWireFields<T extends LlmSettings>(settings: T): T {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !isWire(name))) as T;
}

function namesIn(settings: object): string[] {
  return Object.entries(settings).flatMap(([name, fields]) =>
    isWire(name) && isPlainObject(fields) ? Object.keys(fields) : [],
  );
}
