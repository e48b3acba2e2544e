// `playhead/vitest/reporter`: the reporter, for `reporters: ["default", "playhead/vitest/reporter"]`.

import type { Reporter, Vitest } from "vitest/node";
import {
  createCassetteReporter,
  PART_BY_NAME,
  type CassetteReporterOptions,
  type ReportedModule,
} from "../harness/index.js";
import { nodeFiles } from "../host/index.js";

/** A Vitest reporter that lists orphan cassettes at the end of a run. See `CassetteReporterOptions`. */
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
    await this.#report(modules, this.#vitest?.config.shard, this.#vitest && partOf(this.#vitest));
  }
}

/** Describes the option that selected only part of the tests. Shards are handled separately. */
function partOf(vitest: Vitest): string | undefined {
  const { watch, changed, related, project, testNamePattern } = vitest.config;
  // Vitest has no public name for the file filters of the command line.
  const { filenamePattern } = vitest as unknown as { filenamePattern?: unknown };
  if (watch) return "a watched run may cover only some test files";
  if (Array.isArray(filenamePattern) && filenamePattern.length > 0) return "only some test files were selected";
  if (testNamePattern !== undefined) return PART_BY_NAME;
  if (related !== undefined && related.length > 0) return "only related test files were selected";
  if (changed !== undefined && changed !== false) return "only changed test files were selected";
  return project !== undefined && project.length > 0 ? "only some projects were selected" : undefined;
}

// Vitest loads the default export of a reporter in its configuration.
export { CassetteReporter as default };
