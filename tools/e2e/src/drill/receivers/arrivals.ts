import { createHmac } from 'node:crypto';
import type { ReceivedRequest } from '@callout/testing';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { BodyFormat, DrillCredentials } from '../traffic/variety.ts';
import type { DrillWebhook } from '../traffic/webhooks.ts';
import { signaturesOf } from './published-keys.ts';
import { readBody, type CalloutBody } from './read-body.ts';
import { isTokenOf } from './tokens.ts';

/** A request to the receiver of a webhook. */
export interface Arrival {
  readonly webhook: string;
  /** `webhook-id`: the same for all attempts of a callout. */
  readonly calloutId: string;
  /** `X-Hook-Event-Id`; empty for a deactivation. */
  readonly eventId: string;
  readonly bodyText: string;
  readonly body: CalloutBody;
  readonly format: BodyFormat;
  /** Whether the receiver responded with 2xx. */
  readonly isWelcome: boolean;
  readonly request: ReceivedRequest;
  /** The errors of this request by itself. */
  readonly problems: readonly string[];
}

/** The action of a deactivation call, which belongs to no event. */
export const isDeactivation = ({ body }: Pick<Arrival, 'body'>): boolean => body.Action === 'Deactivated';

const CALLOUT_TYPES: Readonly<Record<string, string>> = { Create: 'PUT', Update: 'PATCH', Delete: 'DELETE' };

/** The versions of the signatures in `webhook-signature`: while the key pair is replaced, there are two by a private key. */
const VERSIONS: Readonly<Record<DrillWebhook['signatureKind'], RegExp>> = {
  hmac: /^v1$/,
  ed25519: /^v1a(?: v1a)?$/,
  both: /^v1 v1a(?: v1a)?$/,
};

/**
 * Reads a request as its receiver should: signatures first, with the public library and by hand. `checkSignatures`
 * verifies those by private keys, whose public ones are all known only in the end.
 */
export function readArrival(request: ReceivedRequest, webhook: DrillWebhook, isWelcome: boolean): Arrival {
  const header = (name: string) => String(request.headers[name] ?? '');
  const bodyText = request.body.toString('utf8');
  const problems: string[] = [];
  const calloutId = header('webhook-id');
  const claim = (isTrue: boolean, problem: string) => {
    if (!isTrue) problems.push(`${webhook.name}: callout ${calloutId} ${problem}`);
  };
  const { body, format } = readBody(bodyText, { webhook, calloutId, claim });
  const versions = signaturesOf(request).map(([version]) => version);
  claim(VERSIONS[webhook.signatureKind].test(versions.join(' ')), `is signed by ${versions.join(' ')}`);
  const sha1 = createHmac('sha1', Buffer.from(webhook.secretKey, 'utf8')).update(request.body).digest('base64');
  const hookSignature = webhook.signatureKind === 'ed25519' ? '' : `sha1=${sha1}`;
  claim(header('x-hook-signature') === hookSignature, 'has no valid X-Hook-Signature');
  if (webhook.signatureKind !== 'ed25519') {
    claim(isSigned(request, webhook.secretKey), 'has no valid webhook-signature');
  }
  claim(request.method === 'POST', `came as ${request.method}`);
  const type = format === 'cloudevents' ? 'application/cloudevents+json' : 'application/json';
  claim(header('content-type') === type, `has the content type ${header('content-type')}`);
  claim(
    header('x-hook-callout-type') === (CALLOUT_TYPES[body.Action] ?? ''),
    `has the wrong callout type for ${body.Action}`,
  );
  claim(/^[1-9]\d*$/.test(header('x-hook-attempt')), `has the attempt number '${header('x-hook-attempt')}'`);
  claim(body.MergedEventIDs === undefined || webhook.merges === true, 'carries merged events');
  claim(body.EntityType === webhook.entity.entityType, `is about ${body.EntityType}`);
  for (const [name, value, isRight] of expectedHeaders(webhook)) {
    claim(isRight(header(name)), `has '${header(name)}' as ${name}, where ${value} belongs`);
  }
  return {
    webhook: webhook.name,
    calloutId,
    eventId: header('x-hook-event-id'),
    bodyText,
    body,
    format,
    isWelcome,
    request,
    problems,
  };
}

type ExpectedHeader = readonly [name: string, what: string, isRight: (value: string) => boolean];

/** What a webhook has chosen, and without credentials nothing in its place. */
function expectedHeaders({ name, credentials }: DrillWebhook): ExpectedHeader[] {
  const own = credentials?.requestHeaders[0]?.value ?? '';
  return [
    ['x-drill-key', 'its own value', (value) => value === own],
    ['authorization', credentials?.receiverAuth.kind ?? 'nothing', (value) => isAuthorized(name, value, credentials)],
  ];
}

function isAuthorized(name: string, value: string, credentials: DrillCredentials | undefined): boolean {
  const auth = credentials?.receiverAuth ?? { kind: 'none' };
  if (auth.kind === 'none' || auth.kind === 'mtls') return value === '';
  if (auth.kind === 'bearer') return value === `Bearer ${auth.token}`;
  if (auth.kind === 'oauth2') return value.startsWith('Bearer ') && isTokenOf(name, value.slice('Bearer '.length));
  return value === `Basic ${Buffer.from(`${auth.userName}:${auth.password}`, 'utf8').toString('base64')}`;
}

function isSigned({ body, headers }: ReceivedRequest, secret: string): boolean {
  const verifier = secret.startsWith('whsec_')
    ? new Webhook(secret)
    : new Webhook(Buffer.from(secret, 'utf8'), { format: 'raw' });
  try {
    verifier.verify(body, headers as Record<string, string>);
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
}
