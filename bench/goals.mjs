// The goals: ratios within one run, each with its maximum. If a table was not measured, its goal is not measured.

import { ratioOf, summarise } from "./measure.mjs";

const LOOP = "playhead: run";
const RECORD = "playhead: run and record";
const REPLAY = "playhead: verify and replay";

/** `of(row, rows)` returns a summary of ratios, if `row(suite, key, name)` has rows. */
export const GOALS = [
  {
    id: "bare",
    figure: "our bare loop ÷ (floor + budget + events + validation), T = 100",
    most: 2,
    of: (row) => ratioOf(row("turnLoop", "100x1", LOOP), row("turnLoop", "100x1", "floor: budget, events, checks")),
  },
  {
    id: "recording",
    figure: "our recording loop ÷ (floor + incremental hashes), T = 100",
    most: 1.5,
    of: (row) => ratioOf(row("turnLoop", "100x1", RECORD), row("turnLoop", "100x1", "floor: and every hash")),
  },
  {
    id: "recording-peers",
    figure: "our recording loop ÷ the fastest peer's loop that records nothing, T = 100",
    most: 1,
    of: (row, rows) => ratioOf(row("peerLoops", "100x1", RECORD), fastestPeer(rows("peerLoops", "100x1"))),
  },
  growth("growth-bare", "bare", LOOP),
  growth("growth-recording", "recording", RECORD),
  growth("growth-replaying", "replaying", REPLAY),
  {
    id: "replay",
    figure: "our replay of a 2 KB completion ÷ (verified floor)",
    most: 1.5,
    of: (row) =>
      ratioOf(
        row("replay", "many", "playhead: cassetteProvider of the parsed JSON, every hash verified"),
        row("replay", "many", "floor: request hashed, response verified, fresh object"),
      ),
  },
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
  {
    id: "vertex",
    figure: "a graph vertex ÷ a run over the same chain, T = 100",
    most: 1.2,
    of: (row) => ratioOf(row("vertex", "100x1", "vertex"), row("vertex", "100x1", "run over a chain")),
  },
  {
    id: "vertex-recorded",
    figure: "a recorded vertex ÷ a recorded run over the same chain, T = 100",
    most: 1.2,
    of: (row) =>
      ratioOf(row("vertex", "100x1", "vertex, recorded"), row("vertex", "100x1", "run over a chain, recorded")),
  },
  {
    id: "vertex-growth",
    figure: "a vertex's cost per turn at T = 1,000 ÷ at T = 10",
    most: 1.1,
    of: (row) => ratioOf(row("vertex", "1000x1", "vertex"), row("vertex", "10x1", "vertex")),
  },
  {
    id: "vertex-one",
    figure: "a vertex of one turn ÷ a runtime and a run of one turn",
    most: 3,
    of: (row) => ratioOf(row("vertex", "1x1", "vertex"), row("vertex", "1x1", "run over a chain")),
  },
  {
    id: "template",
    figure: "a template of 100 KB with 100 references ÷ `replaceAll`",
    most: 5,
    of: (row) => ratioOf(row("vertex", "template", "playhead: a template"), row("vertex", "template", "replaceAll")),
  },
  {
    id: "canon",
    figure: "our canonical text ÷ `JSON.stringify`, 200 KB",
    most: 2.5,
    of: (row) =>
      ratioOf(
        row("canon", "200000", "playhead: canonicalize"),
        row("canon", "200000", "JSON.stringify, not canonical"),
      ),
  },
  {
    id: "start-up",
    figure: "`cassette --version` ÷ `node -e 0`, wall",
    most: 1.5,
    of: (row) => ratioOf(row("startUp", "base", "cassette --version"), row("startUp", "base", "node -e 0")),
  },
  {
    id: "memory",
    figure: "memory of a 10,000-turn recording beyond the cassette itself ÷ the conversation",
    most: 2,
    of: (row) =>
      ratioOf(
        row("memory", "held 10000", "held beyond the cassette"),
        row("memory", "held 10000", "the conversation alone"),
      ),
  },
  envGoal("env-loop", "a conversation in memory ÷ our bare loop, T = 100", 1.4, "loop", [
    "send in memory, 100 turns",
    "playhead: run, 100 turns",
  ]),
  envGoal("growth-env", "our cost per step of a conversation at T = 1,000 ÷ at T = 10", 1.1, "loop", [
    "send in memory, 1000 turns",
    "send in memory, 10 turns",
  ]),
  envGoal("env-sqlite", "a step on SQLite ÷ (our loop + one flushed insert)", 1.3, "sqlite", [
    "send on SQLite",
    "our loop, and a flushed insert a turn by hand",
  ]),
  envGoal("env-open", "opening a conversation of 10,000 entries ÷ reading 256 rows", 2, "open", [
    "open a conversation of 10,000 entries",
    "read 256 rows by hand",
  ]),
  envGoal("env-transcript", "cut and transcript of 100,000 tokens ÷ `JSON.stringify`", 3, "transcript", [
    "cut, and transcript of 100,000 tokens",
    "JSON.stringify of them",
  ]),
];

function growth(id, name, contestant) {
  return {
    id,
    figure: `our cost per turn at T = 1,000 ÷ at T = 10, ${name}`,
    most: 1.1,
    of: (row) => ratioOf(row("turnLoop", "1000x1", contestant), row("turnLoop", "10x1", contestant)),
  };
}

function envGoal(id, figure, most, key, [ours, other]) {
  return { id, figure, most, of: (row) => ratioOf(row("env", key, ours), row("env", key, other)) };
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
