/** A mutation was read as something that it is not. */
export class Broken extends Error {}
