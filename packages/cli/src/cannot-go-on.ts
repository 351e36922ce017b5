/** Something is in the way that the user can change. The message says what, in words that need no stack. */
export class CannotGoOn extends Error {
  override readonly name = 'CannotGoOn';
}

/** What an error says, also where it says it in a place of its own: `localhost` has two addresses, and both refuse. */
export function reasonOf(error: unknown): string {
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  const { message } = (first ?? error) as { message?: unknown };
  return typeof message === 'string' && message !== '' ? message : String(error);
}
