import { z } from 'zod';
import { failedReasonTexts } from '@callout/domain/callout/failed-reason';
import { mostFailedGroups, readFailedGroups, type FailedGroup } from '@callout/history/log/callouts/failed-callouts';
import type { ApiContext } from '../../../api-context.ts';
import { wholeList } from '../../../http/api-response.ts';
import { rights } from '../../../http/auth/rights.ts';
import { allCalloutsTag } from '../../../http/operation/tags.ts';
import { guid, moment, pageOf, text, webhookGUID, webhookID, whole } from '../../../http/operation/wire-types.ts';
import { canonical, judged, readPeriod } from '../../../http/route/read-parameters.ts';
import type { AddRoute } from '../../../http/route/route-table.ts';
import { calloutFilterOf, tenantWebhooksOf } from '../callout-filter.ts';
import { failedParameters, tenantCalloutParameters } from '../filter-parameters.ts';
import { refuseUnknown } from '../filtered-list.ts';
import { failedReason, type calloutSchemas } from './callout-schemas.ts';
import { createCalloutExport } from './export-callouts.ts';

/** The webhook of some callouts, in responses about several. */
export const webhookOfCallouts = {
  entityType: text.describe('The type of entity, such as Account.'),
  webhookID,
  webhookGUID,
  webhookName: text.describe('The name of the webhook.'),
  webhookState: z
    .enum(['active', 'inactive', 'deleted'])
    .describe('Only callouts of active webhooks can be redelivered.'),
};

const failedGroup = z
  .object({
    ...webhookOfCallouts,
    reason: failedReason,
    reasonText: text.describe('The reason in words.'),
    count: whole.describe('How many callouts failed.'),
    firstDateTime: moment.describe('When the first of them failed.'),
    lastDateTime: moment.describe('When the last of them failed.'),
    exampleCalloutID: guid.describe('One of the latest of them.'),
    example: text.describe('What its last attempt came to and what to do about it, in words.'),
  })
  .meta({ id: 'FailedGroup' });

/** `GET /Callouts/failed`: what failed, by webhook and reason; `GET /Callouts/export`: callouts as JSON lines. */
export function addFailedRoutes(add: AddRoute, api: ApiContext, schemas: ReturnType<typeof calloutSchemas>): void {
  add('/Callouts/failed', {
    GET: {
      roles: rights.webhooks.read,
      schema: {
        tag: allCalloutsTag,
        id: 'listFailedGroups',
        summary: 'Count the callouts that failed, by webhook and reason',
        description:
          'The latest first, deleted webhooks included; without tests and deactivation calls, which cannot be redelivered. A period that takes too long is refused: narrow it with since and until.',
        query: failedParameters,
        responses: { 200: { description: 'All of them.', schema: pageOf(failedGroup) } },
      },
      async handle({ caller: { tenantId }, query }) {
        const names = Object.keys(failedParameters.shape);
        refuseUnknown(query, names);
        const period = judged((problems) => readPeriod(canonical(query, names), problems));
        const scope = { tenantId, webhooks: tenantWebhooksOf(api.catalogue, query) };
        const groups = await readFailedGroups(api.search, scope, period);
        return wholeList(groups.map(groupItem), mostFailedGroups);
      },
    },
  });
  const exportOf = createCalloutExport(api);
  add('/Callouts/export', {
    GET: {
      roles: rights.webhooks.read,
      mayWait: true,
      schema: {
        tag: allCalloutsTag,
        id: 'exportCallouts',
        summary: 'Export callouts as JSON lines, with bodies and last attempts',
        description:
          'One line per callout, newest first, with the filters of the list; signatures are redacted. The export is sent at the pace of the reader, one export of a tenant at a time. Callouts that retention deletes meanwhile are left out. An interrupted export has no end: the connection is closed in the middle.',
        query: tenantCalloutParameters,
        responses: {
          200: {
            description: 'A callout per line.',
            schema: schemas.exportedCallout,
            mediaType: 'application/x-ndjson',
          },
        },
      },
      async handle({ caller: { tenantId }, query }) {
        refuseUnknown(query, Object.keys(tenantCalloutParameters.shape));
        return exportOf({ tenantId, webhooks: tenantWebhooksOf(api.catalogue, query) }, calloutFilterOf(query));
      },
    },
  });
}

function groupItem({ first, last, exampleId, webhookId, webhookGuid, reason, ...group }: FailedGroup) {
  return {
    entityType: group.entityType,
    webhookID: webhookId,
    webhookGUID: webhookGuid,
    webhookName: group.webhookName,
    webhookState: group.webhookState,
    reason,
    reasonText: failedReasonTexts[reason],
    count: group.count,
    firstDateTime: first.toISOString(),
    lastDateTime: last.toISOString(),
    exampleCalloutID: exampleId,
    example: group.example,
  };
}
