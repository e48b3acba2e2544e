import { postgresFleetStore } from "../../../src/host/postgres/fleet.js";
import { describeFleetKills, fleetMachines } from "../../support/fleet-machines.js";
import { describeProcesses, hostProcesses } from "../../support/host-processes.js";
import { postgresHosts } from "../../support/postgres-host.js";
import { describePostgres } from "../../support/servers.js";

describePostgres("on PostgreSQL", (server) => {
  const environment = () => ({ PLAYHEAD_TEST_DATABASE: server.url });
  describeProcesses(postgresHosts(server), hostProcesses("postgres.js", environment));

  // Life locks count once the server has run for 15 seconds, so this comes after the tests above.
  describeFleetKills(fleetMachines("host/postgres/index.js", environment), async () => {
    const schema = server.schema();
    const store = await postgresFleetStore(server.url, { schema });
    await server.sql(`CREATE TABLE "${schema}".noted (target BYTEA, taken_at BIGINT);
      CREATE FUNCTION "${schema}".note() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO "${schema}".noted VALUES (new.target_hash, new.taken_at); RETURN new; END';
      CREATE TRIGGER note AFTER INSERT ON "${schema}".fleet_tokens FOR EACH ROW EXECUTE FUNCTION "${schema}".note();`);
    const tokens = async () =>
      (await server.sql(`SELECT encode(target, 'hex') AS target, taken_at FROM "${schema}".noted`)).map((row) => ({
        target: String(row["target"]),
        takenAt: Number(row["taken_at"]),
      }));
    return { place: schema, store, tokens };
  });
});
