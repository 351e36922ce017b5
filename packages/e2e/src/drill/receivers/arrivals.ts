import { createHmac } from 'node:crypto';
import type { ReceivedRequest } from '@callout/testing';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { DrillWebhook } from '../traffic/webhooks.ts';

/** A request to the receiver of a webhook. */
export interface Arrival {
  readonly webhook: string;
  /** `webhook-id`: the same for all attempts of a callout. */
  readonly calloutId: string;
  /** `X-Hook-Event-Id`; empty for a deactivation. */
  readonly eventId: string;
  readonly bodyText: string;
  readonly body: CalloutBody;
  /** Whether the receiver responded with 2xx. */
  readonly isWelcome: boolean;
  /** The errors of this request by itself. */
  readonly problems: readonly string[];
}

export interface CalloutBody {
  readonly Action: string;
  readonly Guid: string;
  readonly EntityType: string;
  readonly Id: number;
  readonly Fields: Readonly<Record<string, string | null>>;
  readonly EventTime: string;
  readonly SequenceNumber: number;
  readonly PersonID: number;
  /** Only where changes were merged. */
  readonly MergedEventIDs?: readonly string[];
}

/** The action of a deactivation call, which belongs to no event. */
export const isDeactivation = ({ body }: Pick<Arrival, 'body'>): boolean => body.Action === 'Deactivated';

/** The action of a digest, which belongs to no event either. */
export const isDigest = ({ body }: Pick<Arrival, 'body'>): boolean => body.Action === 'Digest';

const KEYS_IN_ORDER = 'Action,Guid,EntityType,Id,Fields,EventTime,SequenceNumber,PersonID';
const CALLOUT_TYPES: Readonly<Record<string, string>> = { Create: 'PUT', Update: 'PATCH', Delete: 'DELETE' };

/** Reads a request as its receiver should: signatures first, with the public library and by hand. */
export function readArrival(request: ReceivedRequest, webhook: DrillWebhook, isWelcome: boolean): Arrival {
  const header = (name: string) => String(request.headers[name] ?? '');
  const bodyText = request.body.toString('utf8');
  const body = JSON.parse(bodyText) as CalloutBody;
  const problems: string[] = [];
  const claim = (isTrue: boolean, problem: string) => {
    if (!isTrue) problems.push(`${webhook.name}: callout ${header('webhook-id')} ${problem}`);
  };
  claim(isSigned(request, webhook.secretKey), 'has no valid webhook-signature');
  const sha1 = createHmac('sha1', Buffer.from(webhook.secretKey, 'utf8')).update(request.body).digest('base64');
  claim(header('x-hook-signature') === `sha1=${sha1}`, 'has no valid X-Hook-Signature');
  claim(request.method === 'POST', `came as ${request.method}`);
  claim(header('content-type') === 'application/json', `has the content type ${header('content-type')}`);
  claim(
    header('x-hook-callout-type') === (CALLOUT_TYPES[body.Action] ?? ''),
    `has the wrong callout type for ${body.Action}`,
  );
  claim(/^[1-9]\d*$/.test(header('x-hook-attempt')), `has the attempt number '${header('x-hook-attempt')}'`);
  const last = isDigest({ body }) ? ',Digest' : body.MergedEventIDs === undefined ? '' : ',MergedEventIDs';
  const keys = `${KEYS_IN_ORDER}${last}`;
  claim(body.MergedEventIDs === undefined || webhook.merges === true, 'carries merged events');
  claim(Object.keys(body).join(',') === keys, `has the keys ${Object.keys(body).join(',')}`);
  claim(bodyText === JSON.stringify(body), 'is not compact JSON');
  claim(body.EntityType === webhook.entity.entityType, `is about ${body.EntityType}`);
  return {
    webhook: webhook.name,
    calloutId: header('webhook-id'),
    eventId: header('x-hook-event-id'),
    bodyText,
    body,
    isWelcome,
    problems,
  };
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
