// A request over a wire as it is looked up in a cassette.

import { throughWire, type Wire, type WireRequest } from "../../core/index.js";
import type { WireFieldCheck } from "../offer/wire-fields.js";
import { applyFilter, hashPrompt, type HashFilter } from "../prompt/prompt-delta.js";
import { digestAlike } from "../prompt/digest-alike.js";
import type { Likeness } from "./alike.js";

export interface Asked {
  wire: Wire;
  request: WireRequest;
  promptHash: string;
  /** Digests of its messages as the wire leaves them. Computed at the first call, since an exact prompt needs none. */
  digests: () => readonly string[];
}

export interface Nearness extends Likeness {
  readonly turnIndex: number;
  /** The whole prompt is the same, except for what the wire loses. */
  readonly isPrompt: boolean;
  /** Tools and settings are also the same. */
  readonly isContext: boolean;
}

export function toAsked(wire: Wire, request: WireRequest): Asked {
  let digests: readonly string[] | undefined;
  return {
    wire,
    request,
    promptHash: hashPrompt(request.messages),
    digests: () => (digests ??= digestAlike((throughWire(request, wire, request) ?? request).messages)),
  };
}

/** The request without fields of messages that cannot be compared with the recording. */
export function asKnown(asked: Asked, fields: WireFieldCheck): Asked {
  const { wire, request } = asked;
  const messages = fields.knownMessages(request.messages);
  return messages === request.messages ? asked : toAsked(wire, { ...request, messages });
}

/** The request with the hash and the digests of its filtered prompt. Its messages stay, since the replay filters them itself. */
export function asFiltered(asked: Asked, filter: HashFilter | undefined): Asked {
  if (filter === undefined) return asked;
  const { wire, request } = asked;
  const { promptHash, digests } = toAsked(wire, { ...request, messages: [...applyFilter(filter, request.messages)] });
  return { ...asked, promptHash, digests };
}
