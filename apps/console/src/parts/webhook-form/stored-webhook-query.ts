import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import {
  type Entity,
  hasUserDefinedFields,
  pathOf,
  type WebhookAddress,
  webhookParams,
  webhookPath,
} from '../../api/entities.ts';
import { receiverDraft } from '../receiver-form/receiver-draft.ts';
import { settingsOfItem } from '../settings-form/form-settings.ts';
import { type ChosenField, fieldKey, type FieldKey, udfKey, type WebhookDraft } from './webhook-draft.ts';

/** A stored webhook in the form of a draft, with the ids of fields and exclusions. */
export interface StoredWebhook {
  /** The ETag of the version: a write of an older version is refused. */
  readonly etag: string;
  readonly draft: WebhookDraft;
  readonly fieldIds: Readonly<Record<FieldKey, number>>;
  /** By resource. */
  readonly excludedIds: Readonly<Record<number, number>>;
}

/** Everything editable of a webhook. */
export function storedWebhookQuery(address: WebhookAddress) {
  return queryOptions({
    queryKey: ['webhook', address.entity.type, address.id, 'stored'],
    queryFn: () => readWebhook(address),
  });
}

async function readWebhook(address: WebhookAddress): Promise<StoredWebhook> {
  const { entity, id } = address;
  const { collection } = entity;
  const parent = { params: { path: { parentId: id } } };
  // First: a later change of a field is another version of the webhook.
  const webhook = await api.GET(webhookPath(address, ''), { params: webhookParams(address) });
  const [fields, udfs, excluded] = await Promise.all([
    api.GET(pathOf(collection, '/v1.0/CompanyWebhooks/{parentId}/Fields'), parent),
    hasUserDefinedFields(entity)
      ? api.GET(pathOf(collection, '/v1.0/CompanyWebhooks/{parentId}/UdfFields'), parent)
      : undefined,
    readExcluded(collection, id),
  ]);
  const { item } = webhook.data;
  const system = fields.data.items.map((field) => ({ key: fieldKey(Number(field.fieldID)), field }));
  const userDefined = (udfs?.data.items ?? []).map((field) => ({ key: udfKey(Number(field.udfFieldID)), field }));
  const all = [...system, ...userDefined];
  return {
    etag: webhook.response.headers.get('ETag') ?? '',
    draft: {
      settings: settingsOfItem(entity.type, item),
      fields: all.map(({ key, field }): ChosenField => {
        const { isSubscribedField, isDisplayAlwaysField } = field;
        return {
          key,
          isSubscribedField: isSubscribedField === true,
          isDisplayAlwaysField: isDisplayAlwaysField === true,
        };
      }),
      excluded: excluded.map(({ resourceID }) => resourceID),
      receiver: receiverDraft(item),
    },
    fieldIds: Object.fromEntries(all.map(({ key, field }) => [key, Number(field.id)])),
    excludedIds: Object.fromEntries(excluded.map(({ resourceID, id: childId }) => [resourceID, childId])),
  };
}

const rowsOfPage = 500;

async function readExcluded(collection: Entity['collection'], parentId: number) {
  const path = pathOf(collection, '/v1.0/CompanyWebhooks/{parentId}/ExcludedResources/query');
  const excluded: { readonly id: number; readonly resourceID: number }[] = [];
  for (;;) {
    const after = { op: 'gt' as const, field: 'id', value: excluded.at(-1)?.id ?? 0 };
    const { data } = await api.POST(path, {
      params: { path: { parentId } },
      body: { Filter: [after], MaxRecords: rowsOfPage },
    });
    excluded.push(...data.items.map(({ id, resourceID }) => ({ id: Number(id), resourceID: Number(resourceID) })));
    if (data.items.length < rowsOfPage) return excluded;
  }
}
