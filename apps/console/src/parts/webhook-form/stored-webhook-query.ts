import type { Schemas } from '@callout/client';
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
import { type ChosenField, emptyDraft, fieldKey, type FieldKey, udfKey, type WebhookDraft } from './webhook-draft.ts';

/** A webhook as it is stored, in the form of a draft, with the ids of the records that hold its parts. */
export interface StoredWebhook {
  /** The ETag of this version: a change of it is refused once there is another one. */
  readonly etag: string;
  readonly draft: WebhookDraft;
  readonly fieldIds: Readonly<Record<FieldKey, number>>;
  /** By resource. */
  readonly excludedIds: Readonly<Record<number, number>>;
}

/** All that can be edited of a webhook. */
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
  // First: fields that are changed after that are another version than its own.
  const webhook = await api.GET(webhookPath(address, ''), { params: webhookParams(address) });
  const [fields, udfs, excluded] = await Promise.all([
    api.GET(pathOf(collection, '/v1.0/CompanyWebhooks/{parentId}/Fields'), parent),
    hasUserDefinedFields(entity)
      ? api.GET(pathOf(collection, '/v1.0/CompanyWebhooks/{parentId}/UdfFields'), parent)
      : undefined,
    readExcluded(collection, id),
  ]);
  const { item } = webhook.data;
  const own = fields.data.items.map((one) => ({ key: fieldKey(Number(one.fieldID)), item: one }));
  const userDefined = (udfs?.data.items ?? []).map((one) => ({ key: udfKey(Number(one.udfFieldID)), item: one }));
  const all = [...own, ...userDefined];
  const stored = { ...item, condition: item.condition ? JSON.stringify(item.condition) : '' };
  const settings = Object.entries(emptyDraft.settings).map(([key, absent]) => [
    key,
    stored[key as keyof typeof stored] ?? (typeof absent === 'boolean' ? false : absent === null ? null : ''),
  ]);
  return {
    etag: webhook.response.headers.get('ETag') ?? '',
    draft: {
      settings: {
        ...(Object.fromEntries(settings) as unknown as WebhookDraft['settings']),
        ...alertSettings(item),
      },
      fields: all.map(({ key, item }): ChosenField => {
        const { isSubscribedField = false, isDisplayAlwaysField = false } = item;
        return { key, isSubscribedField, isDisplayAlwaysField };
      }),
      excluded: excluded.map(({ resourceID }) => resourceID),
      receiver: receiverDraft(item),
    },
    fieldIds: Object.fromEntries(all.map(({ key, item }) => [key, Number(item.id)])),
    excludedIds: Object.fromEntries(excluded.map(({ resourceID, id: own }) => [resourceID, own])),
  };
}

/** Of a webhook on webhook health: others have no such settings. */
function alertSettings(item: Schemas['Webhook'] | undefined) {
  const { alertFormat, alertRoutingKey } = item ?? {};
  return alertFormat === undefined ? {} : { alertFormat, alertRoutingKey: alertRoutingKey ?? '' };
}

const rowsOfPage = 500;

async function readExcluded(collection: Entity['collection'], parentId: number) {
  const path = pathOf(collection, '/v1.0/CompanyWebhooks/{parentId}/ExcludedResources/query');
  const found: { readonly id: number; readonly resourceID: number }[] = [];
  for (;;) {
    const after = { op: 'gt' as const, field: 'id', value: found.at(-1)?.id ?? 0 };
    const { data } = await api.POST(path, {
      params: { path: { parentId } },
      body: { Filter: [after], MaxRecords: rowsOfPage },
    });
    found.push(...data.items.map(({ id, resourceID }) => ({ id: Number(id), resourceID: Number(resourceID) })));
    if (data.items.length < rowsOfPage) return found;
  }
}
