// A part of a long text or list, and where the next part begins.

export interface Part<T> {
  readonly from: number;
  readonly total: number;
  /** Where the next part begins. Absent at the end. */
  readonly next?: number;
  readonly part: T;
}

/** Characters are UTF-16 units. A surrogate pair at the end is not cut. */
export function sliceText(text: string, from: number, limit: number): Part<string> {
  const start = Math.min(from, text.length);
  let end = Math.min(start + limit, text.length);
  if (end < text.length && isHigh(text.charCodeAt(end - 1))) end += 1;
  return finish(start, end, text.length, text.slice(start, end));
}

export function sliceList<T>(list: readonly T[], from: number, limit: number): Part<readonly T[]> {
  const start = Math.min(from, list.length);
  const end = Math.min(start + limit, list.length);
  return finish(start, end, list.length, list.slice(start, end));
}

function finish<T>(from: number, end: number, total: number, part: T): Part<T> {
  return end < total ? { from, total, next: end, part } : { from, total, part };
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
