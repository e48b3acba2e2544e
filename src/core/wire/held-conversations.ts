// Conversations that a vendor's server holds, as a door keeps them: what each answered id stands for. An answer shares the messages
// before it with the answer it continues, so a long conversation takes memory by its length.

import { isPlainObject, type JsonObject } from "../canon/value.js";
import { toObject, toText, type WireObject } from "../http/json-readers.js";
import { MAX_HELD_CHARACTERS, MAX_HELD_IDS } from "../limits.js";

/** A conversation up to a request, as its client would have sent it whole. */
export interface WholeConversation {
  /** Messages or items, oldest first. */
  readonly items: readonly unknown[];
  /** The body of the first request. */
  readonly first: WireObject;
}

/** A message or item of an answer, with the id by which a request can name it. */
export interface AnsweredItem {
  readonly item: unknown;
  readonly id?: string;
}

/** How requests of one vendor continue earlier answers. Pure functions over JSON as it is on the wire. */
export interface WireState {
  /** The id of the answer or the conversation that a body continues. Undefined for a body that holds its whole conversation. */
  continues(body: WireObject): string | undefined;
  /** True if the server keeps the answer to a body, so that requests can continue it. */
  isHeld(body: WireObject): boolean;
  /** The messages or items that a body adds. */
  asked(body: WireObject): readonly unknown[];
  /**
   * The messages or items that an answer adds, as a replay of it gives them too. `answer` is a whole answer of the vendor, or a stream
   * put together.
   */
  answered(answer: WireObject): readonly AnsweredItem[];
  /** The id of an item of an earlier answer that an item stands for. */
  refersTo?(item: WireObject): string | undefined;
  /** The body with the whole conversation and without the id that it continues. */
  expand(body: WireObject, conversation: WholeConversation): WireObject;
  /** The ids by which a request can continue `answer`. */
  ids(body: WireObject, answer: WireObject): readonly string[];
  /** Requests that are not turns and can continue an answer, as turns do. */
  follows?(request: { readonly method: string; readonly path: string }): boolean;
  /** Requests that begin a conversation without a turn. `asked` reads their bodies. The answer has the `id` of the conversation. */
  readonly beginning?: {
    matches(request: { readonly method: string; readonly path: string }): boolean;
    /** The answer of our own server to the request in `place`, from 1. */
    answer(body: WireObject, place: number): JsonObject;
  };
}

/** A vendor by its name, with the state that its server holds, if any. */
export interface StatefulWire {
  readonly name: string;
  readonly state?: WireState;
}

export interface ResolvedBody {
  readonly body: unknown;
  /** True for a body that continues a conversation that is not kept here. It is left as it is. */
  readonly isUnknown: boolean;
  /** Keeps an answer for the requests that continue it. Undefined if the vendor's server does not keep it. */
  readonly keep: KeepAnswer | undefined;
}

export type KeepAnswer = (answer: unknown) => void;

export interface HeldConversations {
  /** The body of a request as if its client had sent the whole conversation. */
  resolve(wire: StatefulWire, body: unknown): ResolvedBody;
  /** Keeps a conversation that begins without a turn. Returns the vendor's `answer`, or our own in its place. */
  begin(wire: StatefulWire, body: unknown, answer?: unknown): unknown;
  /** Notes an answer on its way, which may be the one that the next request continues. */
  track(work: Promise<unknown>): void;
  /** Waits for the answers that are on their way now. */
  settled(): Promise<void>;
}

/** What was said up to one answer. */
interface Link {
  readonly before: Link | undefined;
  readonly items: readonly unknown[];
  readonly first: WireObject;
  readonly size: number;
  /** Ids and later answers that need it. */
  uses: number;
}

