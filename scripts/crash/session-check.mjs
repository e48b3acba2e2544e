// What must hold for the session of session.mjs once everything has ended, however often its process was killed.

import { readFileSync } from "node:fs";
import { readRun } from "playhead/execution";

export const STEPS = 20;
export const LAUNCHES = 3;
export const PAID = 10;
export const HELPERS = ["ada", "ben", "cem"];
export const HELPER_PAID = 2;

/** Throws an error that says what is wrong. */
export async function checkSession(host, runId, outside) {
  const runs = await host.admin.list();
  const [record, ...rest] = runs.filter(({ kind }) => kind === "user-turn");
  if (rest.length > 0 || record?.runId !== runId) throw new Error(`there are ${rest.length + 1} user turns`);
  for (const { kind, status, error } of runs)
    if (status !== "completed") throw new Error(`a run of kind ${kind} is ${status}: ${JSON.stringify(error)}`);
  const jobs = runs.filter(({ kind }) => kind === "background-subagent");
  if (jobs.length !== HELPERS.length) throw new Error(`there are ${jobs.length} jobs`);
  const { state } = await host.store.sessions.load("a");
  const tasks = jobs.map(({ publicTaskId }) => publicTaskId);
  checkHistory(state.history, tasks);
  await checkNotifications(host, runs, tasks);
  await checkEvents(host, runs, runId);
  for (const { sessionKey } of jobs)
    if ((await host.store.sessions.load(sessionKey)) !== null)
      throw new Error(`the session ${sessionKey} is still there`);
  checkOutside(readFileSync(outside, "utf8").split("\n").slice(0, -1));
}

function checkHistory(history, tasks) {
  const reminders = history.filter(({ role, content }) => role === "user" && content.startsWith("<system-reminder>"));
  const told = reminders.flatMap(({ content }) => content.match(/(?<=ID: |- )bg_[0-9a-f]{16}/g) ?? []);
  if (told.toSorted().join() !== tasks.toSorted().join())
    throw new Error(`the reminders name ${told.join() || "no job"}`);
  const outputs = history.filter(({ role, content }) => role === "tool" && content.includes(" is done"));
  const retrieved = outputs.map(({ content }) => JSON.parse(content).task_id);
  if (retrieved.toSorted().join() !== tasks.toSorted().join())
    throw new Error(`the results are those of ${retrieved.join() || "no job"}`);
  const isFinal = ({ role, content }) => role === "assistant" && content === "all done";
  const isRetrieval = ({ toolCalls = [] }) => toolCalls.some(({ name }) => name === "background_output");
  const left = [...reminders, ...outputs, ...history.filter((message) => isFinal(message) || isRetrieval(message))];
  const texts = history.filter((message) => !left.includes(message)).map(({ role, content }) => `${role} ${content}`);
  const step = (number) => ["assistant ", number === LAUNCHES ? "launched" : `tool did ${number}`];
  const expected = ["user Go.", ...Array.from({ length: STEPS }, (_, index) => step(index + 1)).flat()];
  const launches = texts.splice(2 * LAUNCHES, HELPERS.length, "launched");
  if (launches.some((text) => !text.includes('"status":"running"')))
    throw new Error(`the launches gave ${launches.join()}`);
  if (JSON.stringify(texts) !== JSON.stringify(expected)) throw new Error(`the history is ${texts.join(" | ")}`);
  if (!isFinal(history.at(-1))) throw new Error("the last message is not the last answer");
}

/** The jobs of one turn share one notification, which one run has delivered. */
async function checkNotifications(host, runs, tasks) {
  if ((await host.admin.stats()).pendingNotifications > 0) throw new Error("a notification waits");
  const [run, ...others] = runs.filter(({ kind }) => kind === "notification");
  if (run === undefined) throw new Error("there is no notification");
  if (others.length > 0) throw new Error(`there are ${others.length + 1} notifications`);
  const { status, taskIds, deliveredBy } = await host.store.notifications.getByRunId(run.runId);
  if (status !== "acked" || deliveredBy === undefined) throw new Error(`the notification is ${status}`);
  if (taskIds.toSorted().join() !== tasks.toSorted().join()) throw new Error(`the notification has ${taskIds.join()}`);
}

async function checkEvents(host, runs, runId) {
  const types = [];
  const tools = [];
  for (const run of runs) {
    const own = [];
    for await (const { event } of readRun(host, run.runId)) {
      own.push(event.type);
      if (run.runId === runId && event.type === "tool-call") tools.push(event.toolName);
    }
    types.push(...own);
    // The run of a notification that another turn has taken did nothing.
    if (own.length > 0 && (own.at(-1) !== "turn-end" || own.filter((type) => type === "turn-end").length !== 1))
      throw new Error(`the events of a ${run.kind} are ${own.join()}`);
  }
  const count = (type) => types.filter((other) => other === type).length;
  for (const type of ["subagent-job-start", "subagent-job-end"])
    if (count(type) !== HELPERS.length) throw new Error(`there are ${count(type)} events ${type}`);
  if (count("tool-call") !== count("tool-result")) throw new Error(`${count("tool-result")} calls have results`);
  const name = (number) =>
    number === LAUNCHES ? HELPERS.map((each) => `delegate_to_${each}`) : number === PAID ? "pay" : "note";
  const expected = Array.from({ length: STEPS }, (_, index) => name(index + 1)).flat();
  const own = tools.filter((tool) => tool !== "background_output");
  if (own.join() !== expected.join()) throw new Error(`the calls are ${own.join()}`);
}

function checkOutside(lines) {
  const keys = new Map();
  const asked = new Map();
  const paid = new Map();
  for (const line of lines) {
    const [what, label, key] = line.split(" ");
    if (what === "recover") {
      paid.set(label, { ran: 0, ...paid.get(label), isDecided: true });
      continue;
    }
    if (what === "ask") {
      // The tool of a step runs once its answer is stored.
      if (keys.has(label)) throw new Error(`the answer ${label} was stored and asked for again`);
      asked.set(label, (asked.get(label) ?? 0) + 1);
      continue;
    }
    if (keys.has(label) && keys.get(label) !== key) throw new Error(`step ${label} has two keys`);
    keys.set(label, key);
    if ([String(PAID), ...HELPERS.map((name) => `${name}:${HELPER_PAID}`)].includes(label))
      paid.set(label, { isDecided: false, ...paid.get(label), ran: (paid.get(label)?.ran ?? 0) + 1 });
  }
  if (new Set(keys.values()).size !== keys.size) throw new Error("two steps share a key");
  for (const label of [String(PAID), ...HELPERS.map((name) => `${name}:${HELPER_PAID}`)]) {
    const { ran = 0, isDecided = false } = paid.get(label) ?? {};
    if (ran > 1 || (ran === 0 && !isDecided))
      throw new Error(`the tool ${label} that must not run twice ran ${ran} times`);
  }
  // Each run that a kill cuts off repeats one request at most: the turn and its jobs.
  const repeated = [...asked.values()].reduce((sum, times) => sum + times - 1, 0);
  if (repeated > 1 + HELPERS.length) throw new Error(`${repeated} requests were repeated`);
}
