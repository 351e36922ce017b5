import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { findWebhookOwner } from '@callout/tenancy/sessions/webhook-owner';
import { Problem } from '@callout/domain/problem';
import type { ApiContext } from '../api-context.ts';
import { rights } from '../http/auth/rights.ts';
import { anyId, moment, text, webhookID, whole } from '../http/operation/wire-types.ts';
import { MAX_SMALL_ID, pathId } from '../http/route/path-id.ts';
import type { AddRoute } from '../http/route/route-table.ts';
import { allCalloutsTag } from '../http/operation/tags.ts';
import { judged, readChoices } from '../http/route/read-parameters.ts';
import { scopeOf } from '../rest/statistics/statistics-routes.ts';
import type { LiveScope } from './live-hub.ts';

const liveAttempt = z
  .object({
    calloutID: text.describe('The id of the callout.'),
    entityType: text.describe('The type of entity, such as Account.'),
    webhookID,
    recordID: anyId.nullable().describe('The id of the record; null for a test and a call to deactivationUrl.'),
    sequenceNumber: whole.describe('The sequence number of the callout.'),
    kind: text.describe('event, deactivation or test.'),
    state: text.describe('What the callout is now: delivered, failed, cancelled, or due for its next attempt.'),
    attempt: z
      .object({
        number: whole.describe('1 for the first.'),
        startDateTime: moment.describe('When it began.'),
        durationMs: whole.describe('How long it took, in milliseconds.'),
        status: whole.nullable().describe('The status of the answer; null: none came.'),
        reason: text.nullable().describe('What went wrong, in words; null: nothing.'),
      })
      .describe('What was just tried.'),
    nextAttemptDateTime: moment.nullable().describe('When it is tried again; null: it is not.'),
  })
  .meta({ id: 'LiveAttempt' });

/** `GET /Live`: the results of attempts, as soon as they are known. */
export function addLiveRoutes(add: AddRoute, { catalogue, database, live }: ApiContext): void {
  const entityTypes = catalogue.watched.map(({ entityType }) => entityType);
  add('/Live', {
    GET: {
      roles: rights.webhooks.read,
      portal: 'open',
      mayWait: true,
      schema: {
        tag: allCalloutsTag,
        id: 'watchLive',
        summary: 'Follow attempts live, as server-sent events',
        description:
          'The events are attempt, with the data below; live, when events are coming; fallback, when none can come and the client should poll instead; lost, with the number of events that this client was too slow to read; ended, after which the stream closes. There is no Last-Event-ID: what was missed is in the delivery log.',
        query: z.object({
          entityType: text.describe('The type of entity, such as Account; needed with webhookID.').optional(),
          webhookID: anyId.describe('One webhook; without it all that the caller sees.').optional(),
        }),
        responses: {
          200: { description: 'The data of an event attempt.', schema: liveAttempt, mediaType: 'text/event-stream' },
        },
      },
      async handle({ caller, query }) {
        const scope = scopeOf(caller);
        const { webhookid: id, entitytype: given } = query;
        const [entityType] = judged((problems) => {
          if (id !== undefined && given === undefined) {
            const message = 'entityType is required: it names a webhook together with webhookID';
            problems.push({ code: 'required', field: 'entityType', message });
          }
          return readChoices(given === undefined ? undefined : [given], 'entityType', entityTypes, problems) ?? [];
        });
        let { webhookKey } = scope;
        if (id !== undefined && entityType !== undefined) {
          const webhook = await findWebhookOwner(database, scope.tenantId, entityType, pathId(id, MAX_SMALL_ID));
          if (webhook === undefined || !isInScope(scope, webhook)) throw Problem.notFound();
          webhookKey = webhook.key;
        }
        return {
          status: 200,
          body: undefined,
          stream(response, recheck) {
            // First, since it may refuse.
            live.add(response, { ...scope, webhookKey }, recheck);
            if (!response.destroyed) begin(response);
          },
        };
      },
    },
  });
}

/** To a portal, a webhook of another resource does not exist. */
function isInScope(
  { webhookKey, ownerResourceId }: Pick<LiveScope, 'webhookKey' | 'ownerResourceId'>,
  webhook: { readonly key: number; readonly ownerResourceId: number },
): boolean {
  const isOwn = ownerResourceId === null || ownerResourceId === webhook.ownerResourceId;
  return isOwn && (webhookKey === null || webhookKey === webhook.key);
}

function begin(response: ServerResponse): void {
  response.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    // nginx and proxies like it would buffer events otherwise.
    'X-Accel-Buffering': 'no',
  });
  response.write(': what happens from now on\n\n');
}
