// Limits how much of a recording one page shows, because a page of many megabytes helps nobody. Counts what was left out, which
// the page reports.

import {
  MAX_PAGE_CHARACTERS,
  MAX_PAGE_IMAGES_CHARACTERS,
  MAX_PAGE_IMAGE_CHARACTERS,
  MAX_PAGE_ITEMS,
  MAX_PAGE_TEXT_CHARACTERS,
} from "../limits.js";

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
      const room = isFull ? length : Math.min(length, MAX_PAGE_TEXT_CHARACTERS, MAX_PAGE_CHARACTERS - texts);
      texts += room;
      if (room < length) left.texts++;
      left.characters += length - room;
      return room;
    },
    item() {
      if (isFull || items < MAX_PAGE_ITEMS) return ++items > 0;
      left.items++;
      return false;
    },
    image(length) {
      const fits = length <= MAX_PAGE_IMAGE_CHARACTERS && images + length <= MAX_PAGE_IMAGES_CHARACTERS;
      if (fits) images += length;
      else left.images++;
      return fits;
    },
    leftOut: () => ({ ...left }),
    remedy,
  };
}
