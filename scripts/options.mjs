// Writes the option tables of docs/cli.md from the declarations of the commands. A table is between `<!-- options:
// NAME -->` and `<!-- /options -->`, where NAME is a command, or `overview` for the table of all commands. It needs
// `npm run build`.
//
//   node scripts/options.mjs [file]        default docs/cli.md

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const page = join(root, "docs/cli.md");
const { createProgram } = await import(pathToFileURL(join(root, ".playhead/modules/cli/main.js")).href);
const { commands } = await createProgram(undefined, { stdout: () => undefined, stderr: () => undefined });

const found = new Set();
const text = readFileSync(page, "utf8").replace(
  /(<!-- options: ([\w-]+) -->\n).*?(<!-- \/options -->)/gs,
  (_, open, name, close) => {
    found.add(name);
    return `${open}\n${name === "overview" ? overview() : describeCommand(name)}\n\n${close}`;
  },
);
const missing = ["overview", ...commands.map((command) => command.name())].filter((name) => !found.has(name));
if (missing.length > 0) throw new Error(`docs/cli.md has no <!-- options: … --> for ${missing.join(", ")}`);
writeFileSync(resolve(process.argv[2] ?? page), text);

function overview() {
  const rows = commands.map((command, at) => {
    const group = command.helpGroup();
    const first = group === commands[at - 1]?.helpGroup() ? "" : group;
    return [first, `\`${command.name()}\``, capitalize(command.description())];
  });
  return table(["", "command", "what it does"], rows);
}

function describeCommand(name) {
  const command = commands.find((one) => one.name() === name);
  if (command === undefined) throw new Error(`docs/cli.md names ${name}, which is not a command`);
  const usage = command
    .usage()
    .split("\n")
    .map((line, at) => (at === 0 ? `cassette ${name} ${line}` : line.trim()));
  const rows = [...command.registeredArguments.map(argumentRow), ...command.options.map(optionRow)];
  return `\`\`\`text\n${usage.join("\n")}\n\`\`\`\n\n${table(["option", "value", "default", "meaning"], rows)}`;
}

function argumentRow(argument) {
  const { description, defaultValue, required, variadic } = argument;
  const name = `${argument.name()}${variadic ? "…" : ""}`;
  return row("", required ? `<${name}>` : `[${name}]`, description, defaultValue);
}

function optionRow({ flags, long, description, defaultValue, defaultValueDescription, argChoices, mandatory }) {
  const value = argChoices?.join(", ") ?? /[<[].*$/.exec(flags)?.[0] ?? "";
  const usual = defaultValueDescription ?? defaultValue;
  return row(long, value, description, mandatory ? "required" : usual);
}

/** A default that commander does not know is at the end of the description, as "(default: …)". */
function row(option, value, description, usual) {
  const [, meaning, told] = /^(.*?)(?: \(default: (.*)\))?$/s.exec(description);
  return [code(option), code(value), told ?? (usual === "required" ? usual : code(shown(usual))), capitalize(meaning)];
}

/** A flag has no default. A list is empty by default. */
function shown(usual) {
  return usual === undefined || typeof usual === "boolean" ? "" : String(usual);
}

function table(head, rows) {
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(escapeCell).join(" | ")} |`);
  return lines.join("\n");
}

function code(text) {
  return text === "" ? "" : `\`${text}\``;
}

/** Outside of code, `<` would begin a tag and `*` emphasis. */
function escapeCell(text) {
  const parts = text.split(/(`[^`]*`)/);
  return parts
    .map((part) => (part.startsWith("`") ? part : part.replace(/[<*_]/g, "\\$&")))
    .join("")
    .replaceAll("|", "\\|");
}

/** A first word that is a file name, an option or a term such as `module:` keeps its spelling. */
function capitalize(text) {
  return /^[a-z][a-z-]*(?=[\s,;)]|$)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
