import type { ProblemDetail } from '@callout/domain/problem';
import { mostReported, walkJson } from './walk-json.ts';

/**
 * The keys that an object of a body has more than once, of which `JSON.parse`, and with it `express.json`, keeps the
 * last value without a word. The bytes are read only where parsing has lost values: a body without duplicates costs
 * next to nothing.
 * @param bytes a body that parses as `value`.
 * @param values how many values the body has, by `countJsonValues`.
 */
export function duplicateKeys(bytes: Buffer, value: unknown, values: number): ProblemDetail[] {
  if (typeof value !== 'object' || 1 + membersOf(value) === values) return [];
  const duplicatePaths = new Set<string>();
  const names = new Map<object, Set<string>>();
  walkJson(bytes, {
    onKey(level, path) {
      const earlierKeys = names.get(level) ?? new Set();
      names.set(level, earlierKeys);
      if (earlierKeys.has(String(level.step))) duplicatePaths.add(path());
      earlierKeys.add(String(level.step));
      return duplicatePaths.size < mostReported;
    },
  });
  return [...duplicatePaths].map((field) => ({
    code: 'duplicateKey',
    field,
    message: `${field} is given more than once, and JSON keeps the last value alone: give it once`,
  }));
}

/**
 * Counts as `countJsonValues` does: members of objects and lists, where an empty object counts as a member. Every body
 * is counted, without a list of the values of an object, which takes three times as long.
 */
function membersOf(value: object | null): number {
  if (value === null) return 0;
  let [members, inner] = [0, 0];
  const add = (member: unknown) => {
    members += 1;
    if (typeof member === 'object') inner += membersOf(member);
  };
  if (Array.isArray(value)) for (const member of value) add(member);
  else for (const key in value) add(value[key as keyof typeof value]);
  return Math.max(1, members) + inner;
}
