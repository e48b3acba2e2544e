// Numbers the secrets of a recording by first appearance. A number that already occurs in a text is never assigned to another value.

import { CassetteError } from "../../errors.js";
import { MAX_PLACEHOLDERS } from "../../limits.js";
import { BY_VALUE } from "../options.js";
import { toPlaceholder } from "../placeholder.js";

export function createNumbers() {
  const byValue = new Map<string, { rule: string; number: number }>();
  const taken = new Set<number>();
  const used = new Set<string>();
  const open = new Map<number, string>();
  let next = 1;

  return {
    reserve: (number: number): unknown => taken.add(number),
    placeholderOf(value: string, rules: readonly string[]): string {
      let known = byValue.get(value);
      if (known === undefined) {
        while (taken.has(next)) next++;
        if (next > MAX_PLACEHOLDERS) {
          const what = `the recording has more than ${MAX_PLACEHOLDERS} different secrets`;
          const hint =
            "Split the run into several cassettes, or check whether redact.values and redact.pointers match too much.";
          throw new CassetteError("not-recordable", what, { hint });
        }
        known = { rule: rules[0] ?? BY_VALUE, number: next };
        taken.add(next);
        byValue.set(value, known);
        open.set(next, value);
      }
      for (const rule of [known.rule, ...rules]) used.add(rule);
      return toPlaceholder(known);
    },
    used: () => [...used].sort(),
    settle: () => open.clear(),
    renumber(numbers: ReadonlyMap<number, number>): boolean {
      const moved = [...numbers].filter(([from, to]) => from !== to);
      const leaving = new Set(moved.map(([from]) => from));
      const owners = new Map([...byValue].map(([value, { number }]) => [number, value]));
      const isFree = (to: number): boolean => leaving.has(to) || !owners.has(to);
      const isApart = new Set(moved.map(([, to]) => to)).size === moved.length;
      if (!isApart || !moved.every(([from, to]) => open.has(from) && isFree(to))) return false;
      const values = moved.map(([from, to]): [string, number] => [open.get(from) as string, to]);
      for (const from of leaving) {
        open.delete(from);
        taken.delete(from);
      }
      for (const [value, number] of values) {
        byValue.set(value, { rule: byValue.get(value)?.rule ?? BY_VALUE, number });
        taken.add(number);
        open.set(number, value);
      }
      next = 1;
      return true;
    },
  };
}
