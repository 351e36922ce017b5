import { type Bytes, bytesOf, type RawBody } from './bytes.ts';
import type { Callout, Sends } from './callout.ts';
import { headerValue, type RequestHeaders } from './headers.ts';
import { describeCallout, readCallout } from './read-callout.ts';
import { hookSignature, isEqual, standardSignature } from './signatures.ts';
import { VerificationError } from './verification-error.ts';

/** One secret, or all that may have signed: two while a secret is being rotated. */
export type Secrets = string | readonly string[];

export interface VerifyOptions {
  /**
   * Which signature counts. `webhook-signature`, the default, signs body, id and time. `x-hook-signature` signs the body
   * alone, so anyone who recorded a callout can send it again, under another id: for old receivers only.
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

/** More than a rotation has; a header with hundreds of signatures is not from Callout. */
const MOST_SIGNATURES = 10;

/**
 * Checks that a request is a callout signed with one of the secrets, and reads it.
 *
 * Throws a {@link VerificationError} when it is not, and a `TypeError` when there is no secret to check it with.
 *
 * @template Sent the fields that the webhook sends, `verify<'Phone' | 'CompanyName'>(...)`, or what `callout types` wrote.
 * The secret vouches for it: what a body has is checked only by `validate`.
 */
export async function verify<Sent extends Sends = string>(
  rawBody: RawBody,
  headers: RequestHeaders,
  secrets: Secrets,
  options: VerifyOptions = {},
): Promise<Callout<Sent>> {
  const body = bytesOf(rawBody);
  const keys = secretsIn(secrets);
  const { id, sentAt } = await checked(body, headers, keys, options);
  return describeCallout(readCallout(body, options), headers, id, sentAt) as Callout<Sent>;
}

async function checked(
  body: Bytes,
  headers: RequestHeaders,
  secrets: readonly string[],
  options: VerifyOptions,
): Promise<{ id: string; sentAt: Date | undefined }> {
  if (options.signature !== 'x-hook-signature') return checkStandardSignature(body, headers, secrets, options);
  await checkHookSignature(body, headers, secrets);
  return { id: headerValue(headers, 'webhook-id') ?? '', sentAt: undefined };
}

async function checkStandardSignature(
  body: Bytes,
  headers: RequestHeaders,
  secrets: readonly string[],
  options: VerifyOptions,
): Promise<{ id: string; sentAt: Date }> {
  const [id, timestamp, given] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerValue(headers, name),
  );
  if (id === undefined || timestamp === undefined || given === undefined) {
    throw new VerificationError(
      'missing_headers',
      'webhook-id, webhook-timestamp or webhook-signature is missing: this is not a callout, or a proxy removed it.',
    );
  }
  const signatures = given.split(' ').slice(0, MOST_SIGNATURES);
  const expected = await Promise.all(secrets.map((secret) => standardSignature(secret, id, timestamp, body)));
  if (!isAnyEqual(signatures, expected)) throw wrongSignature();
  return { id, sentAt: checkTime(timestamp, options) };
}

async function checkHookSignature(body: Bytes, headers: RequestHeaders, secrets: readonly string[]): Promise<void> {
  const given = headerValue(headers, 'x-hook-signature');
  if (given === undefined) throw new VerificationError('missing_headers', 'X-Hook-Signature is missing.');
  const expected = await Promise.all(secrets.map((secret) => hookSignature(secret, body)));
  if (!isAnyEqual([given], expected)) throw wrongSignature();
}

/** After the signature: what the time of a forged request is, is of no use to know. */
function checkTime(timestamp: string, { toleranceSeconds = 300, now = () => new Date() }: VerifyOptions): Date {
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
  const message = 'No secret fits the signature: the secret is another one, or the body is not the one that was sent.';
  return new VerificationError('wrong_signature', message);
}

/** Compares all with all, whichever fits first. */
function isAnyEqual(given: readonly string[], expected: readonly string[]): boolean {
  return given.flatMap((signature) => expected.map((right) => isEqual(signature, right))).includes(true);
}

/** @throws a `TypeError` when there is none, mostly since an environment variable is not set. */
export function secretsIn(secrets: Secrets | undefined): readonly string[] {
  const list = typeof secrets === 'string' ? [secrets] : secrets;
  if (
    !Array.isArray(list) ||
    list.length === 0 ||
    !list.every((secret) => typeof secret === 'string' && secret !== '')
  ) {
    throw new TypeError('A secret is missing or empty. Give the secretKey of the webhook; is its variable set?');
  }
  return list;
}
