// A folder for the sockets and files of one fabric, which only its user can enter. It is made when it is first needed.

import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

/** Where machines share a temporary folder, each clears up its own. Short, since the path of a socket can have only about 100 bytes. */
const PREFIX = `playhead-${createHash("sha256").update(hostname()).digest("hex").slice(0, 6)}-`;
const NAME = new RegExp(`^${PREFIX}(?<pid>\\d+)-`);

export class PrivateFolder {
  #making: Promise<string> | undefined;

  path(): Promise<string> {
    return (this.#making ??= make());
  }

  async close(): Promise<void> {
    const made = await this.#making?.catch(() => undefined);
    if (made !== undefined) await rm(made, { recursive: true, force: true });
  }
}

async function make(): Promise<string> {
  await clearUp();
  return mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
}

/** Removes the folders of processes that were killed. */
async function clearUp(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  const dead = names.filter((name) => {
    const pid = NAME.exec(name)?.groups?.["pid"];
    return pid !== undefined && isGone(Number(pid));
  });
  // A folder of another user stays.
  await Promise.all(
    dead.map((name) => rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined)),
  );
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}
