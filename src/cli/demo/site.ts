// The little web site the demo's agent researches: a real HTTP server on the loopback interface.

import { serveLoopback, type LoopbackServer } from "./loopback.js";

const PAGES: Readonly<Record<string, string>> = {
  "/": "Orbit Outfitters. Model rockets since forever. Pages: /kits, /about, /press",
  "/kits": "Kits: Heron 64 EUR, Sparrow 19 EUR, Albatross 120 EUR",
  "/about": "About us: two sisters opened the shop in 1987.",
  "/press": "Press: the Albatross flew 1,204 metres in 2019.",
};

/** The answer of the agent's `read_page` tool for a path of the site. */
export type ReadPage = (path: string, signal: AbortSignal) => Promise<string>;

export async function serveSite(): Promise<LoopbackServer & { readPage: ReadPage }> {
  const server = await serveLoopback((path) => {
    const page = PAGES[path.split("?")[0] ?? ""];
    return page === undefined ? { status: 404, body: "no such page" } : { status: 200, body: page };
  });
  return {
    ...server,
    async readPage(path, signal) {
      const response = await fetch(new URL(path, server.url), { signal });
      if (!response.ok) throw new Error(`${path} answered ${response.status}`);
      return response.text();
    },
  };
}
