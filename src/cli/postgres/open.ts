// The store of fleets in PostgreSQL, which only a job with such an address loads.

export { postgresFleetStore } from "../../host/postgres/index.js";
