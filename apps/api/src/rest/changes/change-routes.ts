import { z } from 'zod';
import { actorKinds } from '@callout/domain/changes/actor';
import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { changeActions, changeCauses, type ChangedEntity } from '@callout/database/changes/record-changes';
import { listChanges, type LoggedChange } from '@callout/history/log/changes';
import type { ApiContext } from '../../api-context.ts';
import type { Caller } from '../../http/auth/caller.ts';
import { ownWebhook } from '../../http/auth/portal-guard.ts';
import { rights } from '../../http/auth/rights.ts';
import type { Tag } from '../../http/operation/tags.ts';
import { anyId, guid, moment, text } from '../../http/operation/wire-types.ts';
import { canonical, judged, readPeriod } from '../../http/route/read-parameters.ts';
import type { AddRoute } from '../../http/route/route-table.ts';
import { changeParameters } from '../log/filter-parameters.ts';
import { addFilteredList, type FilteredList, type ListRows, type Parameters } from '../log/filtered-list.ts';
import { addressOf, deliveryOperation, webhookKeyOf } from '../webhooks/webhook-endpoint.ts';

/**
 * Who changed what, when, and from what to what: of a webhook with all children, as `/CompanyWebhooks/3/Changes`, and
 * of the whole configuration of a tenant, deleted webhooks included, as `/Changes`.
 */
export function addChangeRoutes(add: AddRoute, api: ApiContext): void {
  for (const entity of api.catalogue.watched) {
    const path = `/${entity.webhookCollection}/:id/Changes`;
    addFilteredList(add, path, path, changesOfWebhook(api, entity), api);
  }
  addFilteredList(add, '/Changes', '/Changes', changesOfTenant(api), api);
}

const tag: Tag = {
  name: 'Changes of all configuration',
  group: 'Administer',
  description: 'Who changed what, when, and from what to what.',
};

/** Text, a number, a boolean or null. Left open: generators make no working type of several types. */
const value = z.unknown();

const change = z
  .object({
    id: guid.describe('The id of the change.'),
    changedAt: moment.describe('When the change was made.'),
    changedBy: z
      .object({
        kind: z
          .enum(actorKinds)
          .describe('The kind of actor: portal is a user with a portal link, service is Callout itself.'),
        resourceID: anyId.nullable().describe('The acting resource; null: no resource of the tenant.'),
        userName: text.nullable().describe('The user name of the credential; null: no credential, or not shown.'),
      })
      .describe('Who made the change.'),
    entity: text.describe('What was changed, as entityInformation names it; also Credential, SigningKey and Tenant.'),
    entityID: anyId.nullable().describe('The id of the changed entity; null: no id.'),
    webhookName: text.nullable().describe('The name of the webhook, which may be deleted; null: not about a webhook.'),
    action: z.enum(changeActions).describe('What happened to the entity.'),
    cause: z.enum(changeCauses).describe('Why the change was made.'),
    fields: z
      .array(
        z.object({
          field: text.describe('The name of the field.'),
          from: value.describe('The value before; null: no value. A secret reads changed.'),
          to: value.describe('The value after; null: no value. A secret reads changed.'),
        }),
      )
      .describe('The fields that differ. Long values are cut; what is no single value is the text of its JSON.'),
    detail: text.nullable().describe('More about the cause, in words.'),
  })
  .meta({ id: 'Change' });

function changesOfWebhook(api: ApiContext, entity: EntityDefinition): FilteredList {
  return {
    roles: rights.webhooks.read,
    portal: ownWebhook(entity),
    parameters: changeParameters,
    described: (template) => deliveryOperation(entity, template),
    row: change,
    rows: 'changes',
    name: '{One}Changes',
    schema: {
      list: 'Who changed {one}, newest first',
      description:
        'Its own changes and those of its fields and excluded resources, by people and by the service; also when it was paused.',
    },
    async rowsFor(call, parameters) {
      const webhookKey = await webhookKeyOf(api, entity, call);
      const name = `${entity.webhookCollection}/${addressOf(entity, call).id}/Changes`;
      return rowsOf(api, call.caller, name, webhookKey, parameters);
    },
  };
}

function changesOfTenant(api: ApiContext): FilteredList {
  return {
    roles: rights.changes.read,
    parameters: changeParameters,
    described: (template) => ({ ...template, tag }),
    row: change,
    rows: 'changes',
    name: 'Changes',
    schema: {
      list: 'Who changed the configuration, newest first',
      description:
        'Of webhooks, deleted ones too, their fields and excluded resources, user-defined fields, resources, credentials, signing keys and the settings of the tenant.',
    },
    async rowsFor({ caller }, parameters) {
      return rowsOf(api, caller, 'Changes', null, parameters);
    },
  };
}

function rowsOf(
  { search, catalogue }: ApiContext,
  { tenantId, portal }: Caller,
  name: string,
  webhookKey: number | null,
  parameters: Parameters,
): ListRows {
  const periodTexts = canonical(parameters, Object.keys(changeParameters.shape));
  const filter = { tenantId, webhookKey, ...judged((problems) => readPeriod(periodTexts, problems)) };
  // A portal is for a single resource, without the user names of the tenant.
  const shown = (one: LoggedChange) =>
    changeItem(
      portal === undefined ? one : { ...one, actorUserName: null },
      catalogue.byEntityType(one.entityType ?? ''),
    );
  return {
    name,
    async page(maxRecords, position) {
      const page = await listChanges(search, filter, maxRecords, position);
      return { ...page, items: page.items.map(shown) };
    },
  };
}

/** The end of the name of a webhook or child, after the name of the entity, like `CompanyWebhookField`. */
const ofWebhook: Partial<Record<ChangedEntity, string>> = {
  webhook: '',
  webhookField: 'Field',
  webhookUdfField: 'UdfField',
  webhookExcludedResource: 'ExcludedResource',
};

const otherNames: Partial<Record<ChangedEntity, string>> = {
  udfDefinition: 'UserDefinedFieldDefinition',
  resource: 'Resource',
  credential: 'Credential',
  signingKey: 'SigningKey',
  tenant: 'Tenant',
};

function changeItem(one: LoggedChange, entity: EntityDefinition | undefined) {
  const { id, at, action, cause, fields, detail, actorKind: kind, actorResourceId: resourceID } = one;
  const child = ofWebhook[one.entity];
  return {
    id,
    changedAt: at.toISOString(),
    changedBy: { kind, resourceID, userName: one.actorUserName },
    entity:
      child === undefined ? (otherNames[one.entity] ?? one.entity) : `${entity?.webhookSingular ?? 'Webhook'}${child}`,
    entityID: one.entityId,
    webhookName: one.webhookName,
    action,
    cause,
    fields,
    detail,
  };
}
