// One cassette as a server plays it: a replaying provider, and the ways in which a request over a wire finds its turn. The
// provider stays the judge: what is found here is only put to it in the words of the recording.

import {
  defined,
  hashJson,
  throughWire,
  type LlmMessage,
  type LlmTurnRequest,
  type LlmTurnResponse,
  type Wire,
  type WireRequest,
} from "../../core/index.js";
import { countAlike, digestAlike } from "./alike.js";
import { contextAt } from "../offer/context.js";
import type { Cassette, ContextExtension } from "../file/format.js";
import { likenessOf, type Likeness } from "./likeness.js";
import { rebuildPrompts } from "../replay/miss.js";
import { hashPrompt } from "../prompt/prompt.js";
import { neutralNumbers } from "../redact/placeholder.js";
import { createReplayRedaction, type ReplayRedaction } from "../redact/redactor.js";
import { cassetteProvider, type ReplayOptions } from "../replay/replay.js";
import { readStreams } from "../stream/read.js";
import type { StreamPlan } from "../stream/texts.js";
import {
  comparableContexts,
  createWireFieldCheck,
  fieldsOfOtherWires,
  type UncomparedFields,
  type WireFieldCheck,
} from "../offer/wire-fields.js";

/** A request over a wire, with what comparing it needs. */
export interface Asked {
  wire: Wire;
  request: WireRequest;
  promptHash: string;
  /** Of its messages as the wire leaves them. */
  digests: readonly string[];
}

/** How near a recorded turn is to a request. */
export interface Nearness extends Likeness {
  readonly turnIndex: number;
  /** The whole prompt is the same, or the same but for what the wire loses. */
  readonly isPrompt: boolean;
  /** Tools and settings are, too. */
  readonly isContext: boolean;
}

export interface Tape {
  readonly file: string;
  readonly names: ReadonlySet<string>;
  readonly cassette: Cassette;
  readonly remaining: number;
  /** The unused turn that was asked word for word, one with the same tools and settings first. */
  findExact(asked: Asked): Nearness | undefined;
  /** The same, but for what the wire loses. Slower. */
  findAlike(asked: Asked): Nearness | undefined;
  /** The turn that comes nearest, used or not; undefined for a cassette without turns. */
  nearest(asked: Asked): Nearness | undefined;
  /** Gives the answer of the turn that was found, or the replay's own reason why not. */
  play(asked: Asked, near: Nearness | undefined): Promise<LlmTurnResponse>;
  /** Fields of requests that this recording could not be compared with. */
  readonly uncompared: UncomparedFields;
  /** How the answer of a turn came, where that was recorded and fits. */
  planOf(turnIndex: number): StreamPlan | undefined;
}

/** How the cassette is replayed. */
export interface TapeOptions extends Pick<ReplayOptions, "redact" | "allowRedacted"> {
  /** Called once where fields of requests are not compared, since the recording does not say whether it was made with them. */
  readonly warn?: (text: string) => void;
}

/** Reads a request for comparison with any number of tapes. */
export function toAsked(wire: Wire, request: WireRequest): Asked {
  const { messages } = throughWire(request, wire, request) ?? request;
  return { wire, request, promptHash: hashPrompt(request.messages), digests: digestAlike(messages) };
}

