// Refuses a second value for an option that takes one, and a value together with its `--no-` form. The last one would win silently, so
// the first would not be checked.

import type { Command, Option } from "commander";

/** Watches every option of the commands, except those that collect a list. */
export function refuseRepeated(commands: readonly Command[]): void {
  for (const command of commands) {
    for (const option of command.options) {
      if ((!option.required && !option.optional) || isList(option)) continue;
      const negated = command.options.find((other) => other.negate && other.attributeName() === option.attributeName());
      let given: Option | undefined;
      const note = (now: Option) => {
        if (given !== undefined && given !== now) {
          const flags = `'${option.flags}' and '${negated?.flags}'`;
          command.error(`error: options ${flags} contradict each other\nUse only one of them.`);
        }
        if (given === option)
          command.error(`error: option '${option.flags}' was given twice\nUse it once. It takes one value.`);
        given = now;
      };
      for (const each of negated === undefined ? [option] : [option, negated]) {
        command.on(`option:${each.name()}`, () => note(each));
      }
    }
  }
}

/** A parser that collects values has a parameter for the earlier ones. The parser of `choices` has it too, and ignores it. */
function isList({ variadic, argChoices, parseArg }: Option): boolean {
  return variadic || (argChoices === undefined && (parseArg?.length ?? 0) > 1);
}
