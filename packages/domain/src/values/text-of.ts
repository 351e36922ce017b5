import { canonicalDecimal } from './decimal.ts';

/**
 * Input in the place of a text: a number or a boolean becomes text (`12` is `"12"`, `true` is `"true"`), anything else
 * stays for the reader to judge. An integer beyond 2^53 stays too: its last digits were lost when the body was parsed.
 */
export function textOf(input: unknown): unknown {
  if (typeof input === 'boolean') return String(input);
  if (typeof input !== 'number' || Math.abs(input) > Number.MAX_SAFE_INTEGER) return input;
  const decimal = canonicalDecimal(String(input));
  return decimal.ok ? decimal.value : input;
}
