// `cassette show --html`: a cassette or a bundle as a page in one file. A file that is there stays as it is unless asked.

import { defined } from "../../core/index.js";
import { basename } from "node:path";
import {
  BUNDLE_SUFFIX,
  CASSETTE_SUFFIX,
  createBundleStore,
  createCassetteStore,
  type AgentBundle,
  type Cassette,
} from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";
import { toBundlePage, toConversationPage, type ConversationPage, type LeftOut } from "../../harness/index.js";
import { pathBeside } from "../../host/index.js";
import { CliError } from "../errors.js";
import { EXIT } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { assertNoFolder } from "./folder.js";
import { count, createPrinter, writeJson } from "../terminal/output.js";

/** The flags of `cassette show` that matter for a page. */
export interface PageOptions {
  turn?: string;
  full?: boolean;
  force?: boolean;
  maxBytes?: number;
  json?: boolean;
}

/** Writes the page and says where. `html` is the path asked for; true means one beside the cassette. */
export async function showPage(file: string, html: string | true, options: PageOptions, io: CommandIo): Promise<void> {
  if (options.turn !== undefined) {
    throw new CliError("usage", "--turn was given with --html", "A page has all turns; leave --turn out.");
  }
  const files = filesAt(io);
  await assertNoFolder(files, file, [CASSETTE_SUFFIX, BUNDLE_SUFFIX]);
  const out = html === true ? pageBeside(file) : html;
  const { page, turns } = await read(files, file, options);
  const result = await files.write(out, page.text, { overwrite: options.force === true });
  if (result.kind === "exists") {
    const hint = "Add --force to replace it, or name another file: --html OUT.";
    throw new CliError("page-not-written", `${out} exists and was left as it is`, hint, out);
  }
  if (result.kind === "failed") {
    const hint = "Name a file that can be written: --html OUT.";
    throw new CliError("page-not-written", `${out} cannot be written: ${result.message}`, hint, out);
  }
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

function pageBeside(file: string): string {
  return pathBeside(file, `${titleOf(file)}.html`);
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
  { full: isFull = false, maxBytes }: PageOptions,
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
