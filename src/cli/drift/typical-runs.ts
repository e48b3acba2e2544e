// Reads the typical runs of each scenario again and adds their differences to the report.

import {
  CassetteError,
  createCassetteStore,
  createUseCounter,
  DEFAULT_MAX_FILE_BYTES,
  type Tolerances,
  type ToleranceUse,
} from "../../cassette/index.js";
import { defined, type FilePort } from "../../core/index.js";
import {
  describeTypical,
  shownRuns,
  type GateReport,
  type ScenarioReport,
  type TypicalRun,
} from "../../harness/index.js";
import { MAX_DESCRIBED_SCENARIOS } from "../limits.js";
import type { CommandIo } from "../terminal/io.js";
import { createNotes } from "../terminal/output.js";
import { createProgress } from "../terminal/progress.js";
import { linesIn } from "./scenario.js";

interface TypicalSources {
  files: FilePort;
  tolerances: Tolerances | undefined;
}

/** The report with edits and timelines. If there are too many scenarios, those with the verdict `same` get none. */
export async function addTypicalRuns(report: GateReport, sources: TypicalSources, io: CommandIo): Promise<GateReport> {
  const progress = createProgress(io, "reading typical runs");
  const wanted = new Set(
    [...report.scenarios]
      .sort((a, b) => Number(a.verdict === "same") - Number(b.verdict === "same"))
      .slice(0, MAX_DESCRIBED_SCENARIOS)
      .map(({ scenario }) => scenario),
  );
  const scenarios: ScenarioReport[] = [];
  for (const [index, scenario] of report.scenarios.entries()) {
    progress.step(index, report.scenarios.length);
    scenarios.push(wanted.has(scenario.scenario) ? await describe(scenario, report, sources, io) : scenario);
  }
  progress.clear();
  const left = report.scenarios.length - wanted.size;
  if (left > 0) createNotes(io)(`${left} scenarios are reported without the differences of their typical runs.`);
  return { ...report, scenarios };
}

async function describe(
  scenario: ScenarioReport,
  { settings }: GateReport,
  { files, tolerances }: TypicalSources,
  io: CommandIo,
): Promise<ScenarioReport> {
  const base = await readTypical(scenario.typical.base, files);
  const candidate = await readTypical(scenario.typical.candidate, files);
  const { order, content, ignore = [], readOnly = [] } = settings;
  try {
    const [old, now] = shownRuns(scenario);
    const otherOutcomes = old?.success !== undefined && now?.success !== undefined && old.success !== now.success;
    const compared = { order, content, ignore, readOnly, otherOutcomes, ...defined({ tolerances }) };
    const described = describeTypical(base, candidate, compared);
    return { ...scenario, ...described, tolerances: joinUses(scenario.tolerances, described.tolerances) };
  } catch (error) {
    if (!(error instanceof CassetteError) || error.code !== "diff-too-large") throw error;
    createNotes(io)(`${scenario.scenario}: ${error.summary}, so its typical runs are not shown.`);
    return scenario;
  }
}

/** The tolerances of the whole scenario, with those that only the typical runs used. */
function joinUses(all: readonly ToleranceUse[], more: readonly ToleranceUse[]): ToleranceUse[] {
  const keyOf = ({ tool, pointer, tolerance }: ToleranceUse): string => JSON.stringify([tool, pointer, tolerance]);
  const known = new Set(all.map(keyOf));
  const uses = createUseCounter();
  uses.add([...all, ...more.filter((use) => !known.has(keyOf(use)))]);
  return uses.list();
}

async function readTypical(file: string, files: FilePort): Promise<TypicalRun> {
  const read = await files.read(file, DEFAULT_MAX_FILE_BYTES);
  const store = createCassetteStore({ ...files, read: () => Promise.resolve(read) });
  const cassette = await store.load(file, { ports: { warn: () => undefined } });
  return { file, cassette, lines: linesIn(read) };
}
