import { type Failure, makeFailure } from '@callout/domain/outcome/failures';
import type { AttemptOutcome } from '@callout/domain/outcome/outcome';
import type { OAuth2 } from './call-credentials.rules.ts';

/** A token as an endpoint issued it. */
export type TokenAnswer =
  | { readonly kind: 'issued'; readonly token: string; readonly usableMs: number }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** How long a token counts as valid when the endpoint does not say how long. */
const defaultLifetimeS = 300;
const longestLifetimeS = 24 * 3600;
/** A token must not expire on the way: a minute, or a fifth of a short life, is left unused. */
const marginS = 60;

/** RFC 6749, 5.2, and RFC 8707: further codes may repeat what was sent. */
const errorCodes: ReadonlySet<string> = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'invalid_target',
  'access_denied',
  'server_error',
  'temporarily_unavailable',
]);

/** A request for a token with the credentials of a client (RFC 6749, 4.4.2). */
export function tokenRequest(auth: OAuth2, userAgent: string): { headers: Record<string, string>; body: Buffer } {
  const { clientId, clientSecret, scope, audience, clientAuthentication } = auth;
  const isBasic = clientAuthentication === 'client_secret_basic';
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(scope !== null && { scope }),
    ...(audience !== null && { audience }),
    ...(!isBasic && { client_id: clientId, client_secret: clientSecret }),
  });
  const headers: Record<string, string> = {
    Accept: 'application/json',
    'Content-Type': 'application/x-www-form-urlencoded',
    'User-Agent': userAgent,
  };
  if (isBasic) {
    const encoded = [clientId, clientSecret].map(formEncoded).join(':');
    headers['Authorization'] = `Basic ${Buffer.from(encoded).toString('base64')}`;
  }
  return { headers, body: Buffer.from(form.toString()) };
}

/** RFC 6749, 2.3.1: both parts are encoded as in a form before they are joined. */
function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

/** Reads the answer of a token endpoint (RFC 6749, 5). A failure repeats nothing of the answer but a known code. */
export function readTokenAnswer(outcome: AttemptOutcome, host: string): TokenAnswer {
  if (outcome.kind === 'failed') {
    const [what = ''] = outcome.message.split('. ');
    return { kind: 'failed', failure: makeFailure('tokenEndpointFailed', host, what) };
  }
  const refuse = (why: string): TokenAnswer => ({ kind: 'failed', failure: makeFailure('tokenRefused', host, why) });
  const { status, bodyCut } = outcome;
  const answer = parse(outcome.body);
  if (status >= 300 && status <= 399) return refuse(`it answered ${status}, and redirects are not followed`);
  if (status < 200 || status > 299) {
    const code = typeof answer['error'] === 'string' && errorCodes.has(answer['error']) ? ` (${answer['error']})` : '';
    return refuse(`it answered ${status}${code}`);
  }
  if (bodyCut !== null) return refuse('its answer was too long or too slow');
  const { access_token: token, token_type: type, expires_in: expiresIn } = answer;
  if (typeof token !== 'string' || token === '') return refuse('its answer has no access_token');
  if (token.length > 8192 || !/^[\x21-\x7e]+$/u.test(token)) {
    return refuse('its access_token has characters that no header may have, or more than 8192');
  }
  if (type !== undefined && !(typeof type === 'string' && /^bearer$/iu.test(type)))
    return refuse('its token_type is not Bearer');
  return { kind: 'issued', token, usableMs: usableMsOf(secondsOf(expiresIn)) };
}

/** A number, also as a text, as some endpoints send it; NaN for anything else, which may be nested too deep for `Number`. */
function secondsOf(expiresIn: unknown): number {
  const isText = typeof expiresIn === 'string' && expiresIn.trim() !== '';
  return isText || typeof expiresIn === 'number' ? Number(expiresIn) : Number.NaN;
}

function usableMsOf(expiresInS: number): number {
  const lifetimeS = expiresInS >= 0 ? Math.min(expiresInS, longestLifetimeS) : defaultLifetimeS;
  return Math.floor((lifetimeS - Math.min(marginS, lifetimeS / 5)) * 1000);
}

function parse(body: Buffer): Record<string, unknown> {
  try {
    const answer: unknown = JSON.parse(body.toString('utf8'));
    return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
