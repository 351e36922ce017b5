import { types } from 'node:util';

/** Bytes that V8 needs for the head of an object, and for a reference to another value with what finds it. */
const headBytes = 24;
const referenceBytes = 16;
/** Of an entry of a Map or a Set, whose table is never full. */
const entryBytes = 48;
/** A key, whose memory is that of OpenSSL. */
const keyBytes = 2_048;

/**
 * How many bytes of memory a value keeps, by estimate: rather too many than too few. What several parts of it refer to
 * counts once; nested as deep as a condition may be, so it can be walked by recursion.
 */
export function memorySize(value: unknown, seen = new Set<object>()): number {
  // V8 has a string in two bytes a character as soon as one of them needs it.
  if (typeof value === 'string') return headBytes + 2 * value.length;
  if (typeof value !== 'object' || value === null || seen.has(value)) return 0;
  seen.add(value);
  const sizeOf = (parts: readonly unknown[]): number =>
    parts.reduce<number>((sum, part) => sum + memorySize(part, seen), 0);
  if (ArrayBuffer.isView(value)) return 4 * headBytes + value.byteLength;
  if (Array.isArray(value)) return headBytes + referenceBytes * value.length + sizeOf(value);
  if (types.isSet(value)) return headBytes + entryBytes * value.size + sizeOf([...value]);
  if (types.isMap(value)) return headBytes + entryBytes * value.size + sizeOf([...value].flat());
  if (types.isDate(value)) return 2 * headBytes;
  if (types.isKeyObject(value)) return keyBytes;
  // The names of properties belong to all objects of that shape.
  const parts = Object.values(value);
  return headBytes + referenceBytes * parts.length + sizeOf(parts);
}
