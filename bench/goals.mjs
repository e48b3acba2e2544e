// The goals: ratios within one run, each with its maximum. If a table was not measured, its goal is not measured.

import { readFileSync } from "node:fs";
import { differenceOf, ratioOf, summarise } from "./measure.mjs";

/** The most files and KB that each entry point may load. */
const DOORS = JSON.parse(readFileSync(new URL("doors.json", import.meta.url), "utf8"));
const LOOP = "playhead: run";
const RECORD = "playhead: run and record";
const REPLAY = "playhead: verify and replay";
const RESULT = "session: result()";
const EVENTS = "session: events()";

/** `of(row, rows)` returns a summary of ratios, if `row(suite, key, name)` has rows. */
export const GOALS = [
  ratio(
    "bare",
    "our bare loop ÷ (floor + budget + events + validation), T = 100",
    2,
    ["turnLoop", "100x1", LOOP],
    ["turnLoop", "100x1", "floor: budget, events, checks"],
  ),
  ratio(
    "recording",
    "our recording loop ÷ (floor + incremental hashes), T = 100",
    1.5,
    ["turnLoop", "100x1", RECORD],
    ["turnLoop", "100x1", "floor: and every hash"],
  ),
  {
    id: "recording-peers",
    figure: "our recording loop ÷ the fastest peer's loop that records nothing, T = 100",
    most: 1,
    of: (row, rows) => ratioOf(row("peerLoops", "100x1", RECORD), fastestPeer(rows("peerLoops", "100x1"))),
  },
  growth("growth-bare", "bare", LOOP),
  growth("growth-recording", "recording", RECORD),
  growth("growth-replaying", "replaying", REPLAY),
  ratio(
    "replay",
    "our replay of a 2 KB completion ÷ (verified floor)",
    1.5,
    ["replay", "many", "playhead: cassetteProvider of the parsed JSON, every hash verified"],
    ["replay", "many", "floor: request hashed, response verified, fresh object"],
  ),
  {
    id: "signing",
    figure: "signing of receipts on the critical path ÷ the signing cost",
    most: 0.1,
    of: (row) =>
      shareOf(
        row("signing", "path", "loop until its last turn, signed receipts"),
        row("signing", "path", "loop until its last turn, no receipts"),
        row("signing", "path", "its Ed25519 signatures alone"),
      ),
  },
  ratio(
    "vertex",
    "a graph vertex ÷ a run over the same chain, T = 100",
    1.2,
    ["vertex", "100x1", "vertex"],
    ["vertex", "100x1", "run over a chain"],
  ),
  ratio(
    "vertex-recorded",
    "a recorded vertex ÷ a recorded run over the same chain, T = 100",
    1.2,
    ["vertex", "100x1", "vertex, recorded"],
    ["vertex", "100x1", "run over a chain, recorded"],
  ),
  ratio(
    "vertex-growth",
    "a vertex's cost per turn at T = 1,000 ÷ at T = 10",
    1.1,
    ["vertex", "1000x1", "vertex"],
    ["vertex", "10x1", "vertex"],
  ),
  ratio(
    "vertex-one",
    "a vertex of one turn ÷ a runtime and a run of one turn",
    3,
    ["vertex", "1x1", "vertex"],
    ["vertex", "1x1", "run over a chain"],
  ),
  ratio(
    "template",
    "a template of 100 KB with 100 references ÷ `replaceAll`",
    5,
    ["vertex", "template", "playhead: a template"],
    ["vertex", "template", "replaceAll"],
  ),
  ratio(
    "canon",
    "our canonical text ÷ `JSON.stringify`, 200 KB",
    2.5,
    ["canon", "200000", "playhead: canonicalize"],
    ["canon", "200000", "JSON.stringify, not canonical"],
  ),
  ratio(
    "start-up",
    "`cassette --version` ÷ `node -e 0`, wall",
    1.5,
    ["startUp", "base", "cassette --version"],
    ["startUp", "base", "node -e 0"],
  ),
  beyond(
    "cold-replay",
    "the first replay of 20 turns with its imports, beyond `node -e 0`, ms",
    25,
    ["cold", "first", "replay"],
    ["cold", "first", "node -e 0"],
  ),
  ratio(
    "cold-entry",
    "import of `playhead/vitest` in a Vitest worker ÷ import of `vitest`",
    1.5,
    ["cold", "entry", 'import("playhead/vitest")'],
    ["cold", "entry", 'import("vitest")'],
  ),
  beyond(
    "cold-fixture",
    "a Vitest file with one replayed test, beyond the same with a stub, ms",
    60,
    ["cold", "vitest 1 true", "playhead"],
    ["cold", "vitest 1 true", "stub"],
  ),
  ratio(
    "cold-file",
    "a Vitest run of one file with a replayed test ÷ the same with a stub",
    1.15,
    ["cold", "vitest 1 true", "playhead"],
    ["cold", "vitest 1 true", "stub"],
  ),
  ...["playhead", "cassette", "vitest", "msw"].flatMap(loaded),
  ratio(
    "memory",
    "memory of a 10,000-turn recording beyond the cassette itself ÷ the conversation",
    2,
    ["memory", "held 10000", "held beyond the cassette"],
    ["memory", "held 10000", "the conversation alone"],
  ),
  ratio(
    "env-loop",
    "a conversation in memory ÷ our bare loop, T = 100",
    1.4,
    ["env", "loop", "send in memory, 100 turns"],
    ["env", "loop", "playhead: run, 100 turns"],
  ),
  ratio(
    "growth-env",
    "our cost per step of a conversation at T = 1,000 ÷ at T = 10",
    1.1,
    ["env", "loop", "send in memory, 1000 turns"],
    ["env", "loop", "send in memory, 10 turns"],
  ),
  ratio(
    "env-sqlite",
    "a step on SQLite ÷ (our loop + one flushed insert)",
    1.3,
    ["env", "sqlite", "send on SQLite"],
    ["env", "sqlite", "our loop, and a flushed insert a turn by hand"],
  ),
  ratio(
    "env-open",
    "opening a conversation of 10,000 entries ÷ reading 256 rows",
    2,
    ["env", "open", "open a conversation of 10,000 entries"],
    ["env", "open", "read 256 rows by hand"],
  ),
  ratio(
    "env-transcript",
    "cut and transcript of 100,000 tokens ÷ `JSON.stringify`",
    3,
    ["env", "transcript", "cut, and transcript of 100,000 tokens"],
    ["env", "transcript", "JSON.stringify of them"],
  ),
  ratio(
    "durable-step",
    "a step of a session on SQLite ÷ its bare statements",
    1.6,
    ["durable", "step", "a step on the durable host"],
    ["durable", "step", "its bare statements"],
  ),
  ratio(
    "postgres-step-peers",
    "a step of a session on PostgreSQL ÷ the same changes by hand",
    1.3,
    ["engines", "postgres-step", "a step on the durable host"],
    ["engines", "postgres-step", "the same changes by hand"],
  ),
  ratio(
    "session-result",
    "a step of a session by `result()` ÷ a turn of our bare loop, T = 100",
    1.3,
    ["session", "100x1", RESULT],
    ["session", "100x1", LOOP],
  ),
  ratio(
    "session-events",
    "a step of a session by `events()` ÷ a turn of our bare loop, T = 100",
    2,
    ["session", "100x1", EVENTS],
    ["session", "100x1", LOOP],
  ),
  ratio(
    "session-growth",
    "a session's cost per step at T = 1,000 ÷ at T = 10",
    1.1,
    ["session", "1000x1", RESULT],
    ["session", "10x1", RESULT],
  ),
  ratio(
    "session-host",
    "a step of a session with the execution host in memory ÷ without one, T = 100",
    3,
    ["session", "100x1", "session: result(), host in memory"],
    ["session", "100x1", RESULT],
  ),
  ratio(
    "session-bytes",
    "bytes of checkpoints per step of a session at T = 1,000 ÷ at T = 10",
    1.1,
    ["session", "bytes", "1000 steps"],
    ["session", "bytes", "10 steps"],
  ),
  ratio(
    "process-codec",
    "a frame written and read ÷ `JSON.stringify` and `JSON.parse`, 1 KiB",
    1.5,
    ["process", "codec", "a frame"],
    ["process", "codec", "JSON.stringify and JSON.parse"],
  ),
  ratio(
    "process-stdio",
    "a message through a fabric ÷ a bare child over a pipe",
    2,
    ["process", "message", "a fabric over standard streams"],
    ["process", "message", "a bare child over a pipe"],
  ),
  ratio(
    "process-ipc",
    "a message through a fabric over ipc ÷ a bare child over zeromq",
    2,
    ["process", "message", "a fabric over ipc"],
    ["process", "message", "a bare child over zeromq"],
  ),
  ratio(
    "process-start",
    "a fabric of one agent, until it is ready ÷ `node -e 0`",
    3,
    ["process", "start", "a fabric of one agent, until it is ready"],
    ["process", "start", "node -e 0"],
  ),
  ratio(
    "process-lasting",
    "an agent's message 10,000 ÷ its message 100",
    1.1,
    ["process", "lasting", "message 10,000"],
    ["process", "lasting", "message 100"],
  ),
  ratio(
    "process-recorded",
    "a message to an agent that records ÷ to one that does not",
    1.3,
    ["process", "agent", "an agent that records"],
    ["process", "agent", "an agent"],
  ),
  ratio(
    "session-peers",
    "a step of a session by `events()` ÷ AI SDK `generateText`, T = 100",
    0.25,
    ["peerSessions", "100x1", EVENTS],
    ["peerSessions", "100x1", "AI SDK, generateText"],
  ),
];

