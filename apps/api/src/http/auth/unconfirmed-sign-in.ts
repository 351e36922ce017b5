import type { SignInProof } from '@callout/core/ingest';

/** A sign-in of a moment ago, on its way to the commit that says whether it still holds. */
export interface UnconfirmedSignIn {
  readonly proof: SignInProof;
  /** It was looked up for this very request: what needs no commit may be answered. */
  readonly isFresh?: true;
  /**
   * - `open`: no commit has been asked.
   * - `asked`: a commit has been asked and has not answered, or it is not known what became of it.
   * - `confirmed`: it holds, and the commit has decided about the request.
   * - `stale`: it has changed. The commit has done nothing.
   */
  state: 'open' | 'asked' | 'confirmed' | 'stale';
}

/** A sign-in of this very request: a commit confirms it all the same, since reading a body may take long. */
export function freshSignIn(
  { isIntake }: { readonly isIntake?: true },
  { proof }: { readonly proof?: SignInProof },
): UnconfirmedSignIn | undefined {
  return isIntake === true && proof !== undefined ? { proof, state: 'open', isFresh: true } : undefined;
}

/** Thrown in place of an answer: the caller has to sign in, and then be served from the beginning. */
export class StaleSignIn extends Error {
  constructor() {
    super('the sign-in has changed since it was remembered');
  }
}
