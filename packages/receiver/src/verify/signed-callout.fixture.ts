import { type KeyObject, randomUUID } from 'node:crypto';
import { calloutHeaders, prepareSecret } from '@callout/pipeline/deliver/sign.rules';
import type { Payload } from './callout.ts';

/** What Callout sends: signed by the function that the worker signs with. */
export interface SentCallout {
  readonly body: Uint8Array<ArrayBuffer>;
  /** Names in lower case, as node:http has them. */
  readonly headers: Record<string, string>;
}

export interface SentOptions {
  readonly secret?: string;
  /** The secret before a rotation, while its overlap lasts. */
  readonly previous?: string;
  /** Private keys of Ed25519 that sign besides the secret; with `alone` in its place. */
  readonly ed25519?: { readonly current: KeyObject; readonly previous?: KeyObject; readonly alone?: boolean };
  readonly id?: string;
  readonly signedAt?: Date;
  readonly attempt?: number;
}

export const SECRET = 'a secret of mine, with ümlaut';

export const payload: Payload = {
  Action: 'Update',
  Guid: '3f0c8a52-6b1d-4a5e-9c0f-2f7f0f1b9d11',
  EntityType: 'Account',
  Id: 42,
  Fields: { Phone: '555-0199', CompanyName: 'Grüße 👋', City: null },
  EventTime: '2026-01-15T09:30:00Z',
  SequenceNumber: 7,
  PersonID: 1,
};

/** Makes one attempt of a callout. */
export function sentCallout(change: Partial<Payload> = {}, options: SentOptions = {}): SentCallout {
  return sentBody(JSON.stringify({ ...payload, ...change }), options);
}

/** Makes a request with any body, correctly signed. */
export function sentBody(text: string, options: SentOptions = {}): SentCallout {
  const { secret = SECRET, previous, ed25519, id = randomUUID(), signedAt = new Date(), attempt = 1 } = options;
  const body = new Uint8Array(Buffer.from(text));
  const headers = calloutHeaders({
    signingKeys: {
      hmac:
        ed25519?.alone === true
          ? undefined
          : {
              current: prepareSecret(secret),
              previous: previous === undefined ? undefined : prepareSecret(previous),
            },
      ed25519,
    },
    calloutId: id,
    attemptNumber: attempt,
    action: 'Update',
    eventId: 'order-17',
    body: Buffer.from(body),
    now: signedAt,
    userAgent: 'Callout/1.0',
  });
  return {
    body,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  };
}