function growth(id, name, contestant) {
  const figure = `our cost per turn at T = 1,000 ÷ at T = 10, ${name}`;
  return ratio(id, figure, 1.1, ["turnLoop", "1000x1", contestant], ["turnLoop", "10x1", contestant]);
}

/** A goal for `ours` ÷ `other`. Each is the suite, the table and the name of a row. */
function ratio(id, figure, most, ours, other) {
  return { id, figure, most, of: (row) => ratioOf(row(...ours), row(...other)) };
}

/** A goal for `ours` − `other`, in the unit of the table. */
function beyond(id, figure, most, ours, other) {
  return { id, figure, most, of: (row) => differenceOf(row(...ours), row(...other)) };
}

/** What an import loads, which is the same on every machine. The tests hold the same limits. */
function loaded(door) {
  const path = door === "playhead" ? door : `playhead/${door}`;
  const goal = (key, unit, most) => ({
    id: `${key}-${door}`,
    figure: `${unit} of Playhead that \`import "${path}"\` loads`,
    most,
    of: (row) => row("cold", key, path),
  });
  const [files, kilobytes] = DOORS[door];
  return [goal("files", "files", files), goal("loaded", "KB", kilobytes)];
}

/** The benchmarks whose tables the goal reads. */
export function suitesOfGoal({ of }) {
  const read = new Set();
  const note = (suite) => void read.add(suite);
  of(note, note);
  return [...read];
}

