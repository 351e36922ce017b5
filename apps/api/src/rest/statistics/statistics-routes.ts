import { z } from 'zod';
import type { StatisticsScope } from '@callout/history/statistics/counted-rows';
import type { ApiContext } from '../../api-context.ts';
import { item } from '../../http/api-response.ts';
import type { Caller } from '../../http/auth/caller.ts';
import { rights } from '../../http/auth/rights.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import type { OperationTemplate } from '../../http/operation/operation-schema.ts';
import { itemOf, text } from '../../http/operation/wire-types.ts';
import { allCalloutsTag } from '../../http/operation/tags.ts';
import { judged, readChoices } from '../../http/route/read-parameters.ts';
import { webhookEndpoint, webhookKeyOf } from '../webhooks/webhook-endpoint.ts';
import { periodOf } from './period.ts';
import { statisticsItem } from './statistics-item.ts';
import { deliveryStatistics, periodParameters } from './statistics-schemas.ts';

const description =
  'Counted from the attempts of finished minutes, so the last minute or two are still to come, see countedUntilDateTime. Minutes are kept for 3 days, and hours for 400.';

const ofWebhook: OperationTemplate = {
  id: 'get{One}Statistics',
  summary: 'Deliveries and answer times of {one}, by minute or hour, and what is to be delivered now',
  description,
  query: z.object(periodParameters),
  responses: { 200: { description: 'The statistics.', schema: itemOf(deliveryStatistics) } },
};

/** `GET /CompanyWebhooks/3/Statistics`, and `GET /Statistics` of all webhooks of the caller. */
export function addStatisticsRoutes(add: AddRoute, api: ApiContext): void {
  const { catalogue, search } = api;
  const watched = catalogue.watched;
  for (const entity of watched) {
    const read = webhookEndpoint(api, entity, 'read', ofWebhook, async (call) => {
      const period = periodOf(call.query, new Date());
      const webhookKey = await webhookKeyOf(api, entity, call);
      return item(await statisticsItem(search, { tenantId: call.caller.tenantId, webhookKey }, period));
    });
    add(`/${entity.webhookCollection}/:id/Statistics`, { GET: read });
  }
  const entityTypes = watched.map(({ entityType }) => entityType);
  add('/Statistics', {
    GET: {
      roles: rights.webhooks.read,
      portal: 'open',
      schema: {
        tag: allCalloutsTag,
        id: 'getStatistics',
        summary: 'Deliveries and answer times of all webhooks, by minute or hour, and what is to be delivered now',
        description,
        query: z.object({
          ...periodParameters,
          entityType: text.describe('The type of entity, such as Account.').optional(),
          groupBy: text.describe('webhook or entity: the same totals apart, for 500 at most.').optional(),
        }),
        responses: { 200: { description: 'The statistics.', schema: itemOf(deliveryStatistics) } },
      },
      async handle({ caller, query }) {
        const period = periodOf(query, new Date());
        const { entityType, groupBy } = judged((problems) => ({
          entityType: oneOf(readChoices(listed(query['entitytype']), 'entityType', entityTypes, problems)),
          groupBy: oneOf(readChoices(listed(query['groupby']), 'groupBy', ['webhook', 'entity'] as const, problems)),
        }));
        const scope = { ...scopeOf(caller), entityType: entityType ?? null };
        return item(await statisticsItem(search, scope, period, groupBy));
      },
    },
  });
}

/** The visible webhooks of a caller: of the tenant, or of a portal's resource. */
export function scopeOf({ tenantId, resourceId, portal }: Caller): StatisticsScope & {
  readonly tenantId: number;
  readonly webhookKey: number | null;
  readonly ownerResourceId: number | null;
} {
  const isPortal = portal !== undefined;
  return { tenantId, webhookKey: portal?.webhookKey ?? null, ownerResourceId: isPortal ? resourceId : null };
}

const listed = (word: string | undefined) => (word === undefined || word === '' ? undefined : [word]);
const oneOf = <W>(words: readonly W[] | null | undefined): W | undefined => words?.[0];
