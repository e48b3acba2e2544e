// Finds the cassettes that hold a prompt, so that a request costs about the same with one cassette and with thousands.

import type { Asked } from "./asked.js";
import type { Served } from "./served-cassette.js";

/** A cassette, and a request as it reads it. */
export interface Reading {
  readonly served: Served;
  readonly asked: Asked;
}

/** Cassettes that read every request alike. */
interface Group {
  readonly read: Served["read"];
  /** Places in the list of cassettes by the hash of a prompt, in ascending order. */
  readonly places: Map<string, number[]>;
}

/** Returns a function that lists the cassettes with exactly the prompt of a request, used or not, in their order. */
export function createPromptIndex(all: readonly Served[]): (asked: Asked) => Reading[] {
  const groups = new Map<string, Group>();
  all.forEach((served, place) => {
    const group = groups.get(served.reading) ?? { read: served.read, places: new Map<string, number[]>() };
    groups.set(served.reading, group);
    for (const hash of served.promptHashes) {
      const places = group.places.get(hash);
      if (places === undefined) group.places.set(hash, [place]);
      else places.push(place);
    }
  });
  return (request) => {
    const found = [...groups.values()].flatMap(({ read, places }) => {
      const asked = read(request);
      return (places.get(asked.promptHash) ?? []).map((place) => ({ place, asked }));
    });
    if (groups.size > 1) found.sort((left, right) => left.place - right.place);
    return found.flatMap(({ place, asked }) => {
      const served = all[place];
      return served === undefined ? [] : [{ served, asked }];
    });
  };
}
