import type { Action } from '@callout/domain/event';
import { calloutHeaders, prepareSecret } from '@callout/pipeline/deliver/sign.rules';

/** Of the examples. */
export const CALLOUT_ID = '019bc0de-0000-7000-8000-000000000007';
export const SENT_AT = new Date('2026-01-15T09:30:00Z');

/** A header of a callout. */
export interface CalloutHeader {
  readonly name: string;
  readonly description: string;
  readonly isAlwaysThere: boolean;
  readonly example: string;
}

/** The purpose of a callout's headers. Content-Type and User-Agent are common to all clients. */
const headerDescriptions: Readonly<Record<string, string>> = {
  'X-Hook-Attempt': 'Which attempt this is, from 1.',
  'X-Hook-Callout-Type':
    'PUT for a created record, PATCH for an updated, DELETE for a deleted one: the subscription that it belongs to. Absent in deactivation calls.',
  'X-Hook-Event-Id': 'The event that caused it. Absent where no event caused it.',
  'X-Hook-Test': 'true in a test that was asked for: sample values, Id 0 and SequenceNumber 0. Absent otherwise.',
  traceparent:
    'W3C Trace Context: the same trace for every attempt, and that of the request that reported the change. Absent when that is not traced. No part of a signature.',
  'webhook-id': 'The same for every attempt of a callout: drop what you have seen.',
  'webhook-timestamp': 'When this attempt was made, in Unix seconds.',
  'webhook-signature':
    'Standard Webhooks: v1, and base64 of HMAC-SHA256 over webhook-id.webhook-timestamp.body with the secretKey (for a whsec_ key its decoded bytes); v1a, and base64 of Ed25519 over the same with the private key of the tenant, where the signatureKind is ed25519 or both. Separated by spaces, the present key before the old one while one is rotated.',
  'X-Hook-Signature':
    'sha1= and base64 of HMAC-SHA1 over the body, with the text of the secretKey; with the old one while a secret is rotated. Absent where the signatureKind is ed25519.',
};

const sometimesThere: ReadonlySet<string> = new Set([
  'X-Hook-Event-Id',
  'X-Hook-Test',
  'traceparent',
  'X-Hook-Signature',
]);

/**
 * Headers made by the function for real headers, with the values for a body and an invented secret. A request to a
 * `webhookUrl` may be a test, which has a separate header and no event.
 */
export function headersOf(body: string, action?: Action): CalloutHeader[] {
  const mayBeTest = action !== undefined;
  const headers = calloutHeaders({
    signingKeys: { hmac: { current: prepareSecret('a secret of 10 characters or more') } },
    calloutId: CALLOUT_ID,
    attemptNumber: 1,
    action,
    eventId: mayBeTest ? 'crm-20260115-1' : undefined,
    isTest: mayBeTest,
    traceParent: mayBeTest ? '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' : undefined,
    body: Buffer.from(body),
    now: SENT_AT,
    userAgent: 'Callout',
  });
  return Object.entries(headers)
    .filter(([name]) => name !== 'Content-Type' && name !== 'User-Agent')
    .map(([name, example]) => ({
      name,
      description: headerDescriptions[name] ?? '',
      isAlwaysThere: !sometimesThere.has(name),
      example,
    }));
}
