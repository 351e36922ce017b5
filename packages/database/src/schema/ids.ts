import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const bytesPerId = 16;
/** Random bytes for the next ids: one call of the generator fills many. */
const pool = Buffer.alloc(256 * bytesPerId);
let used = pool.length;

/**
 * A clock that is set back by more was wrong before: ids continuing from there would be in days without a partition.
 */
const longestStepMs = 60_000;
let lastMs = 0;
let sequence = 0;

/**
 * A new time-ordered id (UUID version 7): history tables are partitioned by id, so an id must be made together with the
 * row. The ids of a process rise, also within a millisecond and when the clock is set back a little.
 */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytesPerId;
  const random = pool.subarray(used - bytesPerId, used);
  const nowMs = Date.now();
  if (nowMs > lastMs || lastMs - nowMs > longestStepMs) {
    lastMs = nowMs;
    // Begins at random in the lower half of 32 bits, and so cannot overflow within a millisecond.
    sequence = random.readUInt32BE(0) >>> 1;
  } else {
    sequence += 1;
  }
  return v7({ random, msecs: lastMs, seq: sequence });
}

/** The lowest UUID version 7 of a moment: the bound of a partition, or of a search by time. */
export function lowestIdAt(moment: Date): string {
  const hex = moment.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** The lowest and the highest of some ids; null where there is none. */
export function boundsOf(ids: readonly string[]): [lowest: string | null, highest: string | null] {
  const sorted = ids.toSorted();
  return [sorted.at(0) ?? null, sorted.at(-1) ?? null];
}

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
