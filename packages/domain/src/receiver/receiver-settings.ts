import type { AlertFormat } from '../alert/alert.ts';
import { refuseKey } from '../input/read-keys.ts';
import type { ProblemDetail } from '../problem.ts';
import { secretMask } from '../input/secret-mask.ts';
import { parseUrl } from '../target/target.ts';
import { certificateExpiry, checkClientCertificate } from './certificates.ts';
import { secretOfKind, type ReceiverAuth } from './receiver-auth.ts';
import type { RequestHeader } from './request-headers.ts';

/** Secrets of a webhook for its receiver beside the signature, in clear: they are stored encrypted, as a whole. */
export interface ReceiverSecrets {
  readonly requestHeaders: readonly RequestHeader[];
  readonly receiverAuth: ReceiverAuth;
  /** The routing key in messages; absent: no routing key. */
  readonly alertRoutingKey?: string;
}

/** The same in storage. `authId` changes whenever `receiverAuth` does: a token belongs to one `authId`. */
export interface StoredSecrets extends ReceiverSecrets {
  readonly authId: string;
}

/** The same in a body: an absent key is unchanged, as is a masked secret; null is no routing key. */
export type ReceiverChange = Partial<Omit<ReceiverSecrets, 'alertRoutingKey'>> & {
  readonly alertRoutingKey?: string | null;
};

export const noSecrets: ReceiverSecrets = { requestHeaders: [], receiverAuth: { kind: 'none' } };

/** Whether a webhook has nothing of it, as most have. */
export function isPlain({ requestHeaders, receiverAuth, alertRoutingKey }: ReceiverSecrets): boolean {
  return requestHeaders.length === 0 && receiverAuth.kind === 'none' && alertRoutingKey === undefined;
}

/** The two settings as they are stored to be read: JSON as text, with the mask in place of each secret. */
export function shownSettings({ requestHeaders, receiverAuth }: Omit<ReceiverSecrets, 'alertRoutingKey'>) {
  const secret = secretOfKind[receiverAuth.kind];
  const masked = secret === null ? receiverAuth : { ...receiverAuth, [secret]: secretMask };
  const shown =
    receiverAuth.kind === 'mtls'
      ? { ...masked, certificateExpiresAt: certificateExpiry(receiverAuth.certificate).toISOString() }
      : masked;
  return {
    requestHeaders: JSON.stringify(requestHeaders.map(({ name }) => ({ name, value: secretMask }))),
    receiverAuth: JSON.stringify(shown),
  };
}

/** The names of the headers that a webhook adds to requests, from the settings as stored for reading. */
export function sentHeaderNames(shown: { readonly requestHeaders: string; readonly receiverAuth: string }): string[] {
  const headers = JSON.parse(shown.requestHeaders) as readonly RequestHeader[];
  const { kind } = JSON.parse(shown.receiverAuth) as ReceiverAuth;
  const hasAuthorization = kind !== 'none' && kind !== 'mtls';
  return [...headers.map(({ name }) => name), ...(hasAuthorization ? ['Authorization'] : [])];
}

/** Where a webhook's requests go before and after a change. */
export interface UrlChange {
  readonly before: string;
  readonly after: string;
}

/**
 * Applies a change to what is stored. A stored secret is kept only for the same host as before: otherwise anybody who
 * may change a webhook could read the secret by changing the URL. Adds a sentence to `problems` for everything that is
 * wrong; the result counts only without any.
 */
export function applyReceiverChange(
  stored: ReceiverSecrets,
  change: ReceiverChange,
  { url, now, alertFormat }: { readonly url: UrlChange; readonly now: Date; readonly alertFormat: AlertFormat },
  problems: ProblemDetail[],
): ReceiverSecrets {
  const moves = isMoved(url);
  const requestHeaders = (change.requestHeaders ?? masked(stored.requestHeaders)).map((header) => {
    if (header.value !== secretMask) return header;
    const storedHeader = stored.requestHeaders.find(({ name }) => name.toLowerCase() === header.name.toLowerCase());
    if (storedHeader === undefined)
      refuseKey(problems, 'requestHeaders', `has no value of ${header.name} yet: give one`, 'required');
    else if (moves)
      refuseKey(
        problems,
        'requestHeaders',
        `must be given again with the value of ${header.name}: ${toOtherHost}`,
        'required',
      );
    return { ...header, value: storedHeader?.value ?? '' };
  });
  const receiverAuth = applyAuth(stored.receiverAuth, change.receiverAuth, { moves, now }, problems);
  if (receiverAuth.kind !== 'none' && receiverAuth.kind !== 'mtls' && requestHeaders.some(isAuthorization)) {
    refuseKey(
      problems,
      'requestHeaders',
      `must not name Authorization, which receiverAuth of the kind ${receiverAuth.kind} sends`,
    );
  }
  const alertRoutingKey = applyRoutingKey(stored, change, { moves, alertFormat }, problems);
  return { requestHeaders, receiverAuth, ...(alertRoutingKey !== undefined && { alertRoutingKey }) };
}

