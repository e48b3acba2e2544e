export const TURNS = 20;
