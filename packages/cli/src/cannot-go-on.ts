/** A problem that the user can solve. The message describes it, and needs no stack. */
export class CannotGoOn extends Error {
  override readonly name = 'CannotGoOn';
}

/** The message of an error, also of one with several: `localhost` has two addresses, and both may refuse. */
export function reasonOf(error: unknown): string {
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  const { message } = (first ?? error) as { message?: unknown };
  return typeof message === 'string' && message !== '' ? message : String(error);
}

/** Hosts, ports and name of a URL's target, without user and password. */
export function whereIs(url: string): string {
  const [, where = ''] = /^[^/]*\/\/(?:[^@/?#]*@)?([^?#]*)/.exec(url) ?? [];
  return where.replace(/\/$/, '');
}
