import { hash, timingSafeEqual } from 'node:crypto';

/**
 * Whether two texts are equal, in a time that reveals nothing about either. Hashing first makes the lengths equal, so
 * that the comparison does not reveal the length either.
 */
export function sameText(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
}
