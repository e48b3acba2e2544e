// What a session knows of its subagents: their sessions, and each background job with what its model has learnt of it. It is part of the
// snapshot, so it changes and rolls back with the conversation.

import { isPlainObject, type JsonValue } from "../../canon/value.js";
import { defined } from "../../defined.js";
import { AgentError } from "../../errors.js";
import { MAX_ACTIVE_JOBS, MAX_CHILD_SESSIONS, MAX_KNOWN_JOBS } from "../../limits.js";
import type { JobStatus } from "../event.js";

/** `running`: the model has not learnt of the end. `told`: it knows the status. `retrieved`: it has read the result. */
export type Learnt = "running" | "told" | "retrieved" | "cancelled";

export interface KnownJob {
  readonly id: string;
  readonly subagent: string;
  /** The public id of the call that launched the job. */
  readonly call: string;
  /** The number of the turn that launched the job. Jobs of one turn are a group. */
  readonly group: number;
  readonly key: string;
  readonly description?: string;
  readonly learnt: Learnt;
  /** As the model knows it. */
  readonly status: JobStatus;
  /** The call that retrieved the result. If it runs again after a crash, it gets the result again. */
  readonly by?: string;
}

const LEARNT: readonly unknown[] = ["running", "told", "retrieved", "cancelled"];
const STATUSES: readonly unknown[] = ["running", "completed", "aborted", "cancelled", "error"];

export class Book {
  /** The sessions of subagents that last: the subagent of each key. */
  readonly keys: Map<string, string>;
  /** In the order of their launch. */
  readonly #jobs: Map<string, KnownJob>;

  constructor(keys: Iterable<readonly [string, string]> = [], jobs: Iterable<KnownJob> = []) {
    this.keys = new Map(keys);
    this.#jobs = new Map(Array.from(jobs, (job) => [job.id, job]));
  }

  /** Throws `AgentError` `store-failed` for anything but what `toJson` gives. */
  static read(children: JsonValue | undefined): Book {
    if (children === undefined) return new Book();
    const { keys, jobs } = isPlainObject(children) ? (children as { keys?: JsonValue; jobs?: JsonValue }) : {};
    if (!isPlainObject(keys) || !Object.values(keys).every((name) => typeof name === "string")) throw unsupported();
    if (!Array.isArray(jobs) || !jobs.every(isJob)) throw unsupported();
    return new Book(Object.entries(keys) as [string, string][], jobs as unknown as KnownJob[]);
  }

  toJson(): JsonValue | undefined {
    if (this.keys.size === 0 && this.#jobs.size === 0) return undefined;
    return { keys: Object.fromEntries(this.keys), jobs: [...this.#jobs.values()] as unknown as JsonValue };
  }

  copy(): Book {
    return new Book(this.keys, this.#jobs.values());
  }

  get jobs(): readonly KnownJob[] {
    return [...this.#jobs.values()];
  }

  get running(): readonly KnownJob[] {
    return this.jobs.filter(({ learnt }) => learnt === "running");
  }

  job(id: string): KnownJob | undefined {
    return this.#jobs.get(id);
  }

  /** True: no job more may be launched. */
  get isFull(): boolean {
    return this.running.length >= MAX_ACTIVE_JOBS;
  }

  add(job: Omit<KnownJob, "learnt" | "status">): void {
    this.#jobs.set(job.id, { ...job, learnt: "running", status: "running" });
    if (this.#jobs.size <= MAX_KNOWN_JOBS) return;
    const oldest = this.jobs.find(({ learnt }) => learnt !== "running");
    if (oldest !== undefined) this.#jobs.delete(oldest.id);
  }

  /** Notes the session of a subagent. False: there are too many. */
  addKey(key: string, subagent: string): boolean {
    if (!this.keys.has(key) && this.keys.size >= MAX_CHILD_SESSIONS) return false;
    this.keys.set(key, subagent);
    return true;
  }

  learn(id: string, learnt: Learnt, status: JobStatus, by?: string): void {
    const job = this.#jobs.get(id);
    if (job !== undefined) this.#jobs.set(id, { ...job, learnt, status, ...defined({ by }) });
  }

  isRunning(id: string): boolean {
    return this.#jobs.get(id)?.learnt === "running";
  }
}

function isJob(job: unknown): boolean {
  if (!isPlainObject(job)) return false;
  const { id, subagent, call, group, key, description = "", learnt, status } = job;
  const areTexts = [id, subagent, call, key, description].every((text) => typeof text === "string");
  return areTexts && Number.isSafeInteger(group) && LEARNT.includes(learnt) && STATUSES.includes(status);
}

function unsupported(): AgentError {
  return new AgentError("store-failed", "Unsupported stored session state: its children are not those of subagents", {
    hint: "Use the session with the version of Playhead that stored it, or delete the session.",
  });
}
