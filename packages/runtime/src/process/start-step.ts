/**
 * One step of a start. The error becomes a description of the problem that names the settings: `connect ECONNREFUSED
 * 10.0.0.7:5432` alone does not.
 */
export async function startStep<T>(problem: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Error(`${problem}: ${reasonOf(cause)}`, { cause });
  }
}

/** A connection that fails at each of several addresses has a code and no message. */
function reasonOf(cause: unknown): string {
  const { message, code } = cause as { message?: unknown; code?: unknown };
  return String(message || code || cause);
}