/** `forgot` is called once, when the limit is reached and the ids that were unused for longest are forgotten. */
export function createHeldConversations(forgot: () => void = () => undefined): HeldConversations {
  const links = createLinks(forgot);
  const running = new Set<Promise<unknown>>();
  let begun = 0;

  const keep = (
    wire: StatefulWire,
    ids: readonly string[],
    before: Link | undefined,
    said: WholeConversation & { readonly named?: readonly AnsweredItem[] },
  ): void => {
    const { items, first } = said;
    const size = JSON.stringify(before === undefined ? [items, first] : items).length;
    const link: Link = { before, items, first, size, uses: 0 };
    for (const id of ids) links.put(keyOf(wire, id), link);
    if (wire.state?.refersTo === undefined || ids.length === 0) return;
    const own = items.map((item) => ({ item, id: toText(toObject(item)["id"]) }));
    for (const { item, id = "" } of [...own, ...(said.named ?? [])]) {
      if (id !== "") links.put(keyOf(wire, id), { before: link, items: [item], first, size: 0, uses: 0 });
    }
  };

  return {
    resolve(wire, json) {
      const { state } = wire;
      const untouched = { body: json, isUnknown: false, keep: undefined };
      if (state === undefined || !isPlainObject(json)) return untouched;
      const body: WireObject = json;
      const id = state.continues(body);
      const before = id === undefined ? undefined : links.find(keyOf(wire, id));
      const asked = state.asked(body);
      const added = asked.map((item) => {
        const named = state.refersTo?.(toObject(item));
        return named === undefined ? item : links.find(keyOf(wire, named))?.items[0];
      });
      const isUnknown = (id !== undefined && before === undefined) || added.includes(undefined);
      if (isUnknown) return { ...untouched, isUnknown };
      const first = before?.first ?? body;
      const isWhole = before === undefined && added.every((item, index) => item === asked[index]);
      return {
        body: isWhole ? json : state.expand(body, { items: [...itemsOf(before), ...added], first }),
        isUnknown,
        keep: !state.isHeld(body)
          ? undefined
          : (answered) => {
              const answer = toObject(answered);
              const named = state.answered(answer);
              const items = [...added, ...named.map(({ item }) => item)];
              keep(wire, state.ids(body, answer), before, { items, first, named });
            },
      };
    },
    begin(wire, json, answer) {
      const body = toObject(json);
      const given = answer ?? wire.state?.beginning?.answer(body, ++begun);
      const items = wire.state?.asked(body) ?? [];
      keep(wire, [toText(toObject(given)["id"])], undefined, { items, first: {} });
      return given;
    },
    track(work) {
      const over = work.catch(() => undefined).finally(() => running.delete(over));
      running.add(over);
    },
    async settled() {
      await Promise.all(running);
    },
  };
}

/** Links by id, within the limits. */
function createLinks(forgot: () => void) {
  // In the order of last use.
  const links = new Map<string, Link>();
  let size = 0;
  let hasForgotten = false;

  const retain = (link: Link): void => {
    for (let at: Link | undefined = link; at !== undefined && at.uses++ === 0; at = at.before) size += at.size;
  };
  const release = (link: Link): void => {
    for (let at: Link | undefined = link; at !== undefined && --at.uses === 0; at = at.before) size -= at.size;
  };
  const use = (key: string, link: Link): void => {
    const known = links.get(key);
    retain(link);
    links.delete(key);
    links.set(key, link);
    if (known !== undefined) release(known);
  };
  return {
    put(key: string, link: Link): void {
      use(key, link);
      for (const [oldest, old] of links) {
        if (links.size <= MAX_HELD_IDS && size <= MAX_HELD_CHARACTERS) return;
        links.delete(oldest);
        release(old);
        if (!hasForgotten) forgot();
        hasForgotten = true;
      }
    },
    find(key: string): Link | undefined {
      const link = links.get(key);
      if (link !== undefined) use(key, link);
      return link;
    },
  };
}

/** Two vendors may give the same id. */
function keyOf({ name }: StatefulWire, id: string): string {
  return `${name}:${id}`;
}

function itemsOf(link: Link | undefined): unknown[] {
  const links: Link[] = [];
  for (let at = link; at !== undefined; at = at.before) links.push(at);
  return links.reverse().flatMap(({ items }) => items);
}
