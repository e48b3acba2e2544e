// Checks that the floors do the work they are timed for. Each is compared with the package: same result, same hashes.
// test/bench.test.ts runs it. Prints how many it checked.

import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { canonicalize, hashJson } from "../../.playhead/modules/core/index.js";
import {
  cassetteProvider,
  formatCassette,
  hashPrompt,
  parseCassette,
  parseImport,
  trajectoryDistance,
} from "../../.playhead/modules/cassette/index.js";
import { all, callsOf, few, keysOf, many, runOf } from "../diff.mjs";
import { createLog } from "../import.mjs";
import { createExchanges } from "../replay.mjs";
import { runPlayhead, runRecording, SIGNING_KEY } from "../turn-loop-ways.mjs";
import { add, assertWork, createConversation, createDocument, createModel, GOAL, SYSTEM } from "../workload.mjs";
import { canonical, growingHash, naiveHash } from "./canonical.mjs";
import { createReplay, hashEnvelope, importLines, verifyText } from "./cassette.mjs";
import { editDistance, normalDistance } from "./distance.mjs";
import { bareLoop, guardedLoop, hashedLoop, replayedLoop, signedLoop } from "./loop.mjs";

const SHAPES = [
  [1, 1],
  [7, 1],
  [20, 3],
];

const checks = {
  async "the loops do the same work"() {
    for (const [turns, calls] of SHAPES) {
      const model = () => createModel(turns, calls);
      assertWork(await bareLoop(model(), add, SYSTEM, GOAL), turns, calls);
      assertWork(await guardedLoop(model(), add, SYSTEM, GOAL), turns, calls);
      const ours = await runPlayhead(model(), turns);
      assertWork(ours, turns, calls);
      const floor = await guardedLoop(model(), add, SYSTEM, GOAL);
      assert.equal(canonicalize(floor.messages), canonicalize(ours.messages));
    }
    assert.throws(() => assertWork({ finalAnswer: "done", messages: [] }, 3), /did not do its work/);
  },
  async "the hashed loop has the hashes of a recording"() {
    for (const [turns, calls] of SHAPES) {
      const { cassette } = await runRecording(turns, calls);
      const { entries, envelopeHash, ...head } = cassette;
      const floor = await hashedLoop(createModel(turns, calls), add, SYSTEM, GOAL, head);
      const hashed = ({ promptHash, response, responseHash }) => canonicalize({ promptHash, response, responseHash });
      assert.deepEqual(floor.entries.map(hashed), entries.map(hashed));
      assert.equal(floor.envelopeHash, envelopeHash);
      assert.equal(hashEnvelope(cassette), cassette.envelopeHash);
    }
  },
  async "the replayed loop answers from a recording, and not from a changed one"() {
    for (const [turns, calls] of SHAPES) {
      const { cassette } = await runRecording(turns, calls);
      assertWork(await replayedLoop(cassette, add, SYSTEM, GOAL), turns, calls);
      const changed = JSON.parse(JSON.stringify(cassette));
      changed.entries.at(-1).response.usage.inputTokens++;
      await assert.rejects(replayedLoop(changed, add, SYSTEM, GOAL), /was changed/);
      assert.throws(() => cassetteProvider(changed), /was changed/);
    }
  },
  async "the signed loop has as many receipts as ours, each signed and chained"() {
    const { privateKey } = generateKeyPairSync("ed25519");
    for (const [turns, calls] of SHAPES) {
      const floor = await signedLoop(createModel(turns, calls), add, SYSTEM, GOAL, privateKey);
      assertWork(floor, turns, calls);
      let count = 0;
      await runPlayhead(createModel(turns, calls), turns, { signingKey: SIGNING_KEY, onReceipt: () => count++ });
      assert.equal(floor.receipts.length, count);
      for (const [index, { sig, ...unsigned }] of floor.receipts.entries()) {
        const text = Buffer.from(canonical(unsigned));
        assert.ok(verify(null, text, createPublicKey(privateKey), Buffer.from(sig, "base64")));
        assert.equal(unsigned.parentSig, floor.receipts[index - 1]?.sig ?? null);
      }
    }
  },
  async "canonical text and the hashes of a growing conversation"() {
    for (const value of [createDocument(2_000), createDocument(2_000, true), { b: [1.5, null, -0], a: { é: "\n" } }]) {
      assert.equal(canonical(value), canonicalize(value));
    }
    const conversation = createConversation(8);
    const [growing, naive] = [growingHash(), naiveHash()];
    for (let length = 2; length <= conversation.length; length += 2) {
      const prompt = conversation.slice(0, length);
      const wanted = hashJson(prompt);
      assert.equal(growing(prompt), wanted);
      assert.equal(naive(prompt), wanted);
      assert.equal(hashPrompt(prompt), wanted);
    }
  },
  async "verifying takes a cassette and refuses a changed one"() {
    const { cassette } = await runRecording(12, 2);
    const text = formatCassette(cassette);
    assert.equal(canonicalize(verifyText(text)), canonicalize(parseCassette(text)));
    for (const [from, to] of [
      ["call_3_1", "call_3_9"],
      [`"inputTokens": 100`, `"inputTokens": 101`],
      [`"recordedProvider": "`, `"recordedProvider": "x`],
    ]) {
      const changed = text.replace(from, to);
      assert.notEqual(changed, text);
      assert.throws(() => verifyText(changed), /was changed/);
      assert.throws(() => parseCassette(changed));
    }
  },
  async "replaying gives a fresh, verified answer to the request alone"() {
    const exchanges = createExchanges(3);
    const answer = createReplay(exchanges);
    for (const { messages, response } of exchanges) {
      assert.deepEqual(await answer(messages), response);
      assert.notEqual(await answer(messages), await answer(messages));
    }
    await assert.rejects(answer([{ role: "user", content: "else" }]), /no recording fits/);
  },
  async "importing hashes the same prompts"() {
    const text = createLog(3, 6);
    const options = { source: "log", recordedAt: "2026-01-01T00:00:00.000Z", model: "bench" };
    const ours = [];
    for await (const { cassette } of parseImport(text, options)) {
      ours.push(cassette.entries.map((entry) => entry.promptHash));
    }
    assert.deepEqual(importLines(text), ours);
    assert.deepEqual(
      ours.map((hashes) => hashes.length),
      [6, 6, 6],
    );
  },
  async "the distance is that of the whole table, and ours"() {
    for (const length of [10, 37]) {
      const calls = callsOf(length);
      for (const change of [few, many, all]) {
        const [old, now] = [runOf(calls), runOf(change(calls))];
        const keys = [keysOf(old), keysOf(now)];
        assert.equal(editDistance(...keys), wholeTable(...keys));
        assert.ok(Math.abs(normalDistance(...keys) - trajectoryDistance(old, now)) < 1e-12);
      }
    }
    assert.equal(editDistance([], ["a", "b"]), 2);
    assert.equal(editDistance(["a"], ["a"]), 0);
  },
};

function wholeTable(old, now) {
  let before = Array.from({ length: now.length + 1 }, (_, index) => index);
  for (const [line, key] of old.entries()) {
    const row = [line + 1];
    for (const [at, other] of now.entries()) {
      row.push(Math.min(before[at] + (key === other ? 0 : 1), before[at + 1] + 1, row[at] + 1));
    }
    before = row;
  }
  return before[now.length];
}

for (const [name, check] of Object.entries(checks)) {
  try {
    await check();
  } catch (error) {
    console.error(`${name}:`);
    throw error;
  }
}
console.log(`${Object.keys(checks).length} floors hold`);
