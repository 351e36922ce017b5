import type { CachedAuthentication } from '@callout/pipeline/ingest/request.rules';

/** A recent authentication that the commit of its request has to confirm. */
export interface UnconfirmedAuthentication {
  readonly proof: CachedAuthentication;
  /**
   * - `open`: no commit has been started.
   * - `asked`: a commit has been started and has not ended, or its outcome is unknown.
   * - `confirmed`: it is valid, and the commit has decided about the request.
   * - `stale`: it has changed. The commit has done nothing.
   */
  state: 'open' | 'asked' | 'confirmed' | 'stale';
}

/** An authentication of this very request: a commit confirms it all the same, since reading a body may take long. */
export function freshAuthentication(
  { isIngest }: { readonly isIngest?: true },
  { proof }: { readonly proof?: CachedAuthentication },
): UnconfirmedAuthentication | undefined {
  return isIngest === true && proof !== undefined ? { proof, state: 'open' } : undefined;
}
