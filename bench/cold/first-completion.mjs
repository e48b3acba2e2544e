// node first-completion.mjs CONTESTANT: the set-up of a replay, and its first completion.

import { pathToFileURL } from "node:url";

const { open, CONTENT } = await import(pathToFileURL(process.argv[2]).href);
const { ask } = await open();
if ((await ask()) !== CONTENT) throw new Error("another completion came back");
// A contestant may have a server that would keep the process alive.
process.exit();
