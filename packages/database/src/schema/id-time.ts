import { lowestIdAt } from './ids.ts';

/** When an id was made, to the millisecond: the first bits of a UUID of version 7. */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}

/** The lowest id of a moment. Before 1970 there are no ids, and a caller may ask for any year. */
export function lowestId(moment: Date): string {
  return lowestIdAt(new Date(Math.max(0, moment.getTime())));
}

/** The lowest id of the moment `ms` after an id was made, or before it when negative. */
export function idNear(id: string, ms: number): string {
  return lowestId(new Date(timeOfId(id).getTime() + ms));
}

/** The id right after (1) or right before (-1) another one. */
export function neighbourOf(id: string, step: 1 | -1): string {
  const hex = (BigInt(`0x${id.replaceAll('-', '')}`) + BigInt(step)).toString(16).padStart(32, '0');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** An id in lower case; undefined when the text is none. */
export function idOf(text: string): string | undefined {
  const folded = text.toLowerCase();
  return uuid.test(folded) ? folded : undefined;
}
