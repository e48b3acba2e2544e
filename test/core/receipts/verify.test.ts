import { describe, expect, it } from "vitest";
import { canonicalize } from "../../../src/core/canon/json.js";
import { createSigner } from "../../../src/core/canon/signature.js";
import { MAX_RECEIPT_FINDINGS } from "../../../src/core/limits.js";
import { receiptMessage, type Receipt } from "../../../src/core/receipts/receipt.js";
import { verifyReceipts } from "../../../src/core/receipts/verify.js";
import { fileOf, lineOf, makeChain, otherSeed, publicKey, seed } from "../../support/receipts.js";
import { refusal } from "../../support/refusal.js";

const chain = await makeChain(6);
const other = await makeChain(6);
const foreign = await makeChain(6, { key: otherSeed });
const otherKey = createSigner(otherSeed).publicKey;

const at = (index: number): Receipt => chain[index] as Receipt;

/** The findings as `line kind`. */
function found(input: string | Uint8Array | readonly unknown[], key: Uint8Array = publicKey): string[] {
  const verdict = verifyReceipts(input, key);
  return verdict.kind === "broken" ? verdict.findings.map(({ line, kind }) => `${line} ${kind}`) : [verdict.kind];
}

/** What the owner of the key can sign besides. */
function signed(change: Partial<Receipt>, base: Receipt): Receipt {
  const { sig: _sig, ...unsigned } = { ...base, ...change };
  const sig = Buffer.from(createSigner(seed).sign(receiptMessage(unsigned))).toString("base64");
  return JSON.parse(canonicalize({ ...unsigned, sig })) as Receipt;
}

describe("verifyReceipts of a whole chain", () => {
  it.each<[string, string | Uint8Array | readonly unknown[]]>([
    ["a file's text", fileOf(chain)],
    ["a file's bytes", Buffer.from(fileOf(chain))],
    ["a list of receipts", chain],
    ["a list of lines", chain.map(lineOf)],
    ["a file without its last line break", fileOf(chain).trimEnd()],
  ])("PLK-07 says of %s what holds", (_name, input) => {
    expect(verifyReceipts(input, publicKey)).toEqual({
      ...{
        kind: "ok",
        receipts: 7,
        complete: true,
        openCalls: 0,
        chainId: at(0).chainId,
        head: at(6).sig,
        keyId: at(0).keyId,
      },
      ...{ runs: ["ab".repeat(16)], agents: ["ann"], chain },
    });
  });

  it("PLK-92 is complete only where each tool call of a turn has its receipt, in chains that report prompts", () => {
    const body = { kind: "turn", responseHash: null, stopReason: "toolUse", toolCalls: 2 } as const;
    const call = { kind: "tool", callId: "c", tool: "t", argumentsHash: null, outcome: "ok" } as const;
    const make = (turn: Receipt["body"], calls: number): Receipt[] => {
      const receipts: Receipt[] = [];
      const bodies = [turn, ...Array<Receipt["body"]>(calls).fill(call), { kind: "end", receipts: calls + 1 } as const];
      for (const [seq, next] of bodies.entries()) {
        receipts.push(signed({ seq, body: next, parentSig: receipts.at(-1)?.sig ?? null, turnIndex: 0 }, at(0)));
      }
      return receipts;
    };
    const verdictOf = (turn: Receipt["body"], calls: number) => verifyReceipts(make(turn, calls), publicKey);
    const told = { ...body, promptHash: null };
    expect(verdictOf(told, 2)).toMatchObject({ kind: "ok", complete: true, openCalls: 0 });
    expect(verdictOf(told, 1)).toMatchObject({ kind: "ok", complete: false, openCalls: 1 });
    expect(verdictOf(told, 0)).toMatchObject({ kind: "ok", complete: false, openCalls: 2 });
    expect(verdictOf(body, 1)).toMatchObject({ kind: "ok", complete: true, openCalls: 0 });
  });

  it("takes the public key in any of its spellings, and refuses an invalid one", () => {
    expect(verifyReceipts(chain, Buffer.from(publicKey).toString("hex"))).toMatchObject({ kind: "ok" });
    expect(refusal(() => verifyReceipts(chain, "key"))).toMatchObject({ code: "invalid-options" });
  });

  it.each([null, undefined, 5, {}, Promise.resolve("")])("refuses %j in place of receipts", (input) => {
    const wrong = refusal(() => verifyReceipts(input as unknown as string, publicKey));
    expect(wrong).toMatchObject({
      code: "invalid-options",
      message: expect.stringMatching(/, not receipts/) as string,
    });
  });

  it("says that a chain without its end may have lost its tail", () => {
    expect(verifyReceipts(chain.slice(0, 4), publicKey)).toMatchObject({ kind: "ok", receipts: 4, complete: false });
  });

  it("does not pass nothing", () => {
    for (const input of ["", new Uint8Array(), []]) {
      expect(verifyReceipts(input, publicKey)).toEqual({ kind: "empty", keyId: at(0).keyId });
    }
  });
});

