import type { AttemptOutcome } from '@callout/domain/outcome/outcome';
import type { OutboundRequest } from '@callout/outbound/send';
import type { TargetCredentials } from '../targets.ts';
import { withoutSecrets } from './call-credentials.rules.ts';
import type { Tokens } from './tokens.ts';

export interface CredentialsDeps {
  send: (request: OutboundRequest) => Promise<AttemptOutcome>;
  tokenFor: Tokens;
  /** The longest that a call takes, the request for the token included. */
  callTimeoutMs: number;
  nowMs: () => number;
}

/** No second call begins with less time: the receiver would hardly have a chance to answer. */
const leastCallMs = 200;

/**
 * Sends a signed request with what the webhook adds. Token, call and a second call after a 401 take no longer together
 * than a single call may. The signature headers are set last and win.
 * @param isLate whether the call may no longer begin, since calls count for the rate of the webhook.
 * @returns `late`: nothing was sent, since the call had to wait for a token, which is there for the next attempt.
 */
export async function sendWithCredentials(
  { send, tokenFor, callTimeoutMs, nowMs }: CredentialsDeps,
  { owner, credentials }: Pick<TargetCredentials, 'owner' | 'credentials'>,
  request: OutboundRequest,
  isLate: () => boolean,
): Promise<AttemptOutcome | 'late'> {
  const startedMs = nowMs();
  const leftMs = () => Math.max(1, startedMs + callTimeoutMs - nowMs());
  const { headers, tls, oauth2, secrets } = credentials;
  const call = async (token?: string): Promise<AttemptOutcome> => {
    const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const outcome = await send({
      ...request,
      headers: { ...headers, ...authorization, ...request.headers },
      tls,
      timeoutMs: leftMs(),
    });
    return withoutSecrets(outcome, token === undefined ? secrets : [...secrets, token]);
  };
  if (oauth2 === undefined) return call();
  const wanted = { ...owner, authId: oauth2.authId, oauth2 };
  const first = await tokenFor(wanted, { timeoutMs: leftMs() / 2 });
  if (first.kind === 'failed') return first;
  // All calls that waited for the token would begin at once.
  if (first.isLasting && isLate()) return 'late';
  const outcome = await call(first.token);
  const isRefused = outcome.kind === 'answered' && outcome.status === 401;
  if (!isRefused || leftMs() < leastCallMs) return outcome;
  const second = await tokenFor(wanted, { refused: first.id, timeoutMs: leftMs() / 2 });
  return second.kind === 'failed' ? outcome : call(second.token);
}
