// Three members, each with its own identity and key, work on four targets. The fleet is limited in parallel work,
// reports progress, and signs one chain of receipts for each member. The models are scripts, so you can run it as it
// is.
import { randomBytes } from "node:crypto";
import { createRuntime, createSigner, scriptedProvider, verifyReceipts } from "playhead";
import { createFleet } from "playhead/host";

const says = (text) => ({ message: { role: "assistant", content: text }, finalAnswer: text, stopReason: "stop" });
const targets = ["oslo", "bergen", "tromso", "rott"].map((id) => ({ id, goal: `Is the light of ${id} on?` }));

const members = ["ann", "bob", "cem"].map((id) => {
  const { publicKey, sign } = createSigner(randomBytes(32));
  const receipts = [];
  const runtime = createRuntime({
    agents: [
      { id, systemPrompt: `You are ${id}.`, provider: scriptedProvider(targets.map(() => says(`${id} sees it.`))) },
    ],
    signingKey: { publicKey, sign },
    onReceipt: (receipt) => receipts.push(receipt),
  });
  return { id, runtime, receipts, publicKey };
});

const fleet = createFleet({
  members: members.map(({ id, runtime }) => ({ id, runtime })),
  concurrency: 2,
  rate: { perTarget: { calls: 10, perMs: 1000 } },
  breaker: { failures: 2, cooldownMs: 10_000 },
});
let reports = 0;
const { cells, counts } = await fleet.run({ targets, onProgress: () => (reports += 1) });
await fleet.destroy();

console.log(
  `${counts.done} of ${counts.total} done, ${reports >= counts.total ? "each reported" : "not all reported"}`,
);
for (const { member, target, status } of cells) console.log(`${member} ${target} ${status}`);
for (const { id, receipts, publicKey } of members) {
  const { kind, complete } = verifyReceipts(receipts, publicKey);
  console.log(`${id}: ${receipts.length} receipts, ${kind}, ${complete ? "complete" : "not complete"}`);
}
