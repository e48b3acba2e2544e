/** What this machine lacks, or undefined. */
export declare const missing: Readonly<Record<"postgres" | "redis" | "restate", string | undefined>>;

export interface Postgres {
  /** The connection string over TCP, and over a socket of the system. */
  readonly url: string;
  readonly socketUrl: string;
  /** Runs SQL as the superuser. */
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** A schema name that nobody else uses. */
  schema(): string;
  /** Stops the server at once, as if the machine had failed. */
  crash(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}
export declare const UNFLUSHED: readonly string[];
/** Without settings, each commit is flushed to the disk. */
export declare function startPostgres(root: string, settings?: readonly string[]): Promise<Postgres>;

export interface RedisServer {
  /** The connection string. */
  readonly url: string;
  /** Runs a command, such as `FLUSHALL`. */
  command(name: string, ...args: string[]): Promise<unknown>;
  /** Kills the server, which keeps nothing. */
  kill(): Promise<void>;
  start(): Promise<void>;
}
export declare function startRedis(root: string): Promise<RedisServer>;

export interface Restate {
  /** Where clients call services, and where an administrator makes them known. */
  readonly places: { readonly ingress: string; readonly admin: string };
  kill(): Promise<void>;
  start(): Promise<void>;
}
export declare function startRestate(root: string): Promise<Restate>;
