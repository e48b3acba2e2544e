// A tool of `exactlyOnce` moves money between two rows, and its process dies before or after each statement in turn. The
// call is then repeated with the same key. The sum stays, and each key has one booking.

import { bankOf } from "./tools.mjs";
import { createProcesses } from "./processes.mjs";
import { openStore } from "./store.mjs";

/** A transaction has fewer statements. */
const STATEMENTS = 10;
/** Between the two rows. */
const FIRST = 4;
const CENTS = 1_000_000;

export const transfers = {
  name: "transfers",
  engines: ["postgres"],
  break: "loose",
  async run({ place, ledger, rounds, broken, servers }) {
    const found = { rounds, points: 0, lost: 0, torn: 0, twice: 0, problems: [] };
    const { sql } = servers.postgres;
    const bank = bankOf(place.schema);
    // Its tables must exist.
    const { host } = await openStore(place);
    await sql(`CREATE TABLE ${bank}_accounts (name TEXT PRIMARY KEY, cents INT);
      CREATE TABLE ${bank}_bookings (cents INT);
      INSERT INTO ${bank}_accounts VALUES ('ann', ${CENTS}), ('ben', 0)`);
    const processes = createProcesses(place, ledger);
    try {
      for (let round = 0; round < rounds; round++) {
        const dies = { at: 1 + ((round + FIRST) % STATEMENTS), isAfter: round % (2 * STATEMENTS) >= STATEMENTS };
        const call = { key: `run:${round}`, broken };
        const first = processes.start("transfer", { ...call, dies });
        const [code] = await first.ended;
        if (code !== 0) found.points += 1;
        await processes.start("transfer", call).hears("transferred");
        const [{ sum, ben }] = await sql(
          `SELECT sum(cents)::int AS sum, max(cents) FILTER (WHERE name = 'ben') AS ben FROM ${bank}_accounts`,
        );
        const [{ bookings }] = await sql(`SELECT count(*)::int AS bookings FROM ${bank}_bookings`);
        const done = round + 1;
        if (sum !== CENTS) found.torn += 1;
        if (bookings !== done || ben !== done) found[Math.min(bookings, ben) < done ? "lost" : "twice"] += 1;
        if (sum === CENTS && bookings === done && ben === done) continue;
        const died = `a process that died ${dies.isAfter ? "after" : "before"} statement ${dies.at}`;
        found.problems.push(`${died} left a sum of ${sum}, ${bookings} bookings and ${ben} moved of ${done}`);
        break;
      }
      return { ...found, note: `${found.points} processes died` };
    } finally {
      await processes.killAll();
      await host.close();
    }
  },
};
