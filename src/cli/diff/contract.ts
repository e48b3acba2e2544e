// Compares what two runs were offered: tools and settings, and the calls that changed with a schema. It never decides what is drift.

import { isBecauseOfSchema, OFFER_HASHES_DIFFER, type ContractComparison, type Drift } from "../../cassette/index.js";
import { count, type PrintLine } from "../terminal/output.js";

/** A drift, marked if the changed arguments follow from a changed schema. */
type MarkedDrift = Drift & { becauseOfSchema?: true };

export interface ContractOutcome {
  drifts: MarkedDrift[];
  contract: ContractComparison;
}

export function withContract(drifts: readonly Drift[], contract: ContractComparison): ContractOutcome {
  const changes = contract.state === "compared" ? contract.changes : [];
  return {
    contract,
    drifts: drifts.map((drift) => (isBecauseOfSchema(drift, changes) ? { ...drift, becauseOfSchema: true } : drift)),
  };
}

export function printReason(line: PrintLine, { becauseOfSchema }: MarkedDrift): void {
  if (becauseOfSchema === true) line({ look: "dim", text: "      the schema of the tool changed there, too" });
}

/** Prints changes that many tasks share once. */
export function printContracts(line: PrintLine, tasks: readonly ContractOutcome[]): void {
  const times = new Map<string, number>();
  for (const { contract } of tasks) {
    for (const sentence of sentencesOf(contract)) times.set(sentence, (times.get(sentence) ?? 0) + 1);
  }
  for (const [sentence, number] of times) {
    const where = tasks.length === 1 ? "" : ` (${count(number, "task")})`;
    line({ look: "warn", text: "contract: " }, sentence, where);
  }
  if (times.size > 0) line("");
}

function sentencesOf(contract: ContractComparison): string[] {
  switch (contract.state) {
    case "compared":
      return contract.changes.map(({ sentence }) => sentence);
    case "hashes":
      return contract.isSame ? [] : [OFFER_HASHES_DIFFER];
    case "not-recorded":
      return [];
  }
}

/** An offer that was not recorded may have changed. */
export function printUncompared(line: PrintLine, tasks: readonly ContractOutcome[]): void {
  const silent = tasks.filter(({ contract }) => contract.state === "not-recorded").length;
  if (silent === 0) return;
  const where = silent === tasks.length ? "" : ` in ${count(silent, "task")}`;
  line({ look: "dim", text: `  contract: offered tools and settings were not recorded${where}, so not compared` });
}
