// A request as it arrives at the other end of a wire.

import type { LlmTurnRequest } from "../model/provider.js";
import { carryMessageFields, wireFieldsOf, withWireFields } from "../wire/fields.js";
import type { WireRequest } from "../wire/turn.js";
import type { Wire } from "./vendor.js";

/** A limit for a wire that requires one, if neither side of a comparison has one. */
const ANY_LIMIT = 4096;

/**
 * Returns `request` as it arrives at the other end of `wire`. Two requests that arrive alike are the same to a server. `like` gives the
 * model, and the limit if the wire requires one. Fields that the wire's reader kept are carried along, those of another wire are not.
 * Undefined if the wire cannot carry the request.
 */
export function throughWire(request: LlmTurnRequest, wire: Wire, like: WireRequest): WireRequest | undefined {
  const { model, maxTokens = ANY_LIMIT } = like.settings;
  const sent = { ...request, settings: { ...request.settings, model } };
  try {
    const { settings, messages, ...rest } = wire.parse(wire.encode(sent, model, maxTokens)).request;
    return {
      ...rest,
      messages: carryMessageFields(request.messages, messages, wire.name),
      // A wire may name the model outside of the body.
      settings: withWireFields({ ...settings, model }, wire.name, wireFieldsOf(sent.settings, wire.name)),
    };
  } catch {
    return undefined;
  }
}
