import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { Problem } from '@callout/domain/problem';
import type { CalloutScope } from '@callout/history/log/callouts/callout-candidates';
import { calloutDetailsItem, calloutItem } from '@callout/history/log/callouts/callout-item';
import { countCallouts, findCallout, listCallouts } from '@callout/history/log/callouts/callout-log';
import type { ApiContext } from '../../../api-context.ts';
import { item, type ApiResponse } from '../../../http/api-response.ts';
import type { Call } from '../../../http/route/endpoint.ts';
import { rights } from '../../../http/auth/rights.ts';
import { ownWebhook } from '../../../http/auth/portal-guard.ts';
import type { AddRoute } from '../../../http/route/route-table.ts';
import { itemOf } from '../../../http/operation/wire-types.ts';
import { addressOf, deliveryOperation, webhookEndpoint, webhookKeyOf } from '../../webhooks/webhook-endpoint.ts';
import type { OperationTemplate } from '../../../http/operation/operation-schema.ts';
import { allCalloutsTag } from '../../../http/operation/tags.ts';
import { calloutSchemas } from './callout-schemas.ts';
import { addCountedList, type CountedList, type CountedRows, type Parameters } from '../filtered-list.ts';
import { calloutParameters, tenantCalloutParameters } from '../filter-parameters.ts';
import { calloutFilterOf, tenantWebhooksOf } from '../callout-filter.ts';
import { addFailedRoutes } from './failed-routes.ts';

type CalloutSchemas = ReturnType<typeof calloutSchemas>;

/**
 * The delivery log: the callouts of each webhook, like `/CompanyWebhooks/3/Callouts`, and of all webhooks of the
 * tenant, deleted ones included, as `/Callouts`.
 */
export function addCalloutRoutes(add: AddRoute, api: ApiContext): void {
  const schemas = calloutSchemas(api.catalogue.watched.map(({ entityType }) => entityType));
  for (const entity of api.catalogue.watched) {
    const path = `/${entity.webhookCollection}/:id/Callouts`;
    addCountedList(add, path, path, calloutsOfWebhook(api, entity, schemas), api);
    const read = async (call: Call) => readCallout(api, call, await webhookKeyOf(api, entity, call));
    add(`${path}/:calloutID`, {
      GET: webhookEndpoint(api, entity, 'read', calloutOperation('get{One}Callout', schemas), read),
    });
  }
  addCountedList(add, '/Callouts', '/Callouts', calloutsOfTenant(api, schemas), api);
  addFailedRoutes(add, api, schemas);
  add('/Callouts/:calloutID', {
    GET: {
      roles: rights.webhooks.read,
      schema: { ...calloutOperation('getCallout', schemas), tag: allCalloutsTag },
      handle: (call) => readCallout(api, call, null),
    },
  });
}

function calloutsOfWebhook(api: ApiContext, entity: EntityDefinition, schemas: CalloutSchemas): CountedList {
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
      const name = `${entity.webhookCollection}/${addressOf(entity, call).id}/Callouts`;
      return rowsOf(api, name, scope, parameters);
    },
  };
}

function calloutsOfTenant(api: ApiContext, schemas: CalloutSchemas): CountedList {
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

function rowsOf(api: ApiContext, name: string, scope: CalloutScope, parameters: Parameters): CountedRows {
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

function calloutOperation(id: string, { calloutDetails }: CalloutSchemas): OperationTemplate {
  return {
    id,
    summary: 'Read a callout with its body and every attempt',
    description:
      'Both sides of each exchange: headers (signatures redacted), status, and the first 64 KiB of the answer, as text where it is UTF-8 and else in base64; or why no answer came. pauses shows when the webhook was paused meanwhile.',
    responses: { 200: { description: 'The callout.', schema: itemOf(calloutDetails) } },
  };
}

/** @param webhookKey of the webhook in the path; null: no webhook in the path. */
async function readCallout(
  { search, keyRing }: ApiContext,
  { caller, params }: Call,
  webhookKey: number | null,
): Promise<ApiResponse> {
  const callout = await findCallout(search, caller.tenantId, webhookKey, params['calloutID'] ?? '');
  if (callout === undefined) throw Problem.notFound();
  return item(calloutDetailsItem(callout, keyRing.keyIds));
}
