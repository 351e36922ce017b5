import { makeFailure } from './outcome/failures.ts';
import type { AttemptOutcome } from './outcome/outcome.ts';

/** The URL of a webhook whose callouts are fetched (`POST /{Webhooks}/{id}/Pull`) and not sent. */
export const pullUrl = 'pull:';

/** What became of a callout that is fetched. */
export type PullWord =
  | { readonly kind: 'acked' }
  /** `reason`: in words, from the program that fetched; null: none. `retryAfterS`: the wait it asks for; null: none. */
  | { readonly kind: 'nacked'; readonly reason: string | null; readonly retryAfterS: number | null }
  /** It was handed out, and nothing was heard of it. */
  | { readonly kind: 'lapsed' }
  /** It has waited for longer than callouts are kept, and is given up. */
  | { readonly kind: 'notFetched'; readonly keptFor: string };

/** No host is called. */
const noHost = '';

/**
 * What became of a fetched callout, as an attempt: an acknowledgement is what a 200 is.
 * @param durationMs from handing it out until then.
 */
export function pullOutcome(word: PullWord, durationMs: number): AttemptOutcome {
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
