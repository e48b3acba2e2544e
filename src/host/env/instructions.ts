// Instruction files from a root down to a folder. They are not trusted, so they are bounded, and links out of the root are refused.

import { realpath } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { AgentError, decodeUtf8 } from "../../core/index.js";
import { nodeFiles } from "../files.js";
import { codeOf } from "../files/failure.js";
import { isWithin } from "../files/within.js";
import { MAX_INSTRUCTION_BYTES, MAX_INSTRUCTION_FOLDERS } from "../limits.js";

/**
 * The texts of all files with these names, the outermost folder first, each under its path relative to the root. Line ends become
 * `\n`, so that the text is the same on every system. Undefined if there are none. Rejects with `AgentError` `conversation-failed`.
 */
export async function readInstructions(
  root: string,
  cwd: string,
  names: readonly string[],
): Promise<string | undefined> {
  const parts: string[] = [];
  for (const folder of foldersBetween(resolve(root), resolve(root, cwd))) {
    for (const name of names) {
      const text = await readFile(root, join(folder, name));
      if (text !== undefined)
        parts.push(`# ${relative(resolve(root), join(folder, name)).replaceAll(sep, "/")}\n\n${text}`);
    }
  }
  return parts.length === 0 ? undefined : parts.join("\n\n");
}

function foldersBetween(root: string, cwd: string): string[] {
  if (!isWithin(root, cwd)) throw failed(cwd, `it is not below ${root}`);
  const way = relative(root, cwd);
  const names = way === "" ? [] : way.split(sep);
  if (names.length >= MAX_INSTRUCTION_FOLDERS)
    throw failed(cwd, `it lies ${names.length} folders below ${root}, and the limit is ${MAX_INSTRUCTION_FOLDERS - 1}`);
  return [root, ...names.map((_, index) => join(root, ...names.slice(0, index + 1)))];
}

async function readFile(root: string, path: string): Promise<string | undefined> {
  const real = await realPath(path);
  if (real === undefined) return undefined;
  if (!isWithin(await realpath(root), real)) throw failed(path, "it is a link to a file outside of the root");
  const found = await nodeFiles().read(real, MAX_INSTRUCTION_BYTES);
  switch (found.kind) {
    case "not-found":
      return undefined;
    case "too-large":
      throw failed(path, `it has ${found.size} bytes, and the limit is ${MAX_INSTRUCTION_BYTES}`);
    case "failed":
      throw failed(path, found.message);
    case "read":
      return toText(path, found.bytes);
  }
}

async function realPath(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw failed(path, String(codeOf(error) ?? error));
  }
}

function toText(path: string, bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw failed(path, "it is not UTF-8");
  return text.replaceAll("\r\n", "\n").trimEnd();
}

function failed(path: string, why: string): AgentError {
  return new AgentError("conversation-failed", `the instructions ${path} cannot be used: ${why}`, {
    hint: "Correct the file or the folder. Nothing was stored.",
  });
}
