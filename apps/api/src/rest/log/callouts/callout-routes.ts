import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { Problem } from '@callout/domain/problem/problem';
import { findWebhookOwner } from '@callout/tenancy/sessions/webhook-owner';
import type { CalloutScope } from '@callout/history/log/callouts/callout-candidates';
import { calloutDetailsItem, calloutItem } from '@callout/history/log/callouts/callout-item';
import { countCallouts, findCallout, listCallouts } from '@callout/history/log/callouts/callout-log';
import type { ApiContext } from '../../../api-context.ts';
import { item } from '../../../http/api-response.ts';
import type { Call, EndpointAction } from '../../../http/route/endpoint.ts';
import { MAX_SMALL_ID, pathId } from '../../../http/route/path/path-id.ts';
import { rights } from '../../../http/auth/rights.ts';
import { ownWebhook } from '../../../http/auth/portal-guard.ts';
import type { AddRoute } from '../../../http/route/route-table.ts';
import { itemOf } from '../../../http/operation/wire-types.ts';
import { deliveryOperation } from '../../webhooks/delivery-operation.ts';
import type { OperationTemplate } from '../../../http/operation/operation-schema.ts';
import { allCalloutsTag } from '../../../http/operation/tags.ts';
import { calloutSchemas } from './callout-schemas.ts';
import { addFilteredList, type FilteredList, type ListRows, type Parameters } from '../filter/filtered-list.ts';
import { calloutParameters, tenantCalloutParameters } from '../filter/filter-parameters.ts';
import { calloutFilterOf } from '../filter/callout-filter.ts';
import { tenantWebhooksOf } from '../filter/tenant-webhooks.ts';
import { addFailedRoutes } from './failed-routes.ts';

type CalloutSchemas = ReturnType<typeof calloutSchemas>;

/**
 * The delivery log: the callouts of each webhook, such as `/CompanyWebhooks/3/Callouts`, and of all webhooks of the
 * tenant, deleted ones included, as `/Callouts`.
 */
export function addCalloutRoutes(add: AddRoute, api: ApiContext): void {
  const schemas = calloutSchemas(api.catalogue.watched.map(({ entityType }) => entityType));
  for (const entity of api.catalogue.watched) {
    const path = `/${entity.webhookCollection}/:id/Callouts`;
    addFilteredList(add, path, path, calloutsOfWebhook(api, entity, schemas), api);
    add(`${path}/:calloutID`, {
      GET: {
        ...read(api, (call) => webhookKeyOf(api, entity, call)),
        portal: ownWebhook(entity),
        schema: deliveryOperation(entity, readCallout('get{One}Callout', schemas)),
      },
    });
  }
  addFilteredList(add, '/Callouts', '/Callouts', calloutsOfTenant(api, schemas), api);
  addFailedRoutes(add, api, schemas);
  add('/Callouts/:calloutID', {
    GET: { ...read(api, async () => null), schema: { ...readCallout('getCallout', schemas), tag: allCalloutsTag } },
  });
}

function calloutsOfWebhook(api: ApiContext, entity: EntityDefinition, schemas: CalloutSchemas): FilteredList {
  return {
    roles: rights.webhooks.read,
    portal: ownWebhook(entity),
    parameters: calloutParameters,
    described: (template) => deliveryOperation(entity, template),
    row: schemas.callout,
    rows: 'callouts',
    name: '{One}Callouts',
    schema: {
      list: 'List the callouts of {one}, newest first',
      count: 'Count the callouts of {one}',
      description:
        'waitsFor says why an open callout is not delivered yet. A filter that takes too long is refused: narrow it with since and until, or fromSequence and toSequence.',
    },
    async rowsFor(call, parameters) {
      const scope = { tenantId: call.caller.tenantId, webhooks: { key: await webhookKeyOf(api, entity, call) } };
      const name = `${entity.webhookCollection}/${webhookId(call)}/Callouts`;
      return rowsOf(api, name, scope, parameters);
    },
  };
}

function calloutsOfTenant(api: ApiContext, schemas: CalloutSchemas): FilteredList {
  return {
    roles: rights.webhooks.read,
    parameters: tenantCalloutParameters,
    described: (template) => ({ ...template, tag: allCalloutsTag }),
    row: schemas.callout,
    rows: 'callouts',
    name: 'Callouts',
    schema: {
      list: 'List the callouts of all webhooks, newest first',
      count: 'Count the callouts of all webhooks',
      description: 'Includes those of deleted webhooks, and the calls to deactivationUrl.',
    },
    async rowsFor({ caller: { tenantId } }, parameters) {
      return rowsOf(api, 'Callouts', { tenantId, webhooks: tenantWebhooksOf(api.catalogue, parameters) }, parameters);
    },
  };
}

function rowsOf(api: ApiContext, name: string, scope: CalloutScope, parameters: Parameters): ListRows {
  const filter = calloutFilterOf(parameters);
  return {
    name,
    async page(maxRecords, position) {
      const page = await listCallouts(api.search, scope, filter, maxRecords, position);
      return { ...page, items: page.items.map((callout) => calloutItem(callout, api.keyRing.keyIds)) };
    },
    count: () => countCallouts(api.search, scope, filter),
  };
}

function readCallout(id: string, { calloutDetails }: CalloutSchemas): OperationTemplate {
  return {
    id,
    summary: 'Read a callout with its body and every attempt',
    description:
      'Both sides of each exchange: headers (signatures redacted), status, and the first 64 KiB of the answer, as text where it is UTF-8 and else in base64; or why no answer came. pauses shows when the webhook was paused meanwhile.',
    responses: { 200: { description: 'The callout.', schema: itemOf(calloutDetails) } },
  };
}

function read({ search, keyRing }: ApiContext, webhookKey: (call: Call) => Promise<number | null>): EndpointAction {
  return {
    roles: rights.webhooks.read,
    async handle(call) {
      const { caller, params } = call;
      const callout = await findCallout(search, caller.tenantId, await webhookKey(call), params['calloutID'] ?? '');
      if (callout === undefined) throw Problem.notFound();
      return item(calloutDetailsItem(callout, keyRing.keyIds));
    },
  };
}

function webhookId({ params }: Call): number {
  return pathId(params['id'], MAX_SMALL_ID);
}

async function webhookKeyOf({ database }: ApiContext, { entityType }: EntityDefinition, call: Call): Promise<number> {
  const webhook = await findWebhookOwner(database, call.caller.tenantId, entityType, webhookId(call));
  if (webhook === undefined) throw Problem.notFound();
  return webhook.key;
}
