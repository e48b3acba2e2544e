import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PrivateFolder } from "../../../../src/host/process/fabric/private-folder.js";

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "playhead-test-"));
  vi.stubEnv("TMPDIR", home);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

describe("the folder of a fabric", () => {
  it("is made when it is needed, for its user alone, and goes with it", async () => {
    const folder = new PrivateFolder();
    await folder.close();
    const path = await folder.path();
    expect([await folder.path(), dirname(path)]).toEqual([path, home]);
    if (process.platform !== "win32") expect(statSync(path).mode & 0o777).toBe(0o700);
    writeFileSync(join(path, "a"), "");
    await folder.close();
    await folder.close();
    expect(existsSync(path)).toBe(false);
  });

  it("clears up after a process that was killed, and leaves all else alone", async () => {
    const child = spawn(process.execPath, ["-e", ""]);
    await once(child, "exit");
    const first = new PrivateFolder();
    const own = await first.path();
    const of = (pid: number | undefined): string => join(home, basename(own).replace(`-${process.pid}-`, `-${pid}-`));
    const [dead, living] = [of(child.pid), of(process.ppid)];
    const others = [living, join(home, `playhead-000000-${child.pid}-abcdef`), join(home, "playhead-other")];
    for (const path of [dead, ...others]) mkdirSync(path);
    writeFileSync(join(dead, "1.data_in"), "");
    await new PrivateFolder().path();
    expect(existsSync(dead)).toBe(false);
    expect([own, ...others].map((path) => existsSync(path))).toEqual([true, true, true, true]);
  });
});
