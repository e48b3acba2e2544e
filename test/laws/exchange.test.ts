// Laws of exchanges, over random requests and answers: what is recorded is what is replayed, and what was not is a miss.

import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { PlainAnswer, PlainRequest } from "../../src/cassette/exchange/http.js";
import { createShelf } from "../../src/cassette/serve/shelf.js";
import { formatCassette } from "../../src/cassette/trust/cassette-store.js";
import { parseCassette } from "../../src/cassette/trust/load-cassette.js";
import { canonicalize } from "../../src/core/canon/json.js";
import { valueAt } from "../../src/core/canon/pointer.js";
import { json, jsonObject, text } from "../support/arbitraries.js";
import { answer, bytesOf, post, recordExchanges } from "../support/exchange-recording.js";
import { verifyKept } from "../support/oracle.js";
import { draft } from "../support/recording.js";

afterAll(verifyKept);

const bytes = fc.uint8Array({ maxLength: 40 });
const body = fc.oneof(
  fc.tuple(fc.constant("application/json"), json.map(bytesOf)),
  fc.tuple(fc.constant("application/json"), text.map(bytesOf)),
  fc.tuple(fc.constantFrom("text/event-stream", "audio/mpeg", "multipart/form-data; boundary=b", ""), bytes),
);
const path = fc
  .array(fc.stringMatching(/^[a-z0-9:._%-]{1,8}$/), { maxLength: 3 })
  .map((names) => `/${names.join("/")}`);
const request = fc
  .record({ method: fc.constantFrom("GET", "POST", "DELETE"), path, query: fc.webQueryParameters(), body })
  .map(({ path: name, query, method, body: [type, content] }): PlainRequest => {
    return { method, url: query === "" ? name : `${name}?${query}`, type, body: content };
  });
const reply = fc
  .record({ status: fc.integer({ min: 200, max: 599 }), body, isCut: fc.boolean() })
  .map(({ status, body: [type, content], isCut }): PlainAnswer => {
    return { status, headers: { "content-type": type }, body: content, ...(isCut ? { isCut } : {}) };
  });

/** Two bodies mean the same to a client: equal bytes, or equal JSON. */
function meaning({ body: content, ...rest }: PlainAnswer): unknown {
  const written = new TextDecoder("utf-8", { ignoreBOM: true }).decode(content);
  try {
    return { ...rest, json: canonicalize(JSON.parse(written)) };
  } catch {
    return { ...rest, bytes: [...content] };
  }
}

const options = { redact: false } as const;

describe("laws of exchanges", () => {
  it("replaying a recording gives every answer to its request, once, in any order", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(request, reply), { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        (pairs, isBackwards) => {
          const cassette = parseCassette(formatCassette(recordExchanges(pairs, options)));
          const shelf = createShelf([{ file: "a", cassette, names: [] }], options);
          const left = pairs.map(([given, answered]) => ({ given, answered: meaning(answered) }));
          for (const { given } of isBackwards ? left.toReversed() : left) {
            const found = shelf.exchange(given);
            expect(left.map(({ answered }) => answered)).toContainEqual(found && meaning(found.answer));
          }
          if (pairs.length === 1) expect(shelf.exchange(pairs[0]?.[0] as PlainRequest)).toBeUndefined();
          expect(shelf.counts()[0]?.exchanges).toEqual({ total: pairs.length, used: pairs.length });
        },
      ),
    );
  });

  it("a changed value of a JSON body misses, and the pointer leads to it", () => {
    fc.assert(
      fc.property(jsonObject, jsonObject, (recorded, now) => {
        fc.pre(canonicalize(recorded) !== canonicalize(now));
        const cassette = recordExchanges([[post("/v1/embeddings", recorded), answer({})]], options);
        const shelf = createShelf([{ file: "a", cassette, names: [] }], options);
        expect(shelf.exchange(post("/v1/embeddings", now))).toBeUndefined();
        const { code, pointer = "" } = shelf.exchangeMiss(post("/v1/embeddings", now));
        expect([code, pointer.startsWith("/request/json")]).toEqual(["exchange-changed", true]);
        const place = pointer.slice("/request/json".length);
        const sides = [recorded, now].map((value) => valueAt(value, place));
        expect(new Set(sides.map((side) => (side === undefined ? "absent" : canonicalize(side)))).size).toBe(2);
        expect(shelf.exchange(post("/v1/embeddings", recorded))).toBeDefined();
      }),
    );
  });

  it("a changed exchange does not load", () => {
    fc.assert(
      fc.property(request, reply, (given, answered) => {
        const cassette = recordExchanges([[given, answered]], options);
        const changed = draft(cassette);
        const [exchange] = changed.extensions?.exchanges ?? [];
        if (exchange !== undefined) exchange.status = exchange.status === 200 ? 201 : 200;
        expect(() => parseCassette(formatCassette(changed))).toThrow(/envelope/);
      }),
      { numRuns: 20 },
    );
  });
});
