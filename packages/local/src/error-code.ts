/** Whether this is an error of the system (or of a library like it) with one of these codes. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** For `.catch()`: the value instead of an error with this code; any other error goes on. */
export function ifCode<T>(code: string, value: T): (error: unknown) => T {
  return (error) => {
    if (hasCode(error, code)) return value;
    throw error;
  };
}
