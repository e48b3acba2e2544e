// A separate process that runs its part of a fleet, and prints one line of JSON for each run of a cell and for the end. Arguments: the
// modules of the fleet and of its store, the file or the schema of the store, and options as JSON.

import { createHash } from "node:crypto";
import { writeSync } from "node:fs";

const [fleetModule, storeModule, place, given] = process.argv.slice(2);
const { createFleet } = await import(fleetModule);
const { postgresFleetStore, sqliteFleetStore } = await import(storeModule);
const { members, targets, turns = 1, hangs, rate, concurrency, leaseMs = 3_000, pauseMs = 0 } = JSON.parse(given);

/** Unlike console.log it is written before the next line of this file, so a kill loses none. */
const say = (line) => writeSync(1, `${JSON.stringify(line)}\n`);
const database = process.env.PLAYHEAD_TEST_DATABASE;
const store =
  database === undefined
    ? await sqliteFleetStore(place, { leaseMs })
    : await postgresFleetStore(database, { schema: place, leaseMs });
const usage = { inputTokens: 1, outputTokens: 2 };
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const perCell =
  (member) =>
  ({ id, target, attempt, step }) => ({
    receipts: [],
    async run({ goal }) {
      say({ ran: `${member} ${target}`, attempt });
      let answer = "";
      for (let turn = 1; turn <= turns; turn++)
        answer = await step(`turn:${turn}`, async () => {
          say({ asked: `${member} ${target} ${turn}`, id });
          if (pauseMs > 0) await pause(pauseMs);
          return `answer to ${goal}`;
        });
      say({ stored: `${member} ${target}` });
      // The parent kills a process whose cells never end.
      if (hangs) await pause(600_000);
      return { agentId: member, finalAnswer: answer, turns, toolCalls: 0, usage };
    },
    destroy: async () => undefined,
  });

const fleet = createFleet({
  members: members.map((id) => ({ id, perCell: perCell(id) })),
  ...(rate === undefined ? {} : { rate: { perTarget: rate } }),
  ...(concurrency === undefined ? {} : { concurrency }),
  store,
});
const { cells, counts } = await fleet.run({ id: "job", targets: targets.map((id) => ({ id, goal: id })) });
say({ hash: createHash("sha256").update(JSON.stringify(cells)).digest("hex"), counts });
await fleet.destroy();
await store.close();