/** Throws `CassetteError` where the cassette is refused or cannot be replayed as it is. */
export function createTape(value: unknown, file: string, names: Iterable<string>, given: TapeOptions = {}): Tape {
  const { warn, ...options } = given;
  const ports = { warn: () => undefined };
  const provider = cassetteProvider(value, { ...options, file, streaming: "whole", ports });
  const { cassette } = provider;
  const prompts = rebuildPrompts(cassette);
  const noted = cassette.version === 2 ? (cassette.extensions?.contexts ?? []) : [];
  const contexts = comparableContexts(noted);
  const fields = createWireFieldCheck(noted, (text) => warn?.(`${file}: ${text}`));
  const streams = readStreams(cassette);
  const used = new Set<number>();
  const redaction = () => createReplayRedaction(redactedIn(cassette), options.redact, file);
  const digestsOn = createDigests(prompts ?? []);

  function measure(asked: Asked, turnIndex: number): Nearness {
    const recorded = digestsOn(asked)[turnIndex] ?? [];
    const length = countAlike(recorded, asked.digests);
    const isAlike = prompts !== undefined && length === recorded.length && length === asked.digests.length;
    const isContinued = recorded.length > 0 && length === recorded.length && length < asked.digests.length;
    return { ...judge(asked, turnIndex, isAlike || isExact(asked, turnIndex), length), isContinued };
  }

  function judge(asked: Asked, turnIndex: number, isPrompt: boolean, length: number): Nearness {
    const isContext = isPrompt && fits(contextAt(contexts, turnIndex), asked, fields);
    const likeness = () => likenessOf(prompts?.[turnIndex]?.[length], asked.request.messages[length]);
    return { turnIndex, isUsed: used.has(turnIndex), isPrompt, isContext, isContinued: false, length, likeness };
  }

  const isExact = (asked: Asked, turnIndex: number) => cassette.entries[turnIndex]?.promptHash === asked.promptHash;
  const all = cassette.entries.map((entry) => entry.turnIndex);
  const unused = () => all.filter((index) => !used.has(index));

  return {
    file,
    names: new Set(names),
    cassette,
    get remaining() {
      return provider.remaining;
    },
    findExact(request) {
      const asked = asKnown(request, fields);
      const same = unused().filter((index) => isExact(asked, index));
      return pick(same.map((index) => judge(asked, index, true, asked.request.messages.length)));
    },
    findAlike(request) {
      const asked = asRecorded(asKnown(request, fields), redaction);
      const measured = unused().map((index) => measure(asked, index));
      return pick(measured.filter((near) => near.isPrompt));
    },
    nearest(request) {
      const asked = asRecorded(asKnown(request, fields), redaction);
      const measured = all.map((index) => measure(asked, index));
      return measured.find((near) => near.isPrompt) ?? longest(measured);
    },
    async play(asked, near) {
      const left = provider.remaining;
      const answer = provider.turn(recordedWords(asKnown(asked, fields), near, { prompts, contexts, fields }));
      // The replay has taken its turn by now; it never waits. Only the one that was found can be it.
      if (near !== undefined && provider.remaining < left) {
        used.add(near.turnIndex);
        fields.answered(asked.request.settings, asked.request.messages);
      }
      return answer;
    },
    get uncompared() {
      return fields.uncompared;
    },
    planOf: (turnIndex) => streams.planOf(turnIndex),
  };
}

function redactedIn(cassette: Cassette): string[] | undefined {
  return cassette.version === 2 ? cassette.extensions?.redacted : undefined;
}

/** Every recorded prompt as the wire leaves it; computed once a wire, and only when no hash fits. */
function createDigests(prompts: readonly LlmMessage[][]): (asked: Asked) => readonly (readonly string[])[] {
  const digests = new Map<string, (readonly string[])[]>();
  return ({ wire, request }) => {
    const known = digests.get(wire.name);
    if (known !== undefined) return known;
    const all = prompts.map((messages) =>
      digestAlike(neutral(throughWire({ messages }, wire, request)?.messages ?? messages)),
    );
    digests.set(wire.name, all);
    return all;
  };
}

/** Without fields of messages that the recording cannot be compared with. */
function asKnown(asked: Asked, fields: WireFieldCheck): Asked {
  const { wire, request } = asked;
  const messages = fields.knownMessages(request.messages);
  return messages === request.messages ? asked : toAsked(wire, { ...request, messages });
}

/** As the recording would hold it. Numbers are of this prompt alone: clients come in any order. */
function asRecorded(asked: Asked, redaction: () => ReplayRedaction | undefined): Asked {
  const side = redaction();
  if (side === undefined) return asked;
  const { wire, request } = asked;
  const messages = side.scrubber.messages(request.messages);
  const plain = throughWire({ ...request, messages }, wire, request)?.messages ?? messages;
  return { ...asked, digests: digestAlike(neutral(plain)) };
}