/** Undefined for a format without a routing key: then a stored key is forgotten. */
function applyRoutingKey(
  { alertRoutingKey: stored }: ReceiverSecrets,
  { alertRoutingKey: routingKey = secretMask }: ReceiverChange,
  { moves, alertFormat }: { readonly moves: boolean; readonly alertFormat: AlertFormat },
  problems: ProblemDetail[],
): string | undefined {
  const refuse = (what: string) => refuseKey(problems, 'alertRoutingKey', what, 'required');
  const wanted = routingKey === secretMask ? stored : (routingKey ?? undefined);
  if (alertFormat !== 'pagerduty') {
    if (routingKey !== secretMask && routingKey !== null)
      refuseKey(problems, 'alertRoutingKey', 'is for the alertFormat pagerduty alone');
    return undefined;
  }
  if (wanted === undefined) refuse('is required by the alertFormat pagerduty');
  else if (routingKey === secretMask && moves) refuse(`must be given again: ${toOtherHost}`);
  return wanted;
}

const toOtherHost = 'webhookUrl goes to another host, and stored secrets do not go along';

function masked(headers: readonly RequestHeader[]): RequestHeader[] {
  return headers.map(({ name }) => ({ name, value: secretMask }));
}

function isAuthorization({ name }: RequestHeader): boolean {
  return name.toLowerCase() === 'authorization';
}

function applyAuth(
  stored: ReceiverAuth,
  change: ReceiverAuth | undefined,
  { moves, now }: { readonly moves: boolean; readonly now: Date },
  problems: ProblemDetail[],
): ReceiverAuth {
  const wanted = change ?? stored;
  const secret = secretOfKind[wanted.kind];
  if (secret === null) return wanted;
  const secretInput: unknown = change === undefined ? secretMask : Reflect.get(change, secret);
  const refuse = (what: string) => refuseKey(problems, 'receiverAuth', what, 'required');
  if (secretInput === secretMask) {
    if (stored.kind !== wanted.kind) {
      refuse(`of the kind ${wanted.kind}: ${secret} is required`);
      return wanted;
    }
    // A private key stays here: it proves who calls, to whichever host.
    if (moves && wanted.kind !== 'mtls') refuse(`must be given again with its ${secret}: ${toOtherHost}`);
    if (
      wanted.kind === 'oauth2' &&
      stored.kind === 'oauth2' &&
      isMoved({ before: stored.tokenUrl, after: wanted.tokenUrl })
    ) {
      refuse(
        'must be given again with its clientSecret: tokenUrl goes to another host, and stored secrets do not go along',
      );
    }
  }
  const applied =
    secretInput === secretMask ? ({ ...wanted, [secret]: Reflect.get(stored, secret) } as ReceiverAuth) : wanted;
  // A certificate that has expired since must not stand in the way of other changes.
  if (change !== undefined && applied.kind === 'mtls') {
    const check = checkClientCertificate(applied, now);
    if (!check.ok) refuseKey(problems, 'receiverAuth', `of the kind mtls: ${check.message}`);
  }
  return applied;
}

/** Whether requests go to another scheme, host or port. A webhook whose callouts are fetched (`pull:`) makes none. */
export function isMoved({ before, after }: UrlChange): boolean {
  return parseUrl(after)?.protocol.startsWith('http') === true && !isSameOrigin(before, after);
}

/** Whether two URLs have the same scheme, host and port. */
export function isSameOrigin(one: string, other: string): boolean {
  const origin = parseUrl(one)?.origin;
  // Only schemes of HTTP have an origin.
  return origin !== undefined && origin !== 'null' && origin === parseUrl(other)?.origin;
}
