/**
 * Whether this is an error of the system (or of a library like it) with one of these codes. Does not use `instanceof
 * Error`: errors of Node itself are no instances in code with a context of its own, such as tests.
 */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && codes.includes(String(error.code));
}

/** For `.catch()`: the value instead of an error with this code; any other error goes on. */
export function ifCode<T>(code: string, value: T): (error: unknown) => T {
  return (error) => {
    if (hasCode(error, code)) return value;
    throw error;
  };
}
