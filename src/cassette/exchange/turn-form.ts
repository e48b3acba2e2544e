// A refused turn is compared as a turn is. A client repeats ids and labels of earlier answers, which differ in a replay.

import { AgentError, canonicalize, type JsonValue, type Wire } from "../../core/index.js";
import { digestAlike } from "../prompt/digest-alike.js";
import { neutralNumbers } from "../redact/placeholder.js";
import type { ExchangeRequest } from "./read.js";

/** Finds the wire of a turn. Undefined for any other request. */
export type FindWire = (request: { readonly method: string; readonly path: string }) => Wire | undefined;

/** What a turn is compared by, and whether it asks for a stream. Undefined for any other request, and for a turn that cannot be read. */
export function turnForm({ method, path, request }: ExchangeRequest, wireOf: FindWire): JsonValue | undefined {
  const wire = wireOf({ method, path });
  if (wire === undefined || request === undefined || !("json" in request)) return undefined;
  try {
    const body = JSON.parse(neutralNumbers(canonicalize(request.json))) as JsonValue;
    const { request: turn, isStream } = wire.parse(body, path);
    const { model: _, ...settings } = turn.settings;
    const form = { wire: wire.name, messages: digestAlike(turn.messages), tools: turn.tools ?? [], settings, isStream };
    return form as unknown as JsonValue;
  } catch (error) {
    if (error instanceof AgentError) return undefined;
    throw error;
  }
}
