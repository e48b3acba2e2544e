// Runs a whole process of Node.js and reads its times and its peak memory, as the system reports them (the resident set).

import { spawnSync } from "node:child_process";
import { endWith } from "./scratch.mjs";

// As `peakMiB` of measure.mjs, but without loading a file.
const TELL =
  'import{readFileSync}from"node:fs";process.on("exit",()=>{let{maxRSS,userCPUTime,systemCPUTime}=process.resourceUsage();' +
  'try{maxRSS=/^VmHWM:\\s+(\\d+)/m.exec(readFileSync("/proc/self/status","utf8"))[1]}catch{}' +
  "process.stderr.write(` usage ${maxRSS} ${userCPUTime+systemCPUTime}`)})";

/** Wall and processor time in s, the peak in MiB, and what it printed. Throws if the process fails. */
export function sampleProcess(name, args, { cwd }) {
  const started = process.hrtime.bigint();
  const options = { cwd, encoding: "utf8", maxBuffer: 2 ** 30, env: { ...process.env, CI: "" } };
  const result = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(TELL)}`, ...args],
    options,
  );
  endWith(result);
  const { status, stdout, stderr } = result;
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  const [, kilobytes, microseconds] = / usage (\d+) (\d+)$/.exec(stderr) ?? [];
  if (status !== 0 || kilobytes === undefined) throw new Error(`${name} exited with ${status}: ${stderr}`);
  return { seconds, cpuSeconds: Number(microseconds) / 1e6, peakMiB: Number(kilobytes) / 1024, stdout };
}
