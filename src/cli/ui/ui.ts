// `cassette ui`: a page on this machine over a folder of recordings and reports, until a signal ends it.

import { randomBytes } from "node:crypto";
import { opendir, realpath } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { CliError } from "../errors.js";
import { KEY_BYTES } from "../limits.js";
import { openTolerances } from "../options/tolerances.js";
import { listen, untilSignal, type Stop } from "../serve/listen.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { createNotes, createPrinter } from "../terminal/output.js";
import { createCatalogue } from "./catalogue.js";
import { readContents } from "./contents.js";
import { uiHandler } from "./handler.js";
import { toItems } from "./summary.js";

export interface UiOptions {
  port: number;
}

/** Serves until `stop`. Throws `nothing-found` for a folder that does not exist, and `cannot-listen`. */
export async function ui(
  folder: string,
  { port }: UiOptions,
  io: CommandIo,
  stop: Stop = untilSignal(),
): Promise<void> {
  try {
    const root = await rootOf(folder, io);
    const files = filesAt(io);
    const catalogue = createCatalogue(root, async (found) =>
      toItems(found, await readContents(files, root, found.path)),
    );
    const tolerated = await openTolerances(files, undefined);
    const key = randomBytes(KEY_BYTES).toString("base64url");
    const name = folder === "." ? basename(root) : folder;
    const sources = { root, cwd: io.cwd, files, catalogue, tolerances: tolerated?.value };
    const note = createNotes(io);
    const server = await listen(uiHandler(key, name, sources), {
      port,
      onRefused: ({ method, path }, why) => note("refused: ", `${method} ${path}: ${why}`),
    });
    try {
      catalogue.look();
      const print = createPrinter(io);
      print("showing ", folder, ` at ${server.url}/${key}/`);
      print("   Press Ctrl+C to stop.");
      await stop.stopped;
    } finally {
      catalogue.close();
      await server.close();
    }
  } finally {
    stop.now();
  }
}

async function rootOf(folder: string, { cwd, files }: CommandIo): Promise<string> {
  const path = resolve(cwd, folder);
  if ((await files.read(path, 0)).kind === "not-found") {
    throw new CliError("nothing-found", `${folder} does not exist`, "Name a folder of cassettes and reports.", folder);
  }
  const opened = await opendir(path).catch(() => undefined);
  if (opened === undefined)
    throw new CliError("usage", `${folder} is not a folder that can be read`, "Name a folder.", folder);
  await opened.close();
  return realpath(path);
}
