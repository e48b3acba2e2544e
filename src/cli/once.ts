// An option that takes one value refuses a second one: the last would win in silence, and what the first names go unchecked.

import type { Command, Option } from "commander";

/** For every option of the commands, but those that collect a list. */
export function refuseRepeated(commands: readonly Command[]): void {
  for (const command of commands) {
    for (const option of command.options) {
      if ((!option.required && !option.optional) || isList(option)) continue;
      let isGiven = false;
      command.on(`option:${option.name()}`, () => {
        if (isGiven)
          command.error(`error: option '${option.flags}' was given twice\nGive it once: it takes one value.`);
        isGiven = true;
      });
    }
  }
}

/** A parser with a parameter for the earlier values collects them; the one of `choices` has it too, and ignores it. */
function isList({ variadic, argChoices, parseArg }: Option): boolean {
  return variadic || (argChoices === undefined && (parseArg?.length ?? 0) > 1);
}
