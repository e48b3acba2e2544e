// Finds the folders of the user in a recorded prompt. Such a recording replays only in the same folder and for the same user.

import { notedFilters, type CassetteV2 } from "../../cassette/index.js";
import type { CommandIo } from "../terminal/io.js";

/** Reads each prompt of a conversation once. Prints one warning. */
export function createPlaceWarning(
  { cwd, env }: Pick<CommandIo, "cwd" | "env">,
  note: (text: string) => void,
): (conversation: number, cassette: CassetteV2) => void {
  const places = [cwd, env["HOME"], env["USERPROFILE"]].filter((place) => place !== undefined && place.length > 1);
  const pattern = new RegExp(`(?:${places.map((place) => escapeText(place as string)).join("|")})(?![\\w-])`);
  const read = new Map<number, number>();
  let isWarned = places.length === 0;
  return (conversation, cassette) => {
    if (isWarned || notedFilters(cassette)?.includes("path") !== false) return;
    const fresh = cassette.entries.slice(read.get(conversation) ?? 0);
    read.set(conversation, cassette.entries.length);
    // The model's own text comes from the recording.
    const messages = fresh.flatMap(({ prompt }) => prompt?.messages ?? []).filter(({ role }) => role !== "assistant");
    const found = messages.map(({ content }) => pattern.exec(JSON.stringify(content))?.[0]).find(Boolean);
    if (found === undefined) return;
    isWarned = true;
    note(
      `a recorded prompt holds a folder of this machine (${JSON.parse(`"${found}"`)}), so a replay in another folder or for another user will miss. Record or serve with --filter path.`,
    );
  };
}

/** The text as it is within a JSON text, as a pattern. */
function escapeText(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
