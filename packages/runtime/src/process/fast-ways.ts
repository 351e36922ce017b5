/**
 * Whether a process may take fast ways: a stage that expects what it usually finds, and falls back to its plain way.
 * `FAST_WAYS=off` leaves the plain ways alone. The variable is for developers, who learn with it whether a fault is in a
 * fast way; CI runs a part of the tests so. Operators have no use for it, since the results are the same.
 */
export function hasFastWays(env: Readonly<Record<string, string | undefined>>): boolean {
  return env['FAST_WAYS'] !== 'off';
}
