// `cassette show --html`: writes a cassette or a bundle as a page in one file. Only --force replaces a file.

import { basename } from "node:path";
import {
  BUNDLE_SUFFIX,
  CASSETTE_SUFFIX,
  createBundleStore,
  createCassetteStore,
  type AgentBundle,
  type Cassette,
} from "../../cassette/index.js";
import { defined, type FilePort } from "../../core/index.js";
import { toBundlePage, toConversationPage, type ConversationPage, type LeftOut } from "../../harness/index.js";
import { pathBeside } from "../../host/index.js";
import { usageError } from "../errors.js";
import { assertNoRecording, writeText } from "../options/file.js";
import { assertNoFolder } from "../options/recordings.js";
import type { ShowOptions } from "./show.js";
import { EXIT } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { count, createPrinter, writeJson } from "../terminal/output.js";

/** Writes the page to the path `html`, or next to the cassette for `true`. */
export async function showPage(file: string, html: string | true, options: ShowOptions, io: CommandIo): Promise<void> {
  if (options.turn !== undefined) {
    throw usageError("--turn was given with --html", "Leave --turn out. A page has all turns.");
  }
  const files = filesAt(io);
  await assertNoFolder(files, file, "show", [CASSETTE_SUFFIX, BUNDLE_SUFFIX]);
  const out = html === true ? pathBeside(file, `${titleOf(file)}.html`) : html;
  assertNoRecording(out, "page-not-written", [file]);
  const { page, turns } = await read(files, file, options);
  await writeText(files, out, page.text, {
    code: "page-not-written",
    overwrite: options.force === true,
    taken: "Add --force to replace it, or name another file: --html OUT.",
    hint: "Name a file that can be written: --html OUT.",
  });
  const { leftOut } = page;
  if (options.json === true) {
    writeJson(io, "show", EXIT.ok, { file, html: out, turns, leftOut });
    return;
  }
  const line = createPrinter(io);
  line({ look: "good", text: "written " }, out, `: ${count(turns, "turn")}${sayLeftOut(leftOut)}`);
}

function sayLeftOut({ texts, items, images }: LeftOut): string {
  const parts = [
    ...(texts > 0 ? [`${count(texts, "text")} cut`] : []),
    ...(items > 0 ? [`${count(items, "message or call", "messages or calls")} left out`] : []),
    ...(images > 0 ? [`${count(images, "image")} left out`] : []),
  ];
  return parts.length === 0 ? "" : `; ${parts.join(", ")}${texts + items > 0 ? " (--full has all text)" : ""}`;
}

function titleOf(file: string): string {
  const name = basename(file);
  const suffix = [CASSETTE_SUFFIX, BUNDLE_SUFFIX, ".json"].find(
    (end) => name.length > end.length && name.endsWith(end),
  );
  return suffix === undefined ? name : name.slice(0, -suffix.length);
}

async function read(
  files: FilePort,
  file: string,
  { full: isFull = false, maxBytes }: ShowOptions,
): Promise<{ page: ConversationPage; turns: number }> {
  const options = { title: titleOf(file), isFull };
  if (file.endsWith(BUNDLE_SUFFIX)) {
    const bundle: AgentBundle = await createBundleStore(files, pathBeside).load(file);
    const turns = Object.values(bundle.bundle.agents).reduce((sum, { entries }) => sum + entries, 0);
    return { page: toBundlePage(bundle, options), turns };
  }
  const cassette: Cassette = await createCassetteStore(files).load(file, {
    ports: { warn: () => undefined },
    ...defined({ maxBytes }),
  });
  return { page: toConversationPage(cassette, options), turns: cassette.entries.length };
}
