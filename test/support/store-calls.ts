// Random calls of the five ports for the laws of stores, and everything that can be read of a store.

import fc from "fast-check";
import type { ExecutionStore, ExecutionStorePorts, RunKind, RunRecord, RunStatus } from "../../src/core/index.js";

/** One call, with the words that a counterexample shows. */
export interface Call {
  readonly words: string;
  run(ports: ExecutionStorePorts, versions: Map<string, string>): Promise<unknown>;
}

export const OWNER = "agent";
export const SESSIONS = ["a", "b"];
const id = fc.constantFrom("r0", "r1", "r2", "r3");
const leaseId = fc.constantFrom("L0", "L0", "L1");
const ms = fc.constantFrom(0, 10, 20, 50);
const sessionKey = fc.constantFrom("a", "a", "b");
const status = fc.constantFrom<RunStatus>(
  "queued",
  "leased",
  "running",
  "suspended",
  "needs-recovery",
  "completed",
  "error",
);
const value = fc.constantFrom<null | { n: number } | string>(null, { n: 1 }, "text");

const call = (words: string, run: Call["run"]): Call => ({ words, run });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const given = <T extends object>(fields: T) =>
  JSON.parse(JSON.stringify(fields)) as { [Key in keyof T]?: NonNullable<T[Key]> };

const create = fc
  .record({
    runId: id,
    kind: fc.constantFrom<RunKind>("user-turn", "user-turn", "notification", "background-subagent"),
    sessionKey,
    parentRunId: maybe(id),
    parentSessionKey: maybe(sessionKey),
    dedupeKey: maybe(fc.constantFrom("d0", "d1")),
    publicTaskId: maybe(fc.constantFrom("bg_0", "bg_1")),
    groupId: maybe(id),
    input: maybe(value),
    hold: maybe(fc.record({ leaseId, leaseMs: ms })),
    readyAfterMs: maybe(ms),
  })
  .map(({ hold, readyAfterMs, ...run }) =>
    call(`create ${JSON.stringify({ ...run, hold, readyAfterMs })}`, ({ runs }) =>
      runs.create(
        { ...(given(run) as typeof run & object), ownerNamespace: OWNER, rootRunId: run.runId } as never,
        given({ hold, readyAfterMs }),
      ),
    ),
  );

const claim = fc
  .record({
    runId: id,
    leaseId,
    leaseMs: ms,
    exclusive: fc.constantFrom(true, true, false),
    own: fc.constantFrom(true, true, true, false),
  })
  .map(({ runId, own, ...options }) =>
    call(`claim ${runId} ${JSON.stringify(options)}`, ({ runs }) =>
      runs.claim(runId, { ...options, ownerNamespace: own ? OWNER : "other" }),
    ),
  );

const renew = fc
  .tuple(id, leaseId, ms)
  .map(([runId, lease, leaseMs]) => call(`renew ${runId} ${lease}`, ({ runs }) => runs.renew(runId, lease, leaseMs)));

const update = fc
  .record({
    runId: id,
    status: maybe(status),
    output: maybe(value),
    leaseId: maybe(leaseId),
    from: maybe(fc.subarray<RunStatus>(["queued", "leased", "running", "suspended"])),
    release: maybe(fc.boolean()),
  })
  .map(({ runId, status: next, output, ...expected }) =>
    call(`update ${runId} ${next} ${JSON.stringify(expected)}`, ({ runs }) =>
      runs.update(runId, given({ status: next, output }), given(expected)),
    ),
  );

const append = fc
  .record({
    runId: id,
    leaseId,
    at: fc.constantFrom("next", "next", "next", "stale"),
    isSuspended: fc.constantFrom(false, false, true),
    item: value,
  })
  .map(({ runId, leaseId: lease, at, isSuspended, item }) =>
    call(`append ${runId} ${lease} ${at} ${isSuspended}`, async ({ runs, checkpoints }) => {
      const expectedVersion = ((await runs.get(runId))?.checkpointVersion ?? 0) + (at === "next" ? 0 : 1);
      const phases = isSuspended ? (["suspended"] as const) : (["after-model"] as const);
      const checkpoint = {
        checkpointId: "c",
        runId,
        version: expectedVersion + 1,
        phases,
        runtimeState: { item },
        appended: [item],
      };
      return checkpoints.append(checkpoint, { expectedVersion, leaseId: lease });
    }),
  );

const events = fc
  .record({
    runId: id,
    firstOffset: fc.nat({ max: 3 }),
    types: fc.array(fc.constantFrom("step-start" as const, "step-end" as const), { maxLength: 3 }),
    leaseId: maybe(leaseId),
  })
  .map(({ runId, firstOffset, types, leaseId: lease }) =>
    call(`events ${runId} ${firstOffset} ${types.join()}`, (ports) =>
      ports.events.append(
        runId,
        types.map((type) => ({ type })),
        { firstOffset, ...given({ leaseId: lease }) },
      ),
    ),
  );

const notify = fc
  .record({
    notificationId: fc.constantFrom("n0", "n1", "n2"),
    idempotencyKey: fc.constantFrom("k0", "k1", "k2"),
    sessionKey,
    runId: id,
  })
  .map((ids) =>
    call(`enqueue ${JSON.stringify(ids)}`, ({ notifications }) =>
      notifications.enqueue({ ...ids, ownerNamespace: OWNER, taskIds: ["bg_0"], input: { text: ids.idempotencyKey } }),
    ),
  );

