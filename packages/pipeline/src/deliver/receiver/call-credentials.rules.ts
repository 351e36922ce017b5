import { createHash } from 'node:crypto';
import type { ReceiverAuth } from '@callout/domain/receiver/receiver-auth';
import type { StoredSecrets } from '@callout/domain/receiver/receiver-settings';
import type { AttemptOutcome } from '@callout/domain/outcome/outcome';
import type { TlsMaterial } from '@callout/domain/receiver/certificates';

export type OAuth2 = Extract<ReceiverAuth, { readonly kind: 'oauth2' }>;

/** What the calls of a webhook carry beside the signature, prepared once for many. Never to be logged. */
export interface CallCredentials {
  /** Sent with each call. */
  readonly headers: Readonly<Record<string, string>>;
  /** The headers as the log shows them. */
  readonly loggedHeaders: Readonly<Record<string, string>>;
  readonly tls: TlsMaterial | undefined;
  /** Where the token of each call comes from; `authId` changes with the settings, and `tls` is for the token endpoint. */
  readonly oauth2:
    { readonly authId: string; readonly auth: OAuth2; readonly tls: TlsMaterial | undefined } | undefined;
  /** The routing key in the messages of the webhook; absent: no key. */
  readonly routingKey: string | undefined;
  /** What an answer must not show when the receiver sends it back. */
  readonly secrets: readonly string[];
}

const redacted = '<redacted>';

/** Prepares the credentials of a webhook. */
export function credentialsOf(stored: Partial<StoredSecrets>, caCertificate: string | null): CallCredentials {
  const { requestHeaders = [], receiverAuth = { kind: 'none' }, alertRoutingKey, authId = '' } = stored;
  const authorization = authorizationOf(receiverAuth);
  const headers = Object.fromEntries(requestHeaders.map(({ name, value }) => [name, value]));
  if (authorization !== undefined) headers['Authorization'] = authorization;
  const isOAuth2 = receiverAuth.kind === 'oauth2';
  return {
    headers,
    loggedHeaders: Object.fromEntries(
      [...Object.keys(headers), ...(isOAuth2 ? ['Authorization'] : [])].map((name) => [name, redacted]),
    ),
    tls: materialOf({
      authorities: caCertificate ?? undefined,
      ...(receiverAuth.kind === 'mtls' && {
        certificate: receiverAuth.certificate,
        privateKey: receiverAuth.privateKey,
      }),
    }),
    oauth2: isOAuth2
      ? { authId, auth: receiverAuth, tls: materialOf({ authorities: receiverAuth.tokenCaCertificate ?? undefined }) }
      : undefined,
    routingKey: alertRoutingKey,
    secrets: [
      ...requestHeaders.map(({ value }) => value),
      ...secretsOf(receiverAuth),
      ...(alertRoutingKey === undefined ? [] : [alertRoutingKey]),
    ],
  };
}

function authorizationOf(auth: ReceiverAuth): string | undefined {
  if (auth.kind === 'bearer') return `Bearer ${auth.token}`;
  return auth.kind === 'basic' ? `Basic ${encoded(auth)}` : undefined;
}

/** RFC 7617, in UTF-8. */
function encoded({ userName, password }: { readonly userName: string; readonly password: string }): string {
  return Buffer.from(`${userName}:${password}`, 'utf8').toString('base64');
}

function secretsOf(auth: ReceiverAuth): string[] {
  if (auth.kind === 'basic') return [auth.password, encoded(auth)];
  if (auth.kind === 'bearer') return [auth.token];
  return auth.kind === 'oauth2' ? [auth.clientSecret] : [];
}

function materialOf(material: Omit<TlsMaterial, 'id'>): TlsMaterial | undefined {
  const { authorities, certificate, privateKey } = material;
  if (authorities === undefined && certificate === undefined) return undefined;
  const parts = JSON.stringify([authorities, certificate, privateKey]);
  return { ...material, id: createHash('sha256').update(parts).digest('base64') };
}

/** Shorter ones occur by chance, and would be found out by what is left of the text. */
const leastSecretLength = 6;

/** The outcome without secrets that the receiver has sent back, as a server for tests of requests does. */
export function withoutSecrets(outcome: AttemptOutcome, secrets: readonly string[]): AttemptOutcome {
  if (outcome.kind === 'failed') return outcome;
  const long = secrets.filter(({ length }) => length >= leastSecretLength);
  // JSON spells some characters in another way. The longest first: one may begin with another, and its rest must not stay.
  const spelled = new Set(long.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]));
  // Node reads headers byte by byte as well.
  const secretsFound = [...spelled]
    .map((secret) => Buffer.from(secret, 'utf8').toString('latin1'))
    .toSorted((one, other) => other.length - one.length);
  const clean = (text: string) => secretsFound.reduce((rest, secret) => rest.replaceAll(secret, redacted), text);
  const body = outcome.body.toString('latin1');
  const cleanBody = clean(body);
  return {
    ...outcome,
    headers: Object.fromEntries(Object.entries(outcome.headers).map(([name, value]) => [name, clean(value)])),
    body: cleanBody === body ? outcome.body : Buffer.from(cleanBody, 'latin1'),
  };
}
