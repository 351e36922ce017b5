import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { conditionFieldsOf } from '@callout/domain/condition/condition-fields';
import { Problem } from '@callout/domain/problem';
import { readinessItem } from '@callout/history/log/readiness.rules';
import { readWebhookStatus } from '@callout/history/log/webhook-status';
import type { ApiContext } from '../../../api-context.ts';
import { item } from '../../../http/api-response.ts';
import type { OperationTemplate } from '../../../http/operation/operation-schema.ts';
import { itemOf } from '../../../http/operation/wire-types.ts';
import type { Endpoint } from '../../../http/route/endpoint.ts';
import type { AddRoute } from '../../../http/route/route-table.ts';
import { userDefinedFieldsOf } from '../../events/user-defined-fields.ts';
import { addressOf, webhookEndpoint } from '../../webhooks/webhook-endpoint.ts';
import { readiness as readinessSchema } from './readiness-schema.ts';

/** Whether a webhook gets callouts: `GET …/readiness`. */
export function addReadinessRoutes(add: AddRoute, api: ApiContext): void {
  for (const entity of api.catalogue.watched) {
    add(`/${entity.webhookCollection}/:id/readiness`, { GET: readiness(api, entity) });
  }
}

function readiness(api: ApiContext, entity: EntityDefinition): Endpoint {
  const { search, keyRing } = api;
  const template: OperationTemplate = {
    id: 'get{One}Readiness',
    summary: 'Whether {one} gets callouts, and each reason why not',
    responses: { 200: { description: 'The status of the webhook.', schema: itemOf(readinessSchema) } },
  };
  return webhookEndpoint(api, entity, 'read', template, async (call) => {
    const { tenantId, entityType, id } = addressOf(entity, call);
    const status = await readWebhookStatus(search, tenantId, entityType, id);
    if (status === undefined) throw Problem.notFound();
    const udfs = status.condition === null ? [] : (await userDefinedFieldsOf(api, entity, tenantId)).all;
    return item(readinessItem(status, keyRing.keyIds, conditionFieldsOf(entity, udfs)));
  });
}
