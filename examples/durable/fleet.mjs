// examples/durable/fleet.mjs
import { createRuntime } from "playhead";
import { journaled } from "playhead/execution";
import { createFleet } from "playhead/host";
import { postgresFleetStore } from "playhead/postgres";

/** In place of a provider: it takes a moment. */
const model = {
  async turn() {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const answer = "The light is on.";
    const usage = { inputTokens: 20, outputTokens: 5, costUsd: 0.001 };
    return { message: { role: "assistant", content: answer }, finalAnswer: answer, stopReason: "stop", usage };
  },
};

const member = (id) => ({
  id,
  perCell(cell) {
    const provider = journaled(cell.step, cell.id).provider(model);
    return createRuntime({ agents: [{ id, systemPrompt: `You are ${id}.`, provider }] });
  },
});

const store = await postgresFleetStore(process.env.DATABASE_URL);
const fleet = createFleet({
  members: ["ann", "bob"].map(member),
  rate: { perTarget: { calls: 10, perMs: 1_000 } }, // of all machines together
  store,
});
const { cells, counts } = await fleet.run({
  id: "lights", // the same on each machine, and new for each job
  targets: ["oslo", "bergen", "tromso"].map((id) => ({ id, goal: `Is the light of ${id} on?` })),
  limit: { costUsd: 5 },
});
console.log(`${counts.done} of ${counts.total} done`);
for (const { member, target, status } of cells) console.log(`${member} ${target} ${status}`);
await fleet.destroy();
await store.close();
