import type { Bytes } from './bytes.ts';
import type { Callout, Payload } from './callout.ts';
import { headerValue, type RequestHeaders } from './headers.ts';
import { referenceOf, typedIn, type TypedPayload } from './typed-payload.ts';
import { VerificationError } from './verification-error.ts';

interface BodyCheck {
  readonly validate?: ((body: unknown) => boolean) | undefined;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The body of a callout. */
interface ReadBody {
  /** As the reference format has it, whichever format was sent. */
  readonly payload: Payload;
  /** The body as sent, in the other formats. */
  readonly typed: TypedPayload | undefined;
}

/**
 * Reads the body of a callout. Throws a {@link VerificationError}: `malformed_body` for what is none, `unexpected_body` for
 * what `validate` refuses.
 */
export function readCallout(body: Bytes, { validate }: BodyCheck = {}): ReadBody {
  const value = parse(body);
  const typed = typedIn(value);
  const payload = typed === undefined ? value : referenceOf(typed);
  if (!isPayload(payload)) throw new VerificationError('malformed_body', 'The body is not that of a callout.');
  if (validate !== undefined && !validate(value)) {
    const message =
      'The body is not what the receiver expects of this webhook: was it changed since its schema was read?';
    throw new VerificationError('unexpected_body', message);
  }
  return { payload, typed };
}

/** Puts together what is known of a callout whose signature was found right. */
export function describeCallout(
  { payload, typed }: ReadBody,
  headers: RequestHeaders,
  id: string,
  sentAt: Date | undefined,
): Callout {
  const attempt = Number(headerValue(headers, 'x-hook-attempt') ?? 1);
  return {
    id,
    sentAt,
    attempt: Number.isSafeInteger(attempt) && attempt > 0 ? attempt : 1,
    eventId: headerValue(headers, 'x-hook-event-id'),
    // Not by X-Hook-Test, which is not signed: adding it would make a receiver ignore a real callout.
    isTest: payload.SequenceNumber === 0 && payload.Id === 0,
    payload,
    typed,
  };
}

function parse(body: Bytes): unknown {
  try {
    return JSON.parse(decoder.decode(body));
  } catch {
    return undefined;
  }
}

/** Actions to come are let through: what is signed by the secret is a callout. */
function isPayload(value: unknown): value is Payload {
  if (typeof value !== 'object' || value === null) return false;
  const { Action, Guid, EntityType, Id, Fields, SequenceNumber } = value as Record<string, unknown>;
  return (
    [Action, Guid, EntityType].every((text) => typeof text === 'string') &&
    [Id, SequenceNumber].every((number) => Number.isSafeInteger(number)) &&
    typeof Fields === 'object' &&
    Fields !== null
  );
}
