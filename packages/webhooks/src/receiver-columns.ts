import { randomBytes, randomUUID } from 'node:crypto';
import type { AlertFormat } from '@callout/domain/alert/alert';
import { Problem, type ProblemDetail } from '@callout/domain/problem';
import { certificateExpiry } from '@callout/domain/receiver/certificates';
import { refuseKey } from '@callout/domain/input/read-keys';
import {
  applyReceiverChange,
  isMoved,
  isPlain,
  noSecrets,
  type ReceiverChange,
  type ReceiverSecrets,
  type StoredSecrets,
} from '@callout/domain/receiver/receiver-settings';
import { secretOfKind } from '@callout/domain/receiver/receiver-auth';
import { type KeyRing, secretAad } from '@callout/domain/secrets/keyring';

const NONCE_BYTES = 12;

/** The columns that hold the request headers and the authentication of a webhook, encrypted; null: neither is set. */
export interface ReceiverColumns {
  receiverKeyId: string | null;
  receiverNonce: Uint8Array<ArrayBuffer> | null;
  receiverCiphertext: Uint8Array<ArrayBuffer> | null;
  certificateExpiresAt: Date | null;
  certificateToldDays: number | null;
}

/** The webhook that secrets are bound to. */
interface Owner {
  readonly tenantId: number;
  readonly guid: string;
}

/** Encrypts what a webhook sends to the receiver beside the signature. */
export function receiverColumns(
  keyRing: KeyRing,
  { tenantId, guid }: Owner,
  secrets: ReceiverSecrets,
): ReceiverColumns {
  const { requestHeaders, receiverAuth, alertRoutingKey } = secrets;
  const certificateExpiresAt = receiverAuth.kind === 'mtls' ? certificateExpiry(receiverAuth.certificate) : null;
  const certificate = { certificateExpiresAt, certificateToldDays: null };
  if (isPlain(secrets)) {
    return { receiverKeyId: null, receiverNonce: null, receiverCiphertext: null, ...certificate };
  }
  const stored: StoredSecrets = {
    requestHeaders,
    receiverAuth,
    ...(alertRoutingKey !== undefined && { alertRoutingKey }),
    authId: randomUUID(),
  };
  const encrypted = keyRing.encrypt(JSON.stringify(stored), secretAad(tenantId, guid), randomBytes(NONCE_BYTES));
  return {
    receiverKeyId: encrypted.keyId,
    receiverNonce: Uint8Array.from(encrypted.nonce),
    receiverCiphertext: Uint8Array.from(encrypted.ciphertext),
    ...certificate,
  };
}

/** The row of a webhook before a change. */
interface StoredReceiver extends Owner, ReceiverColumns {
  readonly webhookUrl: string;
  readonly alertFormat: string;
}

/** What a change of the settings writes. */
export interface ChangedReceiver {
  readonly columns: ReceiverColumns;
  /** Whether the client certificate was replaced or removed. */
  readonly hasNewCertificate: boolean;
  /** Replaced secrets, such as `receiverAuth.password`, whose mask stays the same. */
  readonly replacedSecrets: readonly string[];
}

/**
 * The columns after a change of the settings or of the URL; undefined without a change.
 * @throws a Problem `invalid` when a stored secret is missing, or must not go to the new URL.
 */
export function changedReceiver(
  keyRing: KeyRing,
  stored: StoredReceiver,
  {
    receiver = {},
    webhookUrl = stored.webhookUrl,
    alertFormat = stored.alertFormat as AlertFormat,
  }: {
    receiver?: ReceiverChange | undefined;
    webhookUrl?: string | undefined;
    alertFormat?: AlertFormat | undefined;
  },
  now: Date,
): ChangedReceiver | undefined {
  const before = decryptSecrets(keyRing, stored);
  const problems: ProblemDetail[] = [];
  const url = { before: stored.webhookUrl, after: webhookUrl };
  if (before === undefined) {
    if (Object.keys(receiver).length === 0 && !isMoved(url)) return undefined;
    for (const key of ['requestHeaders', 'receiverAuth'] as const)
      if (receiver[key] === undefined) refuseKey(problems, key, givenAgain, 'required');
  }
  const after = applyReceiverChange(before ?? noSecrets, receiver, { url, now, alertFormat }, problems);
  if (problems.length > 0) throw Problem.invalid(problems);
  if (JSON.stringify(after) === JSON.stringify(before)) return undefined;
  const columns = receiverColumns(keyRing, stored, after);
  const hasNewCertificate = columns.certificateExpiresAt?.getTime() !== stored.certificateExpiresAt?.getTime();
  // The expiry of a certificate that stays is not announced again.
  if (!hasNewCertificate) columns.certificateToldDays = stored.certificateToldDays;
  return { columns, hasNewCertificate, replacedSecrets: replacedIn(before ?? noSecrets, after) };
}

function replacedIn(before: ReceiverSecrets, after: ReceiverSecrets): string[] {
  const headers = after.requestHeaders.filter(({ name, value }) => {
    const headerBefore = before.requestHeaders.find((one) => one.name === name);
    return headerBefore !== undefined && headerBefore.value !== value;
  });
  const { kind } = after.receiverAuth;
  const secret = secretOfKind[kind];
  const [authBefore, authAfter] = [before, after].map(
    ({ receiverAuth }) => secret && Reflect.get(receiverAuth, secret),
  );
  const hasOtherAuth = kind === before.receiverAuth.kind && authBefore !== authAfter;
  const hasOtherRoutingKey =
    ![before.alertRoutingKey, after.alertRoutingKey].includes(undefined) &&
    before.alertRoutingKey !== after.alertRoutingKey;
  return [
    ...headers.map(({ name }) => `requestHeaders.${name}`),
    ...(hasOtherAuth ? [`receiverAuth.${secret}`] : []),
    ...(hasOtherRoutingKey ? ['alertRoutingKey'] : []),
  ];
}

const givenAgain = 'must be given again: the key that encrypts its secrets is missing';

/** Undefined when the ring lacks the key: then every secret has to be set again. */
function decryptSecrets(keyRing: KeyRing, { tenantId, guid, ...columns }: StoredReceiver): ReceiverSecrets | undefined {
  const { receiverKeyId: keyId, receiverNonce: nonce, receiverCiphertext: ciphertext } = columns;
  if (keyId === null || nonce === null || ciphertext === null) return noSecrets;
  try {
    const text = keyRing.decrypt({ keyId, nonce, ciphertext }, secretAad(tenantId, guid));
    const { authId: _authId, ...secrets } = JSON.parse(text) as StoredSecrets;
    return secrets;
  } catch {
    return undefined;
  }
}
