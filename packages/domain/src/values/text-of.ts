import { canonicalDecimal } from './decimal.ts';

/**
 * What was given where a text belongs: a number or a boolean is its text (`12` is `"12"`, `true` is `"true"`), anything
 * else stays for its reader to judge. So does an integer beyond 2^53: its last digits were lost when the body was parsed.
 */
export function textOf(input: unknown): unknown {
  if (typeof input === 'boolean') return String(input);
  if (typeof input !== 'number' || Math.abs(input) > Number.MAX_SAFE_INTEGER) return input;
  const decimal = canonicalDecimal(String(input));
  return decimal.ok ? decimal.value : input;
}
