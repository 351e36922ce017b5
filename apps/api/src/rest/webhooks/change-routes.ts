import { z } from 'zod';
import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { Problem } from '@callout/domain/problem/problem';
import {
  historyCauses,
  historyChanges,
  LISTED_CHANGES,
  listChanges,
  type StoredChange,
} from '@callout/pipeline/deactivate/webhook-history';
import type { ApiContext } from '../../api-context.ts';
import { wholeList } from '../../http/api-response.ts';
import type { Endpoint } from '../../http/route/endpoint.ts';
import { MAX_SMALL_ID, pathId } from '../../http/route/path/path-id.ts';
import { rights } from '../../http/auth/rights.ts';
import { ownWebhook } from '../../http/auth/portal-guard.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import { anyId, guid, moment, pageOf, text } from '../../http/operation/wire-types.ts';

import { deliveryOperation } from './delivery-operation.ts';

/** The history of a webhook, such as `/CompanyWebhooks/3/Changes`: when it became active or ready and back, or got new keys, and why. */
export function addChangeRoutes(add: AddRoute, api: ApiContext): void {
  for (const entity of api.catalogue.watched) {
    add(`/${entity.webhookCollection}/:id/Changes`, { GET: list(api, entity) });
  }
}

const webhookChange = z
  .object({
    id: guid.describe('The id of the change.'),
    changeDateTime: moment.describe('When it happened.'),
    change: z.enum(historyChanges).describe('What changed.'),
    cause: z.enum(historyCauses).describe('Why it changed.'),
    resourceID: anyId.nullable().describe('The resource that did it; null: no resource of the tenant.'),
    detail: text.nullable().describe('More about the cause, in words.'),
  })
  .meta({ id: 'WebhookChange' });

function list({ database }: ApiContext, entity: EntityDefinition): Endpoint {
  const { entityType } = entity;
  return {
    roles: rights.webhooks.read,
    portal: ownWebhook(entity),
    schema: deliveryOperation(entity, {
      id: 'list{One}Changes',
      summary: 'What happened to {one}',
      description:
        'When it became active or ready and back, or what signs for it was replaced, why, and which resource did it (null: no resource of the tenant). The newest 500, newest first.',
      responses: { 200: { description: 'The changes, newest first.', schema: pageOf(webhookChange) } },
    }),
    async handle({ caller, params }) {
      const id = pathId(params['id'], MAX_SMALL_ID);
      const changes = await listChanges(database, { tenantId: caller.tenantId, entityType, id });
      if (changes === undefined) throw Problem.notFound();
      return wholeList(changes.map(changeItem), LISTED_CHANGES);
    },
  };
}

function changeItem({ id, at, change, cause, actorResourceId, detail }: StoredChange) {
  return { id, changeDateTime: at.toISOString(), change, cause, resourceID: actorResourceId, detail };
}
