// The option `--reporter` of commands that make reports: "text,html=bench.html".

import { InvalidArgumentError, Option } from "commander";
import type { ReportTarget } from "../drift/outputs.js";
import { parsePath } from "./values.js";

/** Takes one list of reports. */
export function reporterOption(names: readonly string[]): Option {
  const meaning = `reports to make, some of ${names.join(", ")}; name=file writes a file (default: text)`;
  return new Option("--reporter <list>", meaning).argParser((text: string) =>
    text.split(",").map((part): ReportTarget => {
      const [name = "", ...out] = part.trim().split("=");
      if (!names.includes(name)) {
        throw new InvalidArgumentError(`"${name}" is not a reporter. Use some of ${names.join(", ")}.`);
      }
      return out.length === 0 ? { name } : { name, out: parsePath(out.join("=")) };
    }),
  );
}
