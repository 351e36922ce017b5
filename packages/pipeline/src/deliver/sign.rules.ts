import { createHmac, sign, type KeyObject } from 'node:crypto';
import { contentTypes, formatOf } from '@callout/domain/callout/payload-format';
import type { ClaimedCallout } from '@callout/domain/callout/claimed';
import { type Action, actions } from '@callout/domain/event';
import { redactSignatures } from '@callout/domain/outcome/outcome';
import { notSent, secretSignature } from '@callout/domain/outcome/stored-headers';

/** The secret of a webhook as key bytes, prepared once for many callouts. Never to be logged. */
export interface PreparedSecret {
  /** For `X-Hook-Signature`: the text of the secret as UTF-8. */
  readonly textKey: Buffer;
  /** For `webhook-signature`: the decoded bytes of a `whsec_` key, else textKey. */
  readonly standardKey: Buffer;
}

/** A key that signs, and the key before a rotation while the overlap lasts. */
export interface RotatedKey<Key> {
  readonly current: Key;
  readonly previous?: Key | undefined;
}

/** The keys that sign a callout: a secret, a private key, or both. */
export interface SigningKeys {
  /** The secret of the webhook. */
  readonly hmac?: RotatedKey<PreparedSecret> | undefined;
  /** The Ed25519 private key of the tenant. */
  readonly ed25519?: RotatedKey<KeyObject> | undefined;
}

/** An attempt to be signed. */
export interface CalloutToSign {
  readonly signingKeys: SigningKeys;
  /** `webhook-id`, equal in all attempts of a callout. */
  readonly calloutId: string;
  /** From 1. */
  readonly attemptNumber: number;
  /** Absent for a deactivation call, which has no callout type. */
  readonly action?: Action | undefined;
  /** Absent for a call that no event caused. */
  readonly eventId?: string | undefined;
  /** The bytes that are sent and signed. */
  readonly body: Buffer;
  readonly now: Date;
  readonly userAgent: string;
  /** W3C Trace Context of the attempt, not signed; absent without tracing. */
  readonly traceParent?: string | undefined;
  /** A sample that an integrator requested, with the header `X-Hook-Test: true`. */
  readonly isTest?: boolean | undefined;
}

/** The documented callout type of an action: the meaning of the subscription flags, not the method of the request. */
export const calloutTypes = { Create: 'PUT', Update: 'PATCH', Delete: 'DELETE' } as const satisfies Record<
  Action,
  string
>;

const standardPrefix = 'whsec_';

/**
 * Standard base64 with padding, as the verifiers of the Standard Webhooks libraries read base64; anything else is plain
 * text.
 */
const base64Pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/u;

/** Makes the key bytes of a secret. */
export function prepareSecret(text: string): PreparedSecret {
  const textKey = inOwnMemory(Buffer.from(text, 'utf8'));
  const encoded = text.startsWith(standardPrefix) ? text.slice(standardPrefix.length) : '';
  return { textKey, standardKey: base64Pattern.test(encoded) ? inOwnMemory(Buffer.from(encoded, 'base64')) : textKey };
}

/**
 * Node allocates small buffers in blocks of 8 KB: a worker keeps thousands of keys, and each would keep a block.
 */
function inOwnMemory(bytes: Buffer): Buffer {
  const copy = Buffer.alloc(bytes.length);
  bytes.copy(copy);
  return copy;
}

/**
 * All headers of a callout's request, the signatures last:
 * - the Standard Webhooks trio `webhook-id`, `webhook-timestamp` (Unix seconds) and `webhook-signature`, a list separated
 *   by spaces, of all signatures over `id.timestamp.body`: `v1,` and base64 of HMAC-SHA256 for each valid secret, then
 *   `v1a,` and base64 of Ed25519 for each valid private key; the present key before the previous key.
 * - `X-Hook-Signature: sha1=` and base64 of HMAC-SHA1(text of the secret, body); the previous secret during a
 *   rotation's overlap, so that a receiver that knows only `X-Hook-Signature` can change over at any time meanwhile.
 *   Absent when no secret signs.
 *
 * Throws a TypeError for a value with a character that is not allowed in a header (such as CR, LF and NUL).
 */
