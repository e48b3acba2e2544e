// `cassette record`: runs a command that records, or records between any client and its vendor.

import { Option, type Command } from "commander";
import type { AgentName } from "../agent/agents.js";
import {
  agentOption,
  DEFAULT_PORT,
  jobOptions,
  filterFileOption,
  filterOption,
  passOption,
  portOption,
  parsePath,
  parseUsd,
  pricesOption,
  shardOption,
  type Shard,
  wholeNumber,
} from "../options/values.js";
import { MAX_RECORDED_RUNS } from "../limits.js";
import type { CommandIo } from "../terminal/io.js";

interface RecordOptions {
  agent?: AgentName;
  keepContents?: boolean;
  proxy?: boolean;
  target?: string;
  out?: string;
  port?: number;
  refresh?: boolean;
  fromFirstMiss?: boolean;
  redact: boolean;
  filter?: string[];
  filterFile?: string;
  json?: boolean;
  streams: "boundaries" | "times" | "off";
  keepErrors?: boolean;
  pass?: string[];
  adopt?: string;
  runs?: number;
  into?: string;
  shard?: Shard;
  resume?: boolean;
  maxCostUsd?: number;
  prices?: string;
  job?: string;
  store?: string;
}

export function recordCommand(program: Command, io: CommandIo): void {
  const record = declare(program);
  record.action((command: string[], options: RecordOptions) => act(record, command, options, io));
}

function declare(program: Command): Command {
  const [job, store] = jobOptions("with --runs: share the runs with all machines that use this name");
  return program
    .command("record")
    .description("run a command in record mode, or record through a proxy")
    .usage(
      "[options] -- <command...>\n       cassette record --proxy --target <url> --out <file> [-- <command...>]\n       cassette record --agent <name> -- <command...>\n       cassette record --runs <k> --into <folder> [--job <name> --store <where>] -- <command...>",
    )
    .argument("[command...]", "command to run, with its arguments")
    .passThroughOptions()
    .option("--refresh", "replace existing recordings (CASSETTE_MODE=refresh)")
    .option("--from-first-miss", "keep the turns that still replay, and record the rest again")
    .addOption(agentOption("record"))
    .option("--keep-contents", "with --agent: keep the texts of changed files, not only their hashes")
    .option("--proxy", "forward requests to --target and record them, until stopped or until the command ends")
    .option("--target <url>", "with --proxy: base URL of the vendor")
    .option("--out <file>", "with --proxy: cassette to write, or a folder for one file per conversation", parsePath)
    .addOption(portOption("with --proxy: "))
    .option("--no-redact", "with --proxy: keep secrets; without this option they are redacted")
    .addOption(
      new Option(
        "--streams <what>",
        "with --proxy: what to keep of streamed answers: chunk boundaries, also their times, or neither",
      )
        .choices(["boundaries", "times", "off"])
        .default("boundaries"),
    )
    .option(
      "--keep-errors",
      "with --proxy: record the vendor's errors and cut streams too, for the retries of a client",
    )
    .addOption(passOption("with --proxy: a request to forward without recording it, which does not fail"))
    .addOption(filterOption("with --proxy: "))
    .addOption(filterFileOption("with --proxy: "))
    .addOption(
      new Option("--runs <k>", "run the command this many times, for cassette drift").argParser(
        wholeNumber(1, MAX_RECORDED_RUNS),
      ),
    )
    .option("--into <folder>", "with --runs: folder for the recordings of all runs", parsePath)
    .addOption(shardOption("with --runs: do one"))
    .addOption(job)
    .addOption(store)
    .option("--adopt <file>", "make the recording of a failed test its cassette; runs nothing", parsePath)
    .option("--resume", "with --runs: continue after an interruption")
    .option("--max-cost-usd <usd>", "with --runs: begin no run that could exceed this cost in USD", parseUsd)
    .addOption(pricesOption("with --runs: "))
    .option("--json", "print one JSON document; the output of the command goes to stderr");
}

