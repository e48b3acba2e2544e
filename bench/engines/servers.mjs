// The servers of the benchmark. PostgreSQL flushes each commit, as it does by default.

import { startPostgres, startRedis, startRestate } from "../../scripts/servers.mjs";

/** Each value is where its server is, or undefined if the machine does not have it. `pids` are the processes of the servers. */
export async function openServers(folder) {
  const [postgres, redis, restate] = await Promise.all(
    [startPostgres, startRedis, startRestate].map((start) => start(folder).catch(ifMissing)),
  );
  return {
    ...{ postgres: postgres?.socketUrl, redis: redis?.port, restate: restate?.places },
    pids: { postgres: postgres?.pid(), redis: redis?.pid(), restate: restate?.pid() },
    async close() {
      await Promise.all([postgres?.stop(), redis?.kill(), restate?.kill()]);
    },
  };
}

/** A row says so if its server is missing on this machine. */
function ifMissing(error) {
  if (!error.message.startsWith("there is no ")) throw error;
}