export function calloutHeaders(callout: CalloutToSign): Record<string, string> {
  const { body, calloutId, signingKeys } = callout;
  const { hmac, ed25519 } = signingKeys;
  const headers = unsignedHeaders(callout);
  headers['Content-Type'] = contentTypes[formatOf(body.toString('latin1', 0, 16))];
  const signedPrefix = `${calloutId}.${headers['webhook-timestamp']}.`;
  const signatures = inEach(hmac, (key) => standardSignature(key, signedPrefix, body));
  if (ed25519 !== undefined) {
    const signed = Buffer.concat([Buffer.from(signedPrefix), body]);
    signatures.push(...inEach(ed25519, (key) => `v1a,${sign(null, signed, key).toString('base64')}`));
  }
  headers['webhook-signature'] = signatures.join(' ');
  if (hmac !== undefined) {
    const { textKey } = hmac.previous ?? hmac.current;
    headers['X-Hook-Signature'] = `sha1=${createHmac('sha1', textKey).update(body).digest('base64')}`;
  }
  return headers;
}

/** All headers without the signatures, and with the Content-Type of most formats. */
function unsignedHeaders(callout: Omit<CalloutToSign, 'signingKeys' | 'body'>): Record<string, string> {
  const { action, calloutId, eventId } = callout;
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'User-Agent': headerValue('User-Agent', callout.userAgent),
    'X-Hook-Attempt': String(callout.attemptNumber),
  };
  if (action !== undefined) headers['X-Hook-Callout-Type'] = calloutTypes[action];
  if (eventId !== undefined) headers['X-Hook-Event-Id'] = headerValue('X-Hook-Event-Id', eventId);
  if (callout.isTest === true) headers['X-Hook-Test'] = 'true';
  if (callout.traceParent !== undefined) headers['traceparent'] = headerValue('traceparent', callout.traceParent);
  headers['webhook-id'] = headerValue('webhook-id', calloutId);
  headers['webhook-timestamp'] = String(Math.floor(callout.now.getTime() / 1000));
  return headers;
}

/** A signature for each key, the present key first. */
function inEach<Key>(keys: RotatedKey<Key> | undefined, signWith: (key: Key) => string): string[] {
  if (keys === undefined) return [];
  const { current, previous } = keys;
  return previous === undefined ? [signWith(current)] : [signWith(current), signWith(previous)];
}

function standardSignature({ standardKey }: PreparedSecret, signedPrefix: string, body: Buffer): string {
  return `v1,${createHmac('sha256', standardKey).update(signedPrefix).update(body).digest('base64')}`;
}

/** Visible ASCII and the space: accepted by every HTTP client and server. */
function headerValue(name: string, value: string): string {
  for (let index = 0; index < value.length; index += 1) {
    const code = value.charCodeAt(index);
    if (code < 0x20 || code > 0x7e) {
      throw new TypeError(`Header ${name} must be visible ASCII; character ${index + 1} is not`);
    }
  }
  return value;
}

/** The data of a callout that the headers of its request contain. */
export type CalloutOfAttempt = Readonly<Pick<ClaimedCallout, 'id' | 'kind' | 'action' | 'eventId'>> &
  Partial<Pick<ClaimedCallout, 'traceParent'>>;

/** The headers of an attempt, whether the callout is sent or fetched. */
export function headersOfAttempt(
  callout: CalloutOfAttempt,
  attempt: Pick<CalloutToSign, 'signingKeys' | 'attemptNumber' | 'body' | 'now' | 'userAgent'>,
): Record<string, string> {
  return calloutHeaders({ ...named(callout), ...attempt });
}

/**
 * The headers of an attempt as the log shows them, signatures redacted: headers that follow from callout and attempt, and
 * headers that are stored with the attempt (`storedHeaders`).
 */
export function loggedHeaders(
  callout: CalloutOfAttempt,
  { number, startedAt }: { readonly number: number; readonly startedAt: Date },
  stored: Readonly<Record<string, string>>,
): Record<string, string> {
  const {
    'User-Agent': userAgent = '',
    traceparent: traceParent,
    [secretSignature]: ofSecret,
    ...storedAsSent
  } = stored;
  const headers = unsignedHeaders({
    ...named(callout),
    attemptNumber: number,
    now: startedAt,
    userAgent,
    traceParent,
  });
  const signatures = { 'webhook-signature': '', ...(ofSecret !== notSent && { [secretSignature]: '' }) };
  return redactSignatures({ ...headers, ...signatures, ...storedAsSent });
}

function named({ id, kind, action, eventId, traceParent }: CalloutOfAttempt) {
  return {
    calloutId: id,
    traceParent: traceParent ?? undefined,
    action: actions.find((one) => one === action),
    eventId: eventId ?? undefined,
    isTest: kind === 'test',
  };
}