function fastestPeer(rows = []) {
  const ran = rows.filter((row) => row.isPeer && row.failed === undefined);
  return ran.toSorted((a, b) => a.median - b.median)[0];
}

/** The time of `a` beyond `b`, divided by `whole`. */
function shareOf(a, b, whole) {
  if ([a, b, whole].some((row) => row?.values === undefined)) return undefined;
  const length = Math.min(a.values.length, b.values.length, whole.values.length);
  return summarise(Array.from({ length }, (_, index) => (a.values[index] - b.values[index]) / whole.values[index]));
}

/** Each goal with its measured value. `tables` are those of a run, each with its suite. */
export function judgeGoals(tables) {
  const rows = (suite, key) => tables.find((table) => table.suite === suite && table.key === key)?.rows;
  const row = (suite, key, name) => rows(suite, key)?.find((each) => each.name === name);
  return GOALS.map(({ id, figure, most, of }) => {
    const measured = of(row, rows);
    if (measured === undefined) return { id, figure, most, verdict: "not measured" };
    return { id, figure, most, measured, verdict: measured.median <= most ? "met" : "not met" };
  });
}

/** A table in Markdown. If `columns` is too small for it, each goal has two lines. */
export function formatGoals(goals, format, columns = Infinity) {
  const figures = ({ low, high, median }) => `${format(median)} (${format(low)} … ${format(high)})`;
  const lines = goals.map(({ figure, most, measured, verdict }) => {
    if (measured === undefined) return `| ${figure} | ${most} | | ${verdict} |`;
    return `| ${figure} | ${most} | ${figures(measured)} | ${verdict} |`;
  });
  const head = ["| figure | at most | measured (middle half) | |", "| --- | ---: | ---: | --- |"];
  if (Math.max(...lines.map((line) => line.length)) <= columns) return [...head, ...lines].join("\n");
  return goals
    .map(({ figure, most, measured, verdict }) => {
      return `${figure}\n    ${measured === undefined ? "" : `${figures(measured)}, `}at most ${most}: ${verdict}`;
    })
    .join("\n");
}
