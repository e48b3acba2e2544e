import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { watchWorkspace } from "../../../src/cli/agent/workspace.js";

async function watching() {
  const folder = mkdtempSync(join(tmpdir(), "agent-watch-"));
  const put = (path: string, text: string) => writeFileSync(join(folder, path), text);
  put("kept", "1");
  put("gone", "1");
  return { folder, put, workspace: await watchWorkspace({ agent: "claude", folder, except: [] }) };
}

it("notes changes with the turn whose tools had run, in steps over all conversations", async () => {
  const { folder, put, workspace } = await watching();
  await workspace.look();
  workspace.opened(0, 0);
  put("new", "1");
  rmSync(join(folder, "gone"));
  await workspace.look();
  workspace.opened(0, 1);
  put("new", "22");
  await workspace.look();
  // A sub-agent begins: the change is of the conversation that goes on.
  workspace.opened(1, 0);
  workspace.opened(0, 2);
  put("late", "");
  expect(await workspace.end()).toBe(0);
  expect(workspace.extensionOf(0).changes.map(({ step, turn, path }) => [step, turn, path])).toEqual([
    [1, 0, "gone"],
    [1, 0, "new"],
    [2, 1, "new"],
    [3, 2, "late"],
  ]);
  expect(workspace.extensionOf(0).changes[1]).not.toHaveProperty("before");
  expect(workspace.extensionOf(0).changes[0]).not.toHaveProperty("after");
  expect(workspace.extensionOf(1).changes).toEqual([]);
});

it("loses no change to a run without a turn, and none to scans at once", async () => {
  const { put, workspace } = await watching();
  put("new", "1");
  await Promise.all([workspace.look(), workspace.look()]);
  workspace.opened(0, 0);
  workspace.opened(0, 1);
  expect(workspace.extensionOf(0).changes).toHaveLength(1);
  expect(await workspace.end()).toBeUndefined();
});
