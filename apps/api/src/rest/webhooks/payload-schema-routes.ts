import { z } from 'zod';
import { payloadSchema } from '@callout/domain/callout/payload-schema';
import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { actions } from '@callout/domain/event';
import { layoutOf } from '@callout/pipeline/match/layout.rules';
import type { ApiContext } from '../../api-context.ts';
import { ok } from '../../http/api-response.ts';
import type { OperationTemplate } from '../../http/operation/operation-schema.ts';
import type { Endpoint } from '../../http/route/endpoint.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import { userDefinedFieldsOf } from '../events/user-defined-fields.ts';
import { judgedWebhookOf, webhookEndpoint } from './webhook-endpoint.ts';

/** What a webhook sends, such as `/CompanyWebhooks/3/PayloadSchema`: a JSON Schema without an envelope. */
export function addPayloadSchemaRoutes(add: AddRoute, api: ApiContext): void {
  for (const entity of api.catalogue.watched) {
    add(`/${entity.webhookCollection}/:id/PayloadSchema`, { GET: read(api, entity) });
  }
}

const jsonSchema = z.record(z.string(), z.unknown()).meta({ id: 'PayloadSchema', description: 'A JSON Schema.' });

const template: OperationTemplate = {
  id: 'get{One}PayloadSchema',
  summary: 'The JSON Schema of what {one} sends',
  description:
    'The schema of every body that the webhook sends now, in its format, with user-defined fields: JSON Schema 2020-12, without an envelope. Read the schema again after a change of the webhook.',
  responses: { 200: { description: 'The schema.', schema: jsonSchema } },
};

function read(api: ApiContext, entity: EntityDefinition): Endpoint {
  return webhookEndpoint(api, entity, 'read', template, async (call) => {
    const { subscription, name } = await judgedWebhookOf(api, entity, call);
    const userDefined = new Map(
      (await userDefinedFieldsOf(api, entity, call.caller.tenantId)).all.map((one) => [one.id, one]),
    );
    const flags = { Create: subscription.onCreate, Update: subscription.onUpdate, Delete: subscription.onDelete };
    return ok(
      payloadSchema({
        name,
        guid: subscription.webhookGuid,
        entityType: entity.entityType,
        actions: actions.filter((action) => flags[action]),
        merges: subscription.mergesWhileWaiting === true,
        layout: layoutOf(subscription, entity),
        describe(field) {
          if ('udfId' in field) {
            const { dataType = 'string', picklistValues = [] } = userDefined.get(field.udfId) ?? {};
            return { dataType, picklistValues, description: 'A user-defined field.' };
          }
          const { dataType = 'string', description = '', picklistValues = [] } = entity.fieldByName(field.name) ?? {};
          return { dataType, picklistValues, description };
        },
      }),
    );
  });
}
