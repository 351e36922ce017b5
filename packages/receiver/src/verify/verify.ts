import { type Bytes, bytesOf, type RawBody } from './bytes.ts';
import type { Callout, Sends } from './callout.ts';
import { ed25519Signatures, isPublicKey, isSignedByAny, publicKeyBytes } from './ed25519.ts';
import { headerValue, type RequestHeaders } from './headers.ts';
import type { PublicKeys } from './public-keys.ts';
import { describeCallout, readCallout } from './read-callout.ts';
import { hookSignature, isEqual, standardSignature } from './signatures.ts';
import { VerificationError } from './verification-error.ts';

/**
 * What verifies: a secret, or a public key (`whpk_…`) for Ed25519; several, two while one is being rotated; or the public
 * keys at an address. A public key verifies Ed25519 alone and a secret HMAC alone.
 */
export type Secrets = string | readonly string[] | PublicKeys;

export interface VerifyOptions {
  /**
   * Which signature counts. `webhook-signature`, the default, signs body, id and time. `x-hook-signature` signs the
   * body alone, so anyone who recorded a callout can send it again, under another id: for old receivers only.
   */
  readonly signature?: 'webhook-signature' | 'x-hook-signature' | undefined;
  /** How far `webhook-timestamp` may be from now, in seconds. Default 300. */
  readonly toleranceSeconds?: number | undefined;
  /**
   * Whether a body, parsed, is what you expect: `ajv.compile(schema)` with the PayloadSchema of the webhook. Called when
   * the signature was found right; false refuses the callout with `unexpected_body`. Default: bodies are not checked.
   */
  readonly validate?: ((body: unknown) => boolean) | undefined;
  /** The present time; for tests. */
  readonly now?: (() => Date) | undefined;
}

/** Not `Number`, which takes signs, fractions, exponents, hex and an empty text. */
const SECONDS = /^\d{1,12}$/u;

/** More than a rotation has; a header with hundreds of signatures is not from Callout. */
const MOST_SIGNATURES = 10;

/**
 * Checks that a request is a callout signed with one of the secrets or private keys, and reads the callout.
 *
 * Throws a {@link VerificationError} for anything else, and a `TypeError` without a secret for the check.
 *
 * @template Sent the fields that the webhook sends, `verify<'Phone' | 'CompanyName'>(...)`, or what `callout types`
 * wrote. The secret vouches for the type: the content of a body is checked only by `validate`.
 */
export async function verify<Sent extends Sends = string>(
  rawBody: RawBody,
  headers: RequestHeaders,
  secrets: Secrets,
  options: VerifyOptions = {},
): Promise<Callout<Sent>> {
  const body = bytesOf(rawBody);
  const keys = keysIn(secrets);
  const { id, sentAt } = await checked(body, headers, keys, options);
  return describeCallout(readCallout(body, options), headers, id, sentAt) as Callout<Sent>;
}

async function checked(
  body: Bytes,
  headers: RequestHeaders,
  keys: VerifyingKeys,
  options: VerifyOptions,
): Promise<{ id: string; sentAt: Date | undefined }> {
  if (options.signature !== 'x-hook-signature') return checkStandardSignature(body, headers, keys, options);
  if (keys.secrets.length === 0)
    throw new TypeError('X-Hook-Signature is made with a secret: no public key verifies it.');
  await checkHookSignature(body, headers, keys.secrets);
  return { id: headerValue(headers, 'webhook-id') ?? '', sentAt: undefined };
}

