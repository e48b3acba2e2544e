// Which markers arrive at which end of an edge: those of the merges with a path to it that meets no other merge.

import { nodeOf, streamOf, type Layout } from "./graph.js";

/** True for a port where several edges meet in a loop. There a merge sends its own markers, and removes those of others. */
export function isDrained({ edges, loopOf, barriers }: Layout, port: string): boolean {
  if (streamOf(port) !== "" || !loopOf.has(port) || barriers.includes(port)) return false;
  return edges.filter(({ to }) => to === port).length > 1;
}

/** The merges of the loop whose markers arrive over an edge that begins at `from`. */
export function markersOver(layout: Layout, from: string): Set<string> {
  const loop = layout.loopOf.get(nodeOf(from));
  const found = new Set<string>();
  const seen = new Set<string>();
  const visit = (port: string): void => {
    const node = nodeOf(port);
    // Control answers nothing in order, so no marker passes there.
    if (streamOf(port) === "ctrl_out" || loop === undefined || layout.loopOf.get(node) !== loop || seen.has(node))
      return;
    seen.add(node);
    if (isDrained(layout, node)) found.add(node);
    else for (const edge of layout.edges) if (edge.to === node) visit(edge.from);
  };
  visit(from);
  return found;
}
