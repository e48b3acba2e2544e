// Hosts that start, test and remove life locks at the same time. The interleavings of two processes happen between opening a file and locking it.

import { existsSync, readdirSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadSqlite, type OpenSqlite, type SqliteDatabase } from "../../../src/host/sqlite/driver.js";
import { openLives } from "../../../src/host/sqlite/lives.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const temporary = temporaryFolder();
afterAll(() => temporary.remove());
const [ANN, BEN] = ["a".repeat(32), "b".repeat(32)];
const open = await loadSqlite();
let folders = 0;
const newFolder = () => temporary.path(`lives-${folders++}`);

/** Opens files of SQLite, and calls `meanwhile` once, after the file of `id` was opened and before it is locked. */
function interrupted(id: string, meanwhile: (path: string) => void): OpenSqlite {
  let isOver = false;
  return (path) => {
    const database = open(path);
    if (isOver || !path.endsWith(id)) return database;
    isOver = true;
    meanwhile(path);
    return database;
  };
}

describe("PSS-125 the life lock of a host", () => {
  it("is on the file that has its name, though another host removes the first one", () => {
    const folder = newFolder();
    const ann = openLives(interrupted(ANN, unlinkSync), folder, ANN);
    const ben = openLives(open, folder, BEN);
    expect(ben.isAlive(ANN)).toBe(true);
    expect(ben.count()).toBe(2);
    ann.release();
    expect(ben.isAlive(ANN)).toBe(false);
    ben.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is on the file that has its name, though another host puts a second one there and then removes it", () => {
    const folder = newFolder();
    let other: SqliteDatabase | undefined;
    const replace = (path: string): void => {
      unlinkSync(path);
      writeFileSync(path, "");
      other = open(path);
      other.exec("BEGIN EXCLUSIVE");
    };
    const path = join(folder, ANN);
    const secondOpen = interrupted(ANN, replace);
    let opens = 0;
    const ann = openLives(
      (name) => {
        if (name === path && ++opens === 2) {
          unlinkSync(path);
          other?.close();
          writeFileSync(path, "");
        }
        return secondOpen(name);
      },
      folder,
      ANN,
    );
    expect(opens).toBeGreaterThan(1);
    const ben = openLives(open, folder, BEN);
    expect(ben.isAlive(ANN)).toBe(true);
    for (const lives of [ann, ben]) lives.release();
  });

  it("stays where a host tests the file of a dead one, which another host has removed and whose name has a new file", () => {
    const folder = newFolder();
    const ben = openLives(open, folder, BEN);
    writeFileSync(join(folder, ANN), "");
    let live: SqliteDatabase | undefined;
    const tester = openLives(
      interrupted(ANN, (path) => {
        unlinkSync(path);
        writeFileSync(path, "");
        live = open(path);
        live.exec("BEGIN EXCLUSIVE");
      }),
      folder,
      "c".repeat(32),
    );
    expect(live).toBeDefined();
    expect(existsSync(join(folder, ANN))).toBe(true);
    expect(ben.isAlive(ANN)).toBe(true);
    live?.close();
    for (const lives of [tester, ben]) lives.release();
  });

  it("is not there where another host has removed the file of a dead one during the test", () => {
    const folder = newFolder();
    const lives = openLives(interrupted(ANN, unlinkSync), folder, BEN);
    writeFileSync(join(folder, ANN), "");
    expect(lives.isAlive(ANN)).toBe(false);
    expect(lives.count()).toBe(1);
    lives.release();
    expect(readdirSync(folder)).toEqual([]);
  });
});
