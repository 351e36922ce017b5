import { z } from 'zod';
import { Problem } from '@callout/domain/problem';
import {
  historyCauses,
  historyChanges,
  LISTED_CHANGES,
  listChanges,
  type StoredChange,
} from '@callout/pipeline/deactivate/webhook-history';
import type { ApiContext } from '../../api-context.ts';
import { wholeList } from '../../http/api-response.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import type { OperationTemplate } from '../../http/operation/operation-schema.ts';
import { anyId, guid, moment, pageOf, text } from '../../http/operation/wire-types.ts';
import { addressOf, webhookEndpoint } from './webhook-endpoint.ts';

/** The history of a webhook, such as `/CompanyWebhooks/3/Changes`: when it became active or ready and back, or got new keys, and why. */
export function addChangeRoutes(add: AddRoute, api: ApiContext): void {
  for (const entity of api.catalogue.watched) {
    const list = webhookEndpoint(api, entity, 'read', template, async (call) => {
      const changes = await listChanges(api.database, addressOf(entity, call));
      if (changes === undefined) throw Problem.notFound();
      return wholeList(changes.map(changeItem), LISTED_CHANGES);
    });
    add(`/${entity.webhookCollection}/:id/Changes`, { GET: list });
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

const template: OperationTemplate = {
  id: 'list{One}Changes',
  summary: 'What happened to {one}',
  description:
    'When it became active or ready and back, why, and which resource did it (null: no resource of the tenant). The newest 500, newest first.',
  responses: { 200: { description: 'The changes, newest first.', schema: pageOf(webhookChange) } },
};

function changeItem({ id, at, change, cause, actorResourceId, detail }: StoredChange) {
  return { id, changeDateTime: at.toISOString(), change, cause, resourceID: actorResourceId, detail };
}
