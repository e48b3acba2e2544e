// Reads the figures that bench:check compares with, and existing samples. Anybody may have edited these files. A
// figure that is not a number would be worse than no figure, because nothing compares as worse than it.

import { GOALS } from "./goals.mjs";
import { fail, readJson } from "./options.mjs";

export function readFigures(command, file) {
  const kept = readJson(command, file);
  const wrong = whatIsWrong(kept);
  if (wrong !== undefined) fail(command, `${file} holds no figures to compare with: ${wrong}; --update takes new ones`);
  return kept;
}

function whatIsWrong(kept) {
  if (!isRecord(kept)) return "it is not an object";
  const { figures, machine, clock } = kept;
  if (!isRecord(machine)) return "it does not say of which machine";
  if (clock !== undefined && clock !== "wall" && clock !== "cpu") return `its clock is ${JSON.stringify(clock)}`;
  if (!isRecord(figures) || Object.keys(figures).length === 0) return "there is none in it";
  const other = Object.keys(figures).find((id) => !GOALS.some((goal) => goal.id === id));
  if (other !== undefined) return `there is no ratio ${JSON.stringify(other)}`;
  const wrong = Object.entries(figures).find(([, figure]) => !Number.isFinite(figure));
  return wrong === undefined ? undefined : `that of ${wrong[0]} is ${JSON.stringify(wrong[1])}`;
}

/** `{ "id": [ratio, ratio, …] }`. */
export function readSamples(command, file) {
  const samples = readJson(command, file);
  if (!isRecord(samples)) return fail(command, `${file} holds no samples: it is not an object`);
  const wrong = Object.entries(samples).find(([, list]) => !Array.isArray(list) || !list.every(Number.isFinite));
  if (wrong !== undefined) return fail(command, `${file}: the samples of ${wrong[0]} are not a list of numbers`);
  return samples;
}

/** Compares the properties that ratios depend on. The load is left out, because it is not a property of the machine. */
export function isSameMachine(now, kept) {
  return ["cpu", "cores", "platform", "node"].every((field) => now[field] === kept[field]);
}

function isRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