describe("verifyReceipts of a broken chain", () => {
  it("finds one that was edited, and blames no other", () => {
    const edited = { ...at(2), body: { ...at(2).body, responseHash: "0".repeat(64) } };
    expect(found(chain.with(2, edited as Receipt))).toEqual(["3 edited"]);
  });

  it("finds a line that was written differently, though it says the same", () => {
    const lines = chain.map(lineOf);
    const reordered = JSON.stringify(Object.fromEntries(Object.entries(at(1)).toReversed()));
    const doubled = lineOf(at(1)).replace('{"agentId"', '{"agentId":"eve","agentId"');
    const sig = at(1).sig.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    for (const line of [` ${lines[1] ?? ""}`, `${lines[1] ?? ""}\r`, reordered, doubled, lineOf({ ...at(1), sig })]) {
      expect(found(lines.with(1, line))).toEqual(["2 edited"]);
    }
  });

  it.each<[string, Receipt[], string[]]>([
    ["removed", chain.toSpliced(2, 1), ["3 removed"]],
    ["three removed in a row", chain.toSpliced(1, 3), ["2 removed"]],
    ["the head removed", chain.slice(2), ["1 removed"]],
    ["all removed but the end", chain.slice(6), ["1 removed"]],
    ["two swapped", [at(0), at(2), at(1), ...chain.slice(3)], ["2 reordered"]],
    ["the first moved to the end", [...chain.slice(1), at(0)], ["7 reordered"]],
    ["the end moved to the front", [at(6), ...chain.slice(0, 6)], ["1 reordered"]],
    ["one doubled", chain.toSpliced(3, 0, at(2)), ["4 reordered"]],
    ["one replaced by its neighbour", chain.with(3, at(2)), ["4 reordered", "5 removed"]],
    ["one of another chain put in", chain.toSpliced(3, 0, other[3] as Receipt), ["4 second-chain"]],
    ["one of another chain in its place", chain.with(3, other[3] as Receipt), ["4 second-chain", "5 removed"]],
    ["one of another key in its place", chain.with(3, foreign[3] as Receipt), ["4 foreign-key"]],
  ])("finds %s", (_name, receipts, expected) => {
    expect(found(receipts)).toEqual(expected);
    expect(found(fileOf(receipts))).toEqual(expected);
  });

  it("names another key for every line, with both ids", () => {
    expect(found(chain, otherKey)).toEqual(chain.map((_, index) => `${index + 1} foreign-key`));
    expect(verifyReceipts(chain, otherKey)).toMatchObject({
      ...{ receipts: 0 },
      findings: expect.arrayContaining([
        expect.objectContaining({
          text: `it names the key ${at(0).keyId}, not ${foreign[0]?.keyId ?? ""}`,
        }) as object,
      ]) as object[],
    });
  });

  it("PLK-07 finds what the owner of the key itself has forked, and what was written after the end", () => {
    const twin = signed({ agentId: "bob" }, at(2));
    const headless = signed({ parentSig: at(4).sig }, at(0));
    const late = signed({ seq: 7, parentSig: at(6).sig, body: at(1).body }, at(6));
    const wrongEnd = signed({ body: { kind: "end", receipts: 9 } }, at(6));
    expect(found(chain.toSpliced(3, 0, twin))).toEqual(["4 forked"]);
    expect(found(chain.with(2, twin))).toEqual(["4 forked"]);
    expect(found(chain.with(0, headless))).toEqual(["1 forked", "2 forked"]);
    expect(found([...chain, late])).toEqual(["8 after-end"]);
    expect(found(chain.with(6, wrongEnd))).toEqual(["7 removed"]);
  });

  it("finds a last line that a crash has torn, and counts what stands before it", () => {
    const text = fileOf(chain);
    const from = text.length - lineOf(at(6)).length - 1;
    for (const cut of [from + 1, from + 50, text.length - 2]) {
      const verdict = verifyReceipts(text.slice(0, cut), publicKey);
      expect(verdict).toMatchObject({ kind: "broken", receipts: 6, findings: [{ kind: "torn-tail", line: 7 }] });
    }
    expect(found("{")).toEqual(["1 torn-tail"]);
  });

  it("takes a last line for torn only where it begins as a receipt does and ends in the middle", () => {
    const newer = lineOf({ ...at(2), version: 2 } as unknown as Receipt);
    for (const last of ["hello", '{"agent":"a', newer]) {
      expect(found(fileOf(chain.slice(0, 2)) + last)).toEqual(["3 not-a-receipt"]);
    }
  });

  it("says where line ends were converted, as by a version control system", () => {
    const verdict = verifyReceipts(fileOf(chain).replaceAll("\n", "\r\n"), publicKey);
    expect(verdict).toMatchObject({ kind: "broken", receipts: 0 });
    const text = "its line end was changed from LF to CR LF";
    const findings = verdict.kind === "broken" ? verdict.findings : [];
    expect(findings.map((finding) => [finding.kind, finding.text])).toEqual(chain.map(() => ["edited", text]));
  });

  it("finds a hole in a list, and a value that cannot be read", () => {
    const holed: unknown[] = [...chain];
    delete holed[2];
    expect(found(holed)).toEqual(["3 not-a-receipt"]);
    const unreadable = new Proxy(at(2), {
      getPrototypeOf() {
        throw new Error("no");
      },
    });
    expect(found(chain.with(2, unreadable))).toEqual(["3 not-a-receipt"]);
  });

  it("reads a value once, so that what was checked is what is given back", () => {
    let reads = 0;
    const twoFaced = Object.defineProperty({ ...at(2) }, "runId", {
      enumerable: true,
      get: () => (reads++ === 0 ? at(2).runId : "another"),
    });
    const verdict = verifyReceipts(chain.with(2, twoFaced), publicKey);
    expect(verdict).toMatchObject({ kind: "ok", runs: [at(2).runId], chain });
  });

  it("finds a torn line that has others behind it, which no crash leaves", () => {
    expect(
      found(
        chain
          .map(lineOf)
          .with(2, lineOf(at(2)).slice(0, 40))
          .join("\n") + "\n",
      ),
    ).toEqual(["3 not-a-receipt"]);
  });

  it.each<[string, unknown]>([
    ["nothing", ""],
    ["no JSON", "hello"],
    ["a list", "[]"],
    ["null", null],
    ["an object of another kind", "{}"],
    ["a newer version", lineOf({ ...at(2), version: 2 } as unknown as Receipt)],
    ["a fraction of a place", lineOf({ ...at(2), seq: 1.5 })],
    ["JSON nested without end", "[".repeat(100_000)],
    ["a value that is not JSON", { ...at(2), runId: "\ud800" }],
    ["a number of another world", { ...at(2), body: { kind: "turn", n: 1n } }],
  ])("finds a line that holds %s", (_name, line) => {
    expect(found([...chain.slice(0, 2), line, ...chain.slice(3)])).toEqual(["3 not-a-receipt"]);
  });

  it("names the line whose bytes are not UTF-8, and a byte-order mark", () => {
    const lines = chain.map((receipt) => Buffer.from(`${lineOf(receipt)}\n`));
    lines[3] = Buffer.concat([Buffer.from([0xff]), lines[3] as Buffer]);
    expect(found(Buffer.concat(lines))).toEqual(["4 not-a-receipt"]);
    expect(found(Buffer.from(`\uFEFF${fileOf(chain)}`))).toEqual(["1 not-a-receipt"]);
  });

  it("lists so many findings and counts the others", () => {
    const verdict = verifyReceipts(new Array(MAX_RECEIPT_FINDINGS + 5).fill("x"), publicKey);
    expect(verdict).toMatchObject({ kind: "broken", more: 5 });
    expect(verdict.kind === "broken" && verdict.findings).toHaveLength(MAX_RECEIPT_FINDINGS);
  });

  it("takes a place that is far away for what it is", () => {
    const far = signed({ seq: Number.MAX_SAFE_INTEGER }, at(5));
    expect(verifyReceipts([at(0), far], publicKey)).toMatchObject({
      findings: [{ kind: "removed", line: 2, text: expect.stringContaining("9007199254740990 receipts") as string }],
    });
  });
});

describe("every bit of a file of receipts", () => {
  it("counts: one that is flipped is found, and on its line", () => {
    const bytes = Buffer.from(fileOf(chain.slice(0, 2)));
    const breaks = [bytes.indexOf(10)];
    for (let offset = 0; offset < bytes.length - 1; offset++) {
      const bit = 1 << (offset % 8);
      const flipped = Buffer.from(bytes);
      flipped.writeUInt8(flipped.readUInt8(offset) ^ bit, offset);
      const line = breaks.filter((at) => at < offset).length + 1;
      const verdict = verifyReceipts(flipped, publicKey);
      if (verdict.kind !== "broken") throw new Error(`bit ${bit} of byte ${offset} was not noticed`);
      expect(verdict.findings[0]?.line).toBe(line);
    }
  });
});
