import { api } from '../../../api/client.ts';
import { pathOf, type WebhookAddress, webhookParams, webhookPath } from '../../../api/entities.ts';
import type { Changes } from './changes.ts';
import { receiverBody } from '../../../parts/receiver-form/receiver-draft.ts';
import type { StoredWebhook } from '../../../parts/webhook-form/stored-webhook-query.ts';
import { type FieldKey, idOf, isUserDefined, settingsBody } from '../../../parts/webhook-form/webhook-draft.ts';

/**
 * Sends what is changed and nothing else: settings and authentication in one request, which is refused where the webhook has another
 * version by now, then fields and exclusions one by one, since each is a record of its own.
 * @returns the warnings of the API. Throws ApiError at the first refusal, 412 for another version; what comes before it
 * is stored.
 */
export async function saveChanges(
  address: WebhookAddress,
  { etag, fieldIds, excludedIds }: StoredWebhook,
  changes: Changes,
): Promise<readonly string[]> {
  const { entity, id: parentId } = address;
  const fields = (key: FieldKey) =>
    pathOf(
      entity.collection,
      isUserDefined(key) ? '/v1.0/CompanyWebhooks/{parentId}/UdfFields' : '/v1.0/CompanyWebhooks/{parentId}/Fields',
    ) as '/v1.0/CompanyWebhooks/{parentId}/Fields';
  const excluded = pathOf(entity.collection, '/v1.0/CompanyWebhooks/{parentId}/ExcludedResources');
  const child = (id = 0) => ({ path: { parentId, id } });

  const { data } = await api.PATCH(webhookPath(address, ''), {
    params: { ...webhookParams(address), header: { 'If-Match': etag } },
    body: {
      ...settingsBody(changes.settings),
      ...(changes.receiver && (receiverBody(changes.receiver) as object)),
    },
  });
  // What is added comes first, so that the webhook is never without the field that is replaced.
  for (const { key, ...flags } of changes.addedFields) {
    const target = { [isUserDefined(key) ? 'udfFieldID' : 'fieldID']: idOf(key) };
    await api.POST(fields(key), { params: { path: { parentId } }, body: { ...target, ...flags } as never });
  }
  for (const { key, ...flags } of changes.changedFields) {
    await api.PATCH(`${fields(key)}/{id}`, { params: child(fieldIds[key]), body: flags });
  }
  for (const key of changes.removedFields) {
    await api.DELETE(`${fields(key)}/{id}`, { params: child(fieldIds[key]) });
  }
  for (const resourceID of changes.excluded) {
    await api.POST(excluded, { params: { path: { parentId } }, body: { resourceID } });
  }
  for (const resourceID of changes.included) {
    await api.DELETE(`${excluded}/{id}`, { params: child(excludedIds[resourceID]) });
  }
  return data.warnings ?? [];
}
