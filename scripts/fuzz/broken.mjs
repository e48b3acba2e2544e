/** A mutation was taken for something that it is not. */
export class Broken extends Error {}
