// A separate process that runs its part of a fleet on PostgreSQL, and prints one line of JSON for each run of a cell and for the end.
// Arguments: the modules of the fleet and of its store, the schema, and options as JSON.

import { writeSync } from "node:fs";

const [fleetModule, postgresModule, schema, given] = process.argv.slice(2);
const { createFleet } = await import(fleetModule);
const { postgresFleetStore } = await import(postgresModule);
const { members, targets, hangs, rate } = JSON.parse(given);

/** Unlike console.log it is written before the next line of this file, so a kill loses none. */
const say = (line) => writeSync(1, `${JSON.stringify(line)}\n`);
const store = await postgresFleetStore(process.env.PLAYHEAD_TEST_DATABASE, { schema, leaseMs: 3_000 });
const usage = { inputTokens: 1, outputTokens: 2 };

const perCell =
  (member) =>
  ({ id, target, attempt, step }) => ({
    receipts: [],
    async run({ goal }) {
      say({ ran: `${member} ${target}`, attempt });
      const first = await step("turn:1", async () => {
        say({ asked: `${member} ${target}`, id });
        return `answer to ${goal}`;
      });
      say({ stored: `${member} ${target}` });
      // The parent kills a process whose cells never end.
      if (hangs) await new Promise((resolve) => setTimeout(resolve, 600_000));
      return { agentId: member, finalAnswer: first, turns: 1, toolCalls: 0, usage };
    },
    destroy: async () => undefined,
  });

const fleet = createFleet({
  members: members.map((id) => ({ id, perCell: perCell(id) })),
  ...(rate === undefined ? {} : { rate: { perTarget: rate } }),
  store,
});
const { cells, counts } = await fleet.run({ id: "job", targets: targets.map((id) => ({ id, goal: id })) });
say({ cells, counts });
await fleet.destroy();
await store.close();
