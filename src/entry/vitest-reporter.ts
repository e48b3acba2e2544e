// `playhead/vitest/reporter`: the reporter bound to the files of this machine, for `reporters: ["default", "playhead/vitest/reporter"]`.

import type { Reporter, Vitest } from "vitest/node";
import { createCassetteReporter, type CassetteReporterOptions, type ReportedModule } from "../harness/index.js";
import { nodeFiles } from "../host/index.js";

export type { CassetteReporterOptions };

/** Lists orphan cassettes at the end of a run; see `CassetteReporterOptions`. */
class CassetteReporter implements Reporter {
  readonly #report: ReturnType<typeof createCassetteReporter>;
  #vitest: Vitest | undefined;

  constructor(options?: CassetteReporterOptions) {
    this.#report = createCassetteReporter(
      {
        files: nodeFiles(),
        environment: process.env,
        print: (line) => this.#vitest?.logger.log(line),
        fail: () => void (process.exitCode = 1),
      },
      options,
    );
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  async onTestRunEnd(modules: readonly ReportedModule[]): Promise<void> {
    await this.#report(modules, this.#vitest?.config.shard);
  }
}

// Vitest takes the default export of a reporter that is named in its configuration.
export { CassetteReporter, CassetteReporter as default };
