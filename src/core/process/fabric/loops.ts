// The strongly connected components of a graph (Tarjan, SIAM J. Comput. 1, 1972), without recursion.

/** The number of the loop of each node that is in one. A node is in a loop if a path of edges leads from it back to it. */
export function findLoops(
  nodes: readonly string[],
  edges: readonly (readonly [from: string, to: string])[],
): Map<string, number> {
  const next = new Map<string, string[]>(nodes.map((node) => [node, []]));
  for (const [from, to] of edges) if (next.has(to)) next.get(from)?.push(to);
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const loopOf = new Map<string, number>();
  let loops = 0;

  const close = (node: string): void => {
    const members = open.splice(open.lastIndexOf(node));
    for (const member of members) low.set(member, Infinity);
    if (members.length === 1 && next.get(node)?.includes(node) !== true) return;
    for (const member of members) loopOf.set(member, loops);
    loops++;
  };

  const enter = (node: string): void => {
    low.set(node, order.size);
    order.set(node, order.size);
    open.push(node);
  };

  const lower = (node: string, to: number): void => void low.set(node, Math.min(low.get(node) ?? Infinity, to));

  for (const root of nodes) {
    if (order.has(root)) continue;
    const path = [{ node: root, at: 0 }];
    enter(root);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const target = next.get(top.node)?.[top.at++];
      if (target === undefined) {
        path.pop();
        const parent = path.at(-1);
        const own = low.get(top.node) ?? Infinity;
        if (own === order.get(top.node)) close(top.node);
        else if (parent !== undefined) lower(parent.node, own);
      } else if (!order.has(target)) {
        enter(target);
        path.push({ node: target, at: 0 });
      } else if (low.get(target) !== Infinity) lower(top.node, order.get(target) ?? Infinity);
    }
  }
  return loopOf;
}
