/**
 * One step of a start. What it throws becomes an error that says in words what did not work, and names the settings that
 * decide it: `connect ECONNREFUSED 10.0.0.7:5432` alone does not.
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