/** Placeholders numbered by their first appearance in the prompt. */
function neutral(messages: readonly LlmMessage[]): LlmMessage[] {
  return JSON.parse(neutralNumbers(JSON.stringify(messages))) as LlmMessage[];
}

function pick(found: readonly Nearness[]): Nearness | undefined {
  return found.find((near) => near.isContext) ?? found[0];
}

function longest(measured: readonly Nearness[]): Nearness | undefined {
  return measured.reduce<Nearness | undefined>((best, near) => (isLonger(near, best) ? near : best), undefined);
}

/** The next in line wins a tie, as in a replay of this cassette alone. */
function isLonger(near: Nearness, best: Nearness | undefined): boolean {
  if (best === undefined || near.length > best.length) return true;
  return near.length === best.length && best.isUsed && !near.isUsed;
}

/** Are tools and settings the recorded ones, as far as the wire tells? True where the recording knows none. */
function fits(recorded: ContextExtension | undefined, asked: Asked, fields: WireFieldCheck): boolean {
  const [tools, settings] = contextOf(recorded, asked, fields);
  return recorded === undefined || (tools !== undefined && settings !== undefined);
}

/** The recorded tools and settings, each where the wire makes no difference between them and the request's. */
function contextOf(
  recorded: ContextExtension | undefined,
  { wire, request: { settings: given, ...asked } }: Asked,
  fields: WireFieldCheck,
): [LlmTurnRequest["tools"], LlmTurnRequest["settings"]] {
  const request = { ...asked, settings: fields.known(given) };
  const { model, ...rest } = request.settings;
  const own = { tools: request.tools ?? [], settings: rest };
  if (recorded === undefined) return [undefined, undefined];
  const tools = recorded.tools as LlmTurnRequest["tools"] | undefined;
  const settings = recorded.settings as LlmTurnRequest["settings"] | undefined;
  const isTools = recorded.toolsHash === hashJson(own.tools);
  const isSettings = recorded.settingsHash === hashJson(own.settings);
  if (tools === undefined || settings === undefined) {
    return [isTools ? own.tools : undefined, isSettings ? own.settings : undefined];
  }
  const theirs = throughWire({ messages: [], tools, settings }, wire, request);
  const ours = throughWire({ ...request, messages: [] }, wire, request);
  return [
    isTools || hashJson(theirs?.tools ?? []) === hashJson(ours?.tools ?? []) ? tools : undefined,
    isSettings || hashJson(theirs?.settings ?? null) === hashJson(ours?.settings ?? {}) ? settings : undefined,
  ];
}

interface Recorded {
  prompts: readonly LlmMessage[][] | undefined;
  contexts: readonly ContextExtension[];
  fields: WireFieldCheck;
}

/** The request with everything that is alike in it as the recording has it, so that a miss names a real difference. */
function recordedWords(
  asked: Asked,
  near: Nearness | undefined,
  { prompts, contexts, fields }: Recorded,
): LlmTurnRequest {
  const { wire, request, digests } = asked;
  if (near === undefined) return request;
  const recorded = prompts?.[near.turnIndex] ?? request.messages;
  const context = contextAt(contexts, near.turnIndex);
  const [tools = request.tools, same] = contextOf(context, asked, fields);
  // Fields of other wires could not come over this one, so they are no difference to be reported.
  const settings = same ?? { ...fieldsOfOtherWires(context?.settings, wire.name), ...request.settings };
  // A wire may join or drop messages; then a place on one side is none on the other.
  const isAligned = digests.length === request.messages.length;
  const messages = near.isPrompt
    ? recorded
    : isAligned
      ? [...recorded.slice(0, near.length), ...request.messages.slice(near.length)]
      : request.messages;
  return { messages, ...defined({ tools }), settings };
}
