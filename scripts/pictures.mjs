// Writes the pictures of the README: the output of Vitest for a miss, and the output of `cassette drift`. Both
// programs run here, on small scripted recordings. Their output becomes SVG, in one version for light pages and one
// for dark pages.
//
//   node scripts/pictures.mjs [folder]        default docs/pictures, needs dist

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Cells in a row, and the size of a cell and of the margin in pixels. */
const [WIDTH, CELL, LINE, PADDING] = [108, 7.8, 19, 16];
const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const THEMES = {
  light: {
    ...{ page: "#ffffff", border: "#d0d7de", text: "#1f2328", dim: "#59636e" },
    ...{ red: "#cf222e", green: "#116329", yellow: "#7d4e00", blue: "#0969da", magenta: "#8250df", cyan: "#1b7c83" },
  },
  dark: {
    ...{ page: "#0d1117", border: "#30363d", text: "#e6edf3", dim: "#9198a1" },
    ...{ red: "#ff7b72", green: "#7ee787", yellow: "#e3b341", blue: "#79c0ff", magenta: "#d2a8ff", cyan: "#76e3ea" },
  },
};

const out = resolve(process.argv[2] ?? join(root, "docs/pictures"));

/** Inside the repository, so that `playhead` resolves to the package itself. */
mkdirSync(join(root, ".playhead"), { recursive: true });
const folder = mkdtempSync(join(root, ".playhead/pictures-"));
try {
  mkdirSync(out, { recursive: true });
  draw("miss", "A test that fails because the system prompt changed", "npx vitest run", missedTest());
  draw("drift", "The report of a model upgrade", "npx playhead drift orbit-1 orbit-2", driftReport());
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** From the name of the failed test to the end of the miss. */
function missedTest() {
  const test = (style) => `import { createRuntime, scriptedProvider } from "playhead";
import { expect, test } from "playhead/vitest";

const answer = { message: { role: "assistant", content: "Boots." }, finalAnswer: "Boots.", stopReason: "stop" };

test("packs for rain", async ({ cassette }) => {
  const { provider } = await cassette(() => scriptedProvider([answer]));
  const agents = [{ id: "packer", systemPrompt: "Look at the weather. ${style}", provider }];
  expect((await createRuntime({ agents }).run({ goal: "What do I pack for Bergen?" })).finalAnswer).toBe("Boots.");
});
`;
  const config =
    'export default { test: { include: ["*.test.mjs"], server: { deps: { external: [/\\/dist\\//] } } } };\n';
  writeFileSync(join(folder, "vitest.config.mjs"), config);
  const runTest = (style, mode) => {
    writeFileSync(join(folder, "agent.test.mjs"), test(style));
    return run([join(root, "node_modules/vitest/vitest.mjs"), "run", "--root", folder], mode);
  };
  runTest("Answer in one sentence.", "record");
  const lines = runTest("Answer in a few words.", "replay").split("\n");
  const start = lines.findIndex((line) => stripVTControlCharacters(line).startsWith(" FAIL "));
  const end = lines.findIndex((line, index) => index > start && stripVTControlCharacters(line).includes("  command "));
  if (start < 0 || end < 0) throw new Error(`the replay did not miss:\n${lines.join("\n")}`);
  return lines.slice(start, end + 1);
}

/** Six runs of each model: the second one often guesses the weather, and then packs the wrong things. */
function driftReport() {
  const program = `import { scriptedProvider } from "playhead";
import { recordingProvider, saveCassette } from "playhead/cassette";

const call = (name, args) => ({
  message: { role: "assistant", content: "", toolCalls: [{ id: "c1", name, arguments: args }] },
  stopReason: "toolUse",
});
const answer = { message: { role: "assistant", content: "Done." }, finalAnswer: "Done.", stopReason: "stop" };
const look = [call("weather", { city: "Bergen" }), call("wardrobe", { sky: "rain" }), answer];
const guess = [call("wardrobe", { sky: "sun" }), answer];

for (const [model, runs] of Object.entries({ "orbit-1": [look, look, look, look, look, look], "orbit-2": [guess, look, guess, guess, guess, guess] })) {
  for (const [index, turns] of runs.entries()) {
    const provider = recordingProvider(scriptedProvider(turns));
    const messages = [{ role: "user", content: "What do I pack for Bergen?" }];
    for (const _ of turns) await provider.turn({ messages });
    const extensions = { outcome: { success: turns === look } };
    await saveCassette(\`\${model}/packing.\${index}.cassette.json\`, provider.toCassette({ extensions }));
  }
}
`;
  writeFileSync(join(folder, "record.mjs"), program);
  run([join(folder, "record.mjs")]);
  // A pipe has no colours, so the process must believe that it writes to a terminal.
  const terminal = "data:text/javascript,process.stdout.isTTY=true";
  const printed = run(["--import", terminal, join(root, "dist/cli/bin.js"), "drift", "orbit-1", "orbit-2"]);
  return printed.trimEnd().split("\n");
}

/** The output of a program on stdout and then on stderr, without the path of its folder. */
function run(args, mode) {
  const { CI: _ci, NO_COLOR: _colour, VITEST: _vitest, NODE_ENV: _node, ...inherited } = process.env;
  const env = { ...inherited, FORCE_COLOR: "1", TZ: "UTC", ...(mode === undefined ? {} : { CASSETTE_MODE: mode }) };
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", env });
  return (stdout + stderr).replaceAll(`${folder}/`, "");
}

function draw(name, title, command, lines) {
  for (const [theme, colours] of Object.entries(THEMES)) {
    writeFileSync(
      join(out, `${name}-${theme}.svg`),
      toSvg(title, [`\u001b[1m$ ${command}\u001b[22m`, ...wrap(lines)], colours),
    );
  }
}

/** Cells of one style, by line: each line is a list of `{ text, bold, dim, colour, background }`. */
function toCells(line) {
  const runs = [];
  let look = {};

  for (const part of line.split(/(\u001b\[[\d;]*m)/)) {
    const codes = /^\u001b\[([\d;]*)m$/.exec(part)?.[1];
    if (codes !== undefined) look = codes.split(";").reduce((before, code) => restyle(before, Number(code)), look);
    else if (part !== "") runs.push(...Array.from(part, (text) => ({ ...look, text })));
  }
  return runs;
}

function restyle(look, code) {
  if (code === 0) return {};
  if (code === 1) return { ...look, bold: true };
  if (code === 2) return { ...look, dim: true };
  if (code === 22) return { ...look, bold: false, dim: false };
  if (code >= 30 && code <= 37) return { ...look, colour: NAMES[code - 30] };
  if (code === 39) return { ...look, colour: undefined };
  if (code >= 40 && code <= 47) return { ...look, background: NAMES[code - 40] };
  if (code === 49) return { ...look, background: undefined };
  if (code === 90) return { ...look, dim: true };
  return look;
}

/** Lines of at most WIDTH cells, broken at a space where there is one. The rest of a line is indented as far as its text. */
function wrap(lines) {
  return lines.flatMap((line) => wrapCells(toCells(line)));
}

function wrapCells(cells) {
  if (cells.length <= WIDTH) return [cells];
  const indent = cells.findIndex(({ text }) => text !== " ");
  const space = cells.findLastIndex(({ text }, index) => text === " " && index < WIDTH && index > indent);
  const [end, next] = space < 0 ? [WIDTH, WIDTH] : [space, space + 1];
  const margin = Array.from({ length: indent + 2 }, () => ({ text: " " }));
  return [cells.slice(0, end), ...wrapCells([...margin, ...cells.slice(next)])];
}

function toSvg(title, [command, ...lines], theme) {
  const rows = [toCells(command), ...lines];
  const width = Math.ceil(WIDTH * CELL + 2 * PADDING);
  const height = rows.length * LINE + 2 * PADDING;
  const text = rows.map((cells, row) => toRow(cells, PADDING + row * LINE, theme)).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escape(title)}</title>
<rect width="${width}" height="${height}" rx="8" fill="${theme.page}" stroke="${theme.border}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13">
${text}</g>
</svg>
`;
}

/** One row: a text for each run of cells of one style, at its own column, so that no font moves the next text. */
function toRow(cells, top, theme) {
  const runs = [];
  cells.forEach(({ text, ...look }, column) => {
    const key = JSON.stringify(look);
    const last = runs.at(-1);
    if (last?.key === key) last.text += text;
    else runs.push({ key, text, column, ...look });
  });
  return runs
    .filter(({ text, background }) => text.trim() !== "" || background !== undefined)
    .map((run) => toText(run, top, theme))
    .join("");
}

function toText({ text, column, bold, dim, colour, background }, top, theme) {
  const lead = text.length - text.trimStart().length;
  const at = (cell) => (PADDING + cell * CELL).toFixed(1);
  const size = (characters) => (characters * CELL).toFixed(1);
  const shown = text.trim();
  const fill = background === undefined ? (theme[colour] ?? (dim ? theme.dim : theme.text)) : theme.page;
  const badge = `<rect x="${at(column)}" y="${top}" width="${size(text.length)}" height="${LINE}" fill="${theme[background]}"/>\n`;
  const weight = bold ? ' font-weight="bold"' : "";
  const place = `x="${at(column + lead)}" y="${top + LINE - 5}" textLength="${size(shown.length)}" lengthAdjust="spacingAndGlyphs"`;
  return `${background === undefined ? "" : badge}<text ${place} fill="${fill}"${weight}>${escape(shown.replaceAll(" ", "\u00a0"))}</text>\n`;
}

function escape(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
