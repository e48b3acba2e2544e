// How much of a recording one page takes. A page of many megabytes helps nobody, so texts, images and items have limits; what
// was left out is counted here and said on the page.

import {
  MAX_PAGE_CHARACTERS,
  MAX_PAGE_IMAGES_CHARACTERS,
  MAX_PAGE_IMAGE_CHARACTERS,
  MAX_PAGE_ITEMS,
  MAX_PAGE_TEXT_CHARACTERS,
} from "../limits.js";

/** What did not find room. */
export interface LeftOut {
  /** Texts that were cut, and the characters they lost. */
  texts: number;
  characters: number;
  /** Messages and calls. */
  items: number;
  images: number;
}

export interface Allowance {
  /** How many characters of a text of this length may be shown. */
  text(length: number): number;
  /** True when one more message or call may be shown. */
  item(): boolean;
  /** True when an image of this many base64 characters may be shown. */
  image(length: number): boolean;
  leftOut(): LeftOut;
  /** Where a reader finds what was cut, said after each text that was. */
  readonly remedy: string;
}

/** For one page. `isFull` lifts the limits of texts and items; those of images stay. */
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