async function checkStandardSignature(
  body: Bytes,
  headers: RequestHeaders,
  { secrets, publicKeys, source }: VerifyingKeys,
  options: VerifyOptions,
): Promise<{ id: string; sentAt: Date }> {
  const [id, timestamp, signatureHeader] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerValue(headers, name),
  );
  if (id === undefined || timestamp === undefined || signatureHeader === undefined) {
    throw new VerificationError(
      'missing_headers',
      'webhook-id, webhook-timestamp or webhook-signature is missing: this is not a callout, or a proxy removed it.',
    );
  }
  const signatures = signatureHeader.split(' ').slice(0, MOST_SIGNATURES);
  const expected = await Promise.all(secrets.map((secret) => standardSignature(secret, id, timestamp, body)));
  if (!isAnyEqual(signatures, expected)) {
    const signed = { id, timestamp, body };
    const ofPairs = ed25519Signatures(signatures);
    const fits = async (keys: readonly Bytes[] = []) => isSignedByAny(keys, ofPairs, signed);
    const isSigned =
      ofPairs.length > 0 &&
      ((await fits(publicKeys)) ||
        (source !== undefined && ((await fits(await source.current())) || (await fits(await source.renewed())))));
    if (!isSigned) throw wrongSignature();
  }
  return { id, sentAt: checkTime(timestamp, options) };
}

async function checkHookSignature(body: Bytes, headers: RequestHeaders, secrets: readonly string[]): Promise<void> {
  const signature = headerValue(headers, 'x-hook-signature');
  if (signature === undefined) throw new VerificationError('missing_headers', 'X-Hook-Signature is missing.');
  const expected = await Promise.all(secrets.map((secret) => hookSignature(secret, body)));
  if (!isAnyEqual([signature], expected)) throw wrongSignature();
}

/** After the signature: what the time of a forged request is, is of no use to know. */
function checkTime(timestamp: string, { toleranceSeconds = 300, now = () => new Date() }: VerifyOptions): Date {
  if (!SECONDS.test(timestamp)) {
    throw new VerificationError('missing_headers', 'webhook-timestamp is not a number of seconds since 1970.');
  }
  const age = now().getTime() / 1000 - Number(timestamp);
  if (!(age <= toleranceSeconds)) throw outOfTime('too_old', age, toleranceSeconds);
  if (!(-age <= toleranceSeconds)) throw outOfTime('too_new', -age, toleranceSeconds);
  return new Date(Number(timestamp) * 1000);
}

function outOfTime(code: 'too_old' | 'too_new', seconds: number, tolerance: number): VerificationError {
  const where = code === 'too_old' ? 'ago' : 'in the future';
  const message = `Signed ${Math.round(seconds)} s ${where}, more than the ${tolerance} s allowed: is the clock right?`;
  return new VerificationError(code, message);
}

function wrongSignature(): VerificationError {
  const message =
    'No key fits the signature: the secret or public key is another one, or the body is not the one that was sent.';
  return new VerificationError('wrong_signature', message);
}

/** Compares all with all, whichever fits first. */
function isAnyEqual(received: readonly string[], expected: readonly string[]): boolean {
  return received.flatMap((signature) => expected.map((right) => isEqual(signature, right))).includes(true);
}

/** The keys of `Secrets`, by what they verify. */
interface VerifyingKeys {
  readonly secrets: readonly string[];
  readonly publicKeys: readonly Bytes[];
  readonly source?: PublicKeys | undefined;
}

/** @throws a `TypeError` when there is none, mostly since an environment variable is not set. */
export function keysIn(secrets: Secrets | undefined): VerifyingKeys {
  if (isSource(secrets)) return { secrets: [], publicKeys: [], source: secrets };
  const list = typeof secrets === 'string' ? [secrets] : secrets;
  if (
    !Array.isArray(list) ||
    list.length === 0 ||
    !list.every((secret) => typeof secret === 'string' && secret !== '')
  ) {
    throw new TypeError('A secret is missing or empty. Give the secretKey of the webhook; is its variable set?');
  }
  const texts = list as readonly string[];
  return {
    secrets: texts.filter((text) => !isPublicKey(text)),
    publicKeys: texts.filter(isPublicKey).map(publicKeyBytes),
  };
}

function isSource(secrets: Secrets | undefined): secrets is PublicKeys {
  return typeof secrets === 'object' && 'current' in secrets && typeof secrets.current === 'function';
}
