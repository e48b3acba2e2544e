// An option that takes one value refuses a second one, and its own `--no-` form: the last would win in silence, and what the
// first names would go unchecked.

import type { Command, Option } from "commander";

/** For every option of the commands, but those that collect a list. */
export function refuseRepeated(commands: readonly Command[]): void {
  for (const command of commands) {
    for (const option of command.options) {
      if ((!option.required && !option.optional) || isList(option)) continue;
      const negated = command.options.find((other) => other.negate && other.attributeName() === option.attributeName());
      let given: Option | undefined;
      const note = (now: Option) => {
        if (given !== undefined && given !== now) {
          const flags = `'${option.flags}' and '${negated?.flags}'`;
          command.error(`error: options ${flags} contradict each other\nGive one of the two.`);
        }
        if (given === option)
          command.error(`error: option '${option.flags}' was given twice\nGive it once: it takes one value.`);
        given = now;
      };
      for (const each of negated === undefined ? [option] : [option, negated]) {
        command.on(`option:${each.name()}`, () => note(each));
      }
    }
  }
}

/** A parser with a parameter for the earlier values collects them; the one of `choices` has it too, and ignores it. */
function isList({ variadic, argChoices, parseArg }: Option): boolean {
  return variadic || (argChoices === undefined && (parseArg?.length ?? 0) > 1);
}