const settle = fc
  .tuple(fc.constantFrom("n0", "n1", "n2"), fc.boolean())
  .map(([notificationId, isAcked]) =>
    call(`settle ${notificationId}`, ({ notifications }) =>
      notifications.settle(notificationId, isAcked ? { status: "acked", deliveredBy: "r0" } : { status: "cancelled" }),
    ),
  );

const commit = fc
  .record({ key: sessionKey, state: value, expected: fc.constantFrom("none", "known", "known", "wrong") })
  .map(({ key, state, expected }) =>
    call(`commit ${key} ${expected}`, async ({ sessions }, versions) => {
      const expectedVersion = expected === "none" ? null : expected === "wrong" ? "never" : (versions.get(key) ?? null);
      const answer = await sessions.commit(key, { state }, { expectedVersion });
      if (answer.ok) versions.set(key, answer.version);
      return answer.ok;
    }),
  );

const removal = fc.oneof(
  sessionKey.map((key) => call(`delete ${key}`, ({ sessions }) => sessions.delete(key))),
  id.map((runId) => call(`drop ${runId}`, ({ checkpoints }) => checkpoints.drop(runId))),
);

/** Any call that may change the store. */
export const one: fc.Arbitrary<Call> = fc.oneof(
  { weight: 5, arbitrary: create },
  { weight: 5, arbitrary: claim },
  { weight: 1, arbitrary: renew },
  { weight: 4, arbitrary: update },
  { weight: 4, arbitrary: append },
  { weight: 2, arbitrary: events },
  { weight: 2, arbitrary: notify },
  { weight: 2, arbitrary: settle },
  { weight: 2, arbitrary: commit },
  { weight: 1, arbitrary: removal },
);

const read = (words: string, run: Call["run"]) => fc.constant(call(`read ${words}`, run));

/** Any call that reads. */
export const look: fc.Arbitrary<Call> = fc.oneof(
  id.chain((runId) => read(runId, ({ runs }) => runs.get(runId))),
  id.chain((runId) => read(`the journal of ${runId}`, ({ checkpoints }) => checkpoints.load(runId))),
  id.chain((runId) =>
    read(`the events of ${runId}`, async ({ events: log }) => {
      const all = [];
      for await (const event of log.read(runId)) all.push(event);
      return all;
    }),
  ),
  id.chain((runId) => read(`the notification of ${runId}`, ({ notifications }) => notifications.getByRunId(runId))),
  id.chain((runId) => read(`the children of ${runId}`, async ({ runs }) => ids(await runs.listByParentRunId(runId)))),
  id.chain((runId) => read(`the group ${runId}`, async ({ runs }) => ids(await runs.listByGroup("r0", runId)))),
  sessionKey.chain((key) => read(`session ${key}`, async ({ sessions }) => (await sessions.load(key))?.state)),
  sessionKey.chain((key) =>
    read(`if ${key} is there`, async ({ sessions }) => (await sessions.version?.(key)) === null),
  ),
  sessionKey.chain((key) => read(`the inbox of ${key}`, ({ notifications }) => notifications.listPending(OWNER, key))),
  sessionKey.chain((key) => read(`the lane of ${key}`, ({ runs }) => runs.listOpen(OWNER, { sessionKey: key }))),
  sessionKey.chain((key) => read(`below ${key}`, ({ runs }) => runs.listOpen(OWNER, { parentSessionKey: key }))),
  sessionKey.chain((key) => read(`a task of ${key}`, ({ runs }) => runs.getByTaskId(OWNER, key, "bg_0"))),
  fc.constantFrom("d0", "d1").chain((key) => read(`key ${key}`, ({ runs }) => runs.getByDedupeKey(OWNER, key))),
);

/** A refusal by `store-failed` counts as an answer. Its words differ. */
export const answer = (each: Call, ports: ExecutionStorePorts, versions: Map<string, string>) =>
  each.run(ports, versions).catch((error: unknown) => (error as { code?: string }).code);

/** Everything that can be read. */
export async function readAll({ runs, checkpoints, events: log, notifications, sessions }: ExecutionStore) {
  const all: unknown[] = [];
  for (const runId of ["r0", "r1", "r2", "r3"]) {
    const stored = [];
    for await (const event of log.read(runId)) stored.push(event);
    all.push(await runs.get(runId), await checkpoints.load(runId), await checkpoints.latest(runId), stored);
    all.push(await notifications.getByRunId(runId), ids(await runs.listByParentRunId(runId)));
    all.push(ids(await runs.listByGroup("r0", runId)));
  }
  for (const key of SESSIONS) {
    all.push((await sessions.load(key))?.state, await notifications.listPending(OWNER, key));
    all.push(
      ids(await runs.listOpen(OWNER, { sessionKey: key })),
      ids(await runs.listOpen(OWNER, { parentSessionKey: key })),
    );
    for (const task of ["bg_0", "bg_1"]) all.push(await runs.getByTaskId(OWNER, key, task));
  }
  for (const key of ["d0", "d1"]) all.push(await runs.getByDedupeKey(OWNER, key));
  // The order of notifications grows, but not by the same steps.
  return JSON.parse(JSON.stringify(all, (name, found: unknown) => (name === "order" ? undefined : found))) as unknown;
}

const ids = (runs: readonly RunRecord[]) => runs.map(({ runId }) => runId);
