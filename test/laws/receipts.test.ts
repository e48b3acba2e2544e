// Laws of the chain of receipts: a chain as it was written verifies, and whatever is done to it after is found, at its place.

import fc from "fast-check";
import { expect, it } from "vitest";
import { createSigner } from "../../src/core/canon/signature.js";
import type { Receipt } from "../../src/core/receipts/receipt.js";
import { verifyReceipts } from "../../src/core/receipts/verify.js";
import { fileOf, makeChain, openChain, publicKey, seed } from "../support/receipts.js";
import { changesOf } from "../../src/harness/arbitraries/changes.js";
import type { JsonValue } from "../../src/core/index.js";

const chains = new Map<string, Promise<readonly Receipt[]>>();

/** Chains are made once a length, since making them is not what is tested. */
function chainOf(length: number, end: boolean): Promise<readonly Receipt[]> {
  const name = `${length} ${String(end)}`;
  const chain = chains.get(name) ?? makeChain(length, { end });
  chains.set(name, chain);
  return chain;
}

const length = fc.integer({ min: 2, max: 12 });

it("PLK-07 a chain verifies as it was written, as objects and as a file", async () => {
  await fc.assert(
    fc.asyncProperty(length, fc.boolean(), async (count, end) => {
      const chain = await chainOf(count, end);
      for (const input of [chain, fileOf(chain)]) {
        const expected = { kind: "ok", receipts: count + Number(end), complete: end };
        expect(verifyReceipts(input, publicKey)).toMatchObject(expected);
      }
    }),
  );
});

/** Each mutation gives the changed list and the lines one of which must be named; undefined where it changes nothing. */
type Mutation = (chain: readonly Receipt[], a: number, b: number) => { list: unknown[]; lines: number[] } | undefined;

const MUTATIONS: Record<string, Mutation> = {
  edit(chain, a, b) {
    const all = changesOf(chain[a] as unknown as JsonValue);
    return { list: chain.with(a, all[b % all.length]?.value as never), lines: [a + 1] };
  },
  // The tail is what nobody can miss.
  remove: (chain, a) => (a === chain.length - 1 ? undefined : { list: chain.toSpliced(a, 1), lines: [a + 1] }),
  removeMany(chain, a, b) {
    const [from, to] = [Math.min(a, b), Math.max(a, b)];
    return to === chain.length - 1 ? undefined : { list: chain.toSpliced(from, to - from + 1), lines: [from + 1] };
  },
  move(chain, a, b) {
    if (a === b) return undefined;
    const list = chain.toSpliced(a, 1).toSpliced(b, 0, chain[a] as Receipt);
    // A neighbour that changes places with it may be named in its stead.
    return { list, lines: [b + 1, ...(Math.abs(a - b) === 1 ? [a + 1] : [])] };
  },
  double: (chain, a, b) => ({ list: chain.toSpliced(b, 0, chain[a] as Receipt), lines: [b + 1, a + 1, a + 2] }),
  replace: (chain, a, b) => (a === b ? undefined : { list: chain.with(a, chain[b] as Receipt), lines: [a + 1, b + 1] }),
  insert: (chain, a) => ({ list: chain.toSpliced(a, 0, "garbage" as never), lines: [a + 1] }),
};

it("PLK-07 any edit, removal, move, copy or insertion is found, and on its line", async () => {
  const index = fc.nat({ max: 1_000_000 });
  await fc.assert(
    fc.asyncProperty(length, fc.constantFrom(...Object.keys(MUTATIONS)), index, index, async (count, name, a, b) => {
      const chain = await chainOf(count, true);
      const mutated = MUTATIONS[name]?.(chain, a % chain.length, name === "edit" ? b : b % chain.length);
      if (mutated === undefined) return;
      for (const input of [mutated.list, fileOf(mutated.list as Receipt[])]) {
        const verdict = verifyReceipts(input, publicKey);
        if (verdict.kind !== "broken") throw new Error(`${name} was not noticed`);
        expect(verdict.findings.some(({ line }) => mutated.lines.includes(line))).toBe(true);
      }
    }),
    { numRuns: 400 },
  );
});

it("any end cut off is a shorter chain that does not claim to be complete, or a torn line", async () => {
  await fc.assert(
    fc.asyncProperty(length, fc.nat({ max: 1_000_000 }), async (count, at) => {
      const text = fileOf(await chainOf(count, true));
      const cut = text.slice(0, 1 + (at % (text.length - 2)));
      const verdict = verifyReceipts(cut, publicKey);
      const whole = cut.split("\n").length - 1;
      if (verdict.kind === "ok") expect(verdict).toMatchObject({ complete: false });
      else
        expect(verdict).toMatchObject({
          kind: "broken",
          receipts: whole,
          findings: [{ kind: "torn-tail", line: whole + 1 }],
        });
    }),
  );
});

it("PLK-93 parallel runs never fork the chain, however long each signature takes", async () => {
  const own = createSigner(seed);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ run: fc.nat({ max: 3 }), waits: fc.nat({ max: 4 }), yields: fc.nat({ max: 3 }) }), {
        maxLength: 20,
      }),
      async (steps) => {
        const waits = steps.map((step) => step.waits);
        const sign = async (message: Uint8Array) => {
          for (let left = waits.shift() ?? 0; left > 0; left--) await Promise.resolve();
          return own.sign(message);
        };
        const { chain } = openChain({ key: { publicKey, sign } });
        for (const [seq, { run, yields }] of steps.entries()) {
          const place = { seq, at: 0, hlc: `${seq}`, runId: `${run}`, agentId: `a${run}`, turnIndex: seq };
          chain.tap({ type: "llm-turn", stopReason: "stop", toolCalls: 0, ...place }, undefined);
          for (let left = yields; left > 0; left--) await Promise.resolve();
        }
        await chain.close();
        expect(chain.receipts.slice(0, -1).map(({ turnIndex }) => turnIndex)).toEqual(steps.map((_, index) => index));
        expect(verifyReceipts(chain.receipts, publicKey)).toMatchObject({ kind: "ok", complete: true });
      },
    ),
  );
});
