// Lists that are cut to a length.

/** The first `most` items as `toLine` writes them. Where there are more, `rest` writes the last line. */
export function atMost<Item, Line>(
  items: readonly Item[],
  most: number,
  toLine: (item: Item, index: number) => Line,
  rest: (more: number) => Line,
): Line[] {
  const more = items.length - most;
  return [...items.slice(0, most).map(toLine), ...(more > 0 ? [rest(more)] : [])];
}
