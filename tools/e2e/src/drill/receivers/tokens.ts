import type { ReceivedRequest, ScriptedResponse } from '@callout/testing';
import type { DrillWebhook } from '../traffic/webhooks.ts';

export const tokenPath = '/token';

/** So short that workers fetch another one again and again. */
const LASTS_S = 3;

const tokenOf = (name: string, nth: string) => `token-of-${name}-${nth}`;

/** Whether a token was issued to a webhook. */
export function isTokenOf(name: string, token: string): boolean {
  const nth = /\d+$/u.exec(token)?.[0] ?? '';
  return nth !== '' && token === tokenOf(name, nth);
}

/** The answer of the token endpoint: another token each time, for a client that proves who it is. */
export function issueToken(
  webhooks: readonly DrillWebhook[],
  { headers }: ReceivedRequest,
  nth: number,
): ScriptedResponse {
  const client = webhooks.find(({ credentials }) => {
    const auth = credentials?.receiverAuth;
    if (auth?.kind !== 'oauth2') return false;
    const pair = [auth.clientId, auth.clientSecret].map(encodeURIComponent).join(':');
    return headers.authorization === `Basic ${Buffer.from(pair).toString('base64')}`;
  });
  if (client === undefined) return { status: 401, body: JSON.stringify({ error: 'invalid_client' }) };
  const token = { access_token: tokenOf(client.name, String(nth)), token_type: 'Bearer', expires_in: LASTS_S };
  return { status: 200, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(token) };
}
