// Limits how much of a recording one page shows, because a page of many megabytes helps nobody. Counts what was left out, which
// the page reports.

/** Characters of one text, and of all texts of a page. */
export const MAX_TEXT = 100_000;
const MAX_ALL_TEXT = 10_000_000;
/** Messages and calls of a page. */
const MAX_ITEMS = 20_000;
/** Base64 characters of one image, and of all: 1 MiB and 16 MiB of image data. */
const MAX_IMAGE = 1_398_104;
const MAX_ALL_IMAGES = 16 * MAX_IMAGE;

/** The content that the page left out. */
export interface LeftOut {
  /** Texts that were cut, and the characters they lost. */
  texts: number;
  characters: number;
  /** Messages and calls that were left out. */
  items: number;
  images: number;
}

export interface Allowance {
  /** How many characters of a text of this length may be shown. */
  text(length: number): number;
  /** True if one more message or call may be shown. */
  item(): boolean;
  /** True if an image of this many base64 characters may be shown. */
  image(length: number): boolean;
  leftOut(): LeftOut;
  /** Where to find the whole text, shown after each cut text. */
  readonly remedy: string;
}

/** Creates the limits of one page. `isFull` removes the limits for texts and items, but not for images. */
export function createAllowance(isFull: boolean, remedy = "--full keeps all"): Allowance {
  const left = { texts: 0, characters: 0, items: 0, images: 0 };
  let [texts, items, images] = [0, 0, 0];
  return {
    text(length) {
      const room = isFull ? length : Math.min(length, MAX_TEXT, MAX_ALL_TEXT - texts);
      texts += room;
      if (room < length) left.texts++;
      left.characters += length - room;
      return room;
    },
    item() {
      if (isFull || items < MAX_ITEMS) return ++items > 0;
      left.items++;
      return false;
    },
    image(length) {
      const fits = length <= MAX_IMAGE && images + length <= MAX_ALL_IMAGES;
      if (fits) images += length;
      else left.images++;
      return fits;
    },
    leftOut: () => ({ ...left }),
    remedy,
  };
}
