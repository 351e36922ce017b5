import { ApiError } from '@callout/client';
import { api } from '../../../api/client.ts';
import { pathOf, type WebhookAddress, webhookParams, webhookPath } from '../../../api/entities.ts';
import { receiverBody } from '../../../parts/receiver-form/receiver-draft.ts';
import { settingsBody } from '../../../parts/settings-form/form-settings.ts';
import type { StoredWebhook } from '../../../parts/webhook-form/stored-webhook-query.ts';
import { type FieldKey, idOf, isUserDefined } from '../../../parts/webhook-form/webhook-draft.ts';
import type { Changes } from '../../../parts/webhook-versions/changes.ts';

const childPaths = {
  fields: '/v1.0/CompanyWebhooks/{parentId}/Fields',
  udfFields: '/v1.0/CompanyWebhooks/{parentId}/UdfFields',
  excluded: '/v1.0/CompanyWebhooks/{parentId}/ExcludedResources',
} as const;

/**
 * Sends the changes and nothing else: settings and authentication in a request, then fields and exclusions one by one,
 * since each is a record with a version. Each request names the known version.
 * @returns the warnings of the API. Throws ApiError at the first refusal, 412 for another version; earlier changes are
 * stored.
 */
export async function saveChanges(
  address: WebhookAddress,
  { etag, fieldIds, excludedIds }: StoredWebhook,
  changes: Changes,
): Promise<readonly string[]> {
  const parentId = address.id;
  const fields = (key: FieldKey) => childPath(address, isUserDefined(key) ? 'udfFields' : 'fields');
  const excluded = childPath(address, 'excluded');
  const writes: (() => Promise<unknown>)[] = [];

  // Fields are added first: a webhook is never without any field while a field is replaced.
  for (const { key, ...flags } of changes.addedFields) {
    const target = { [isUserDefined(key) ? 'udfFieldID' : 'fieldID']: idOf(key) };
    const body = { ...target, ...flags } as never;
    writes.push(() => api.POST(fields(key), { params: { path: { parentId } }, body }));
  }
  for (const { key, ...flags } of changes.changedFields) {
    const params = await versionOf(fields(key), parentId, fieldIds[key]);
    writes.push(() => api.PATCH(`${fields(key)}/{id}`, { params, body: flags }));
  }
  for (const key of changes.removedFields) {
    const params = await versionOf(fields(key), parentId, fieldIds[key]);
    writes.push(() => api.DELETE(`${fields(key)}/{id}`, { params }));
  }
  for (const resourceID of changes.excluded) {
    writes.push(() => api.POST(excluded, { params: { path: { parentId } }, body: { resourceID } as never }));
  }
  for (const resourceID of changes.included) {
    const params = await versionOf(excluded, parentId, excludedIds[resourceID]);
    writes.push(() => api.DELETE(`${excluded}/{id}`, { params }));
  }

  // The version of a webhook includes its fields and exclusions: the versions read above are the known ones, too.
  const { data } = await api.PATCH(webhookPath(address, ''), {
    params: { ...webhookParams(address), header: { 'If-Match': etag } },
    body: {
      ...(settingsBody(changes.settings) as object),
      ...(changes.receiver && (receiverBody(changes.receiver) as object)),
    },
  });
  for (const write of writes) await write();
  return data.warnings ?? [];
}

/** Typed as the path of the fields: all children have equal operations. */
const childPath = ({ entity }: WebhookAddress, kind: keyof typeof childPaths) =>
  pathOf(entity.collection, childPaths[kind]) as (typeof childPaths)['fields'];

/** The parameters of a write of one child in its present version; any version where the child is gone. */
async function versionOf(path: (typeof childPaths)['fields'], parentId: number, id = 0) {
  const params = { path: { parentId, id } };
  const etag = await api.GET(`${path}/{id}`, { params }).then(
    ({ response }) => response.headers.get('ETag'),
    (error: unknown) => {
      // Another person has removed the child: the webhook has another version, which the API refuses to replace.
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    },
  );
  return { ...params, header: { 'If-Match': etag ?? '*' } };
}
