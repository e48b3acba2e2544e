// The part of `pg` that a host uses, as structural types. So nothing here imports the package, and other clients fit too.

/** The result of a query. */
export interface PgResult {
  readonly rows: Record<string, unknown>[];
  readonly rowCount: number | null;
  readonly command?: string;
  readonly fields?: readonly { readonly name: string; readonly dataTypeID: number }[];
}

/** Runs statements with parameters `$1`, `$2` and so on. */
export interface PgQuery {
  query(text: string, values?: unknown[]): Promise<PgResult>;
}

/** A statement with a name stays prepared on its connection, so the server parses and plans it once. Only for connections of `pg` itself. */
export function queryPrepared(
  client: PgQuery,
  statement: {
    readonly name: string;
    readonly text: string;
    readonly values: unknown[];
    /** The time limit of `pg` in ms. */
    readonly query_timeout?: number;
  },
): Promise<PgResult> {
  return (client as unknown as { query(statement: object): Promise<PgResult> }).query(statement);
}

/** A connection of a pool, or a dedicated one. `release` with an error closes it. */
export interface PgClient extends PgQuery {
  release(error?: Error | boolean): void;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  on(event: "notification", listener: (message: { readonly payload?: string | undefined }) => void): unknown;
}

/** A pool of connections, such as the `Pool` of `pg`. */
export interface PgPool extends PgQuery {
  connect(): Promise<PgClient>;
  on?(event: "error", listener: (error: Error) => void): unknown;
  readonly options?: { readonly max?: number };
}

/** The connections to one database. */
export interface PgConnections {
  readonly pool: PgPool;
  /**
   * Opens a dedicated connection, for the life lock and for wake-ups. A pooler that shares connections between transactions cannot
   * provide one. Without it, the death of a process is found only when its leases expire.
   */
  readonly dedicated?: () => Promise<PgClient>;
}

/** The result of the last statement. A client returns one result for each statement of a text. */
export function lastOf(result: PgResult | readonly PgResult[]): PgResult {
  return Array.isArray(result) ? (result.at(-1) as PgResult) : (result as PgResult);
}