async function act(record: Command, command: readonly string[], options: RecordOptions, io: CommandIo): Promise<void> {
  const { proxy, target, out, refresh = false, fromFirstMiss = false, redact, json = false } = options;
  const { streams, keepErrors = false, pass = [], filter, filterFile, agent, keepContents = false } = options;
  const kept = { streams: streams === "off" ? (false as const) : streams, keepErrors, pass };
  if (options.adopt !== undefined) {
    if (command.length > 0) record.error("error: --adopt runs no command");
    const { adopt } = await import("../adopt.js");
    return adopt(options.adopt, json, io);
  }
  const { runs, into, shard, resume, maxCostUsd, prices } = options;
  const given = [into, shard, options.job, options.store, resume, maxCostUsd, prices];
  if (runs === undefined && given.some((value) => value !== undefined)) {
    record.error("error: --into, --shard, --job, --store, --resume, --max-cost-usd and --prices need --runs");
  }
  if (runs !== undefined && (proxy === true || agent !== undefined || refresh || fromFirstMiss)) {
    const advice = "give a whole command after --, such as npx playhead record --proxy …";
    record.error(`error: --runs cannot be used with --proxy, --agent, --refresh or --from-first-miss; ${advice}`);
  }
  if (agent !== undefined) {
    const { readCommand, recordAgent } = await import("../agent/run.js");
    const { port } = options;
    const own = { agent, target, out, port, keepsContents: keepContents, command: readCommand(command) };
    return recordAgent({ ...own, refresh, redact, json, filter, filterFile, ...kept }, io);
  }
  if (keepContents) record.error("error: --keep-contents needs --agent");
  if (proxy === true) {
    if (target === undefined) record.error("error: required option '--target <url>' not specified");
    if (out === undefined) record.error("error: required option '--out <file>' not specified");
    const { recordProxy } = await import("../proxy/proxy.js");
    const { port = command.length === 0 ? DEFAULT_PORT : 0 } = options;
    const run = command.length === 0 ? {} : { command };
    return recordProxy({ target, out, port, refresh, redact, json, filter, filterFile, ...kept, ...run }, io);
  }
  if (keepErrors || pass.length > 0) record.error("error: --keep-errors and --pass need --proxy");
  if (record.getOptionValueSource("streams") === "cli") record.error("error: --streams needs --proxy");
  if (target !== undefined || out !== undefined) record.error("error: --target and --out need --proxy");
  if (filter !== undefined || filterFile !== undefined) {
    record.error("error: --filter and --filter-file need --proxy; in a test, set hashFilter");
  }
  if (!redact) record.error("error: --no-redact needs --proxy; in a test, set redact: false");
  if (command.length === 0) record.error("error: missing required argument 'command'");
  if (refresh && fromFirstMiss) record.error("error: --refresh and --from-first-miss cannot be used together");
  if (runs !== undefined) {
    if (into === undefined) record.error("error: --runs needs --into <folder>");
    if (options.job !== undefined || options.store !== undefined) {
      if ([shard, resume, maxCostUsd].some((value) => value !== undefined))
        record.error("error: --job cannot be used with --shard, --resume or --max-cost-usd");
      const { jobOf } = await import("../job/store.js");
      const { recordJob } = await import("../runs/job.js");
      const own = jobOf(options);
      if (own !== undefined) return recordJob({ command, runs, into, prices, json, ...own }, io);
    }
    const { recordRuns } = await import("../runs/record-runs.js");
    return recordRuns({ command, runs, into, shard, resume, maxCostUsd, prices, json }, io);
  }
  const mode = refresh ? "refresh" : fromFirstMiss ? "from-first-miss" : "record";
  const { runWithCassettes } = await import("../child/run-with-cassettes.js");
  await runWithCassettes({ verb: "record", mode, command, json }, io);
}
