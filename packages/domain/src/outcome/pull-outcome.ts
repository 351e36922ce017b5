import { makeFailure } from './failures.ts';
import type { AttemptOutcome } from './outcome.ts';

/** The result of a callout that is fetched. */
export type PullResult =
  | { readonly kind: 'acked' }
  /**
   * `reason`: a sentence from the program that fetched; null: no reason. `retryAfterS`: the requested wait; null: no
   * request.
   */
  | { readonly kind: 'nacked'; readonly reason: string | null; readonly retryAfterS: number | null }
  /** It was handed out, and not acknowledged. */
  | { readonly kind: 'lapsed' }
  /** It has waited for longer than callouts are kept, and fails. */
  | { readonly kind: 'notFetched'; readonly keptFor: string };

/** No host is called. */
const noHost = '';

/**
 * The result of a fetched callout as the outcome of an attempt: an acknowledgement corresponds to a 200.
 * @param durationMs since it was handed out.
 */
export function pullOutcome(word: PullResult, durationMs: number): AttemptOutcome {
  if (word.kind === 'acked') {
    return { kind: 'answered', status: 200, headers: {}, body: Buffer.alloc(0), bodyCut: null, durationMs };
  }
  if (word.kind === 'lapsed') return { kind: 'failed', ...makeFailure('leaseLapsed', noHost), durationMs };
  if (word.kind === 'notFetched') {
    return { kind: 'failed', ...makeFailure('notFetched', noHost, word.keptFor), durationMs };
  }
  const { reason, retryAfterS } = word;
  const failure = makeFailure('nacked', noHost, reason ?? 'it gave no reason');
  return { kind: 'failed', ...failure, durationMs, ...(retryAfterS !== null && { retryAfterS }) };
}
