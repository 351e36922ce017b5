import { api } from '../../../api/client.ts';
import { pathOf } from '../../../api/entities.ts';
import { idOf, isUserDefined, settingsBody, type ChosenField } from '../../../parts/webhook-form/webhook-draft.ts';
import type { StoredWebhook } from '../../../parts/webhook-form/stored-webhook-query.ts';
import type { WebhookAddress } from '../webhook-queries.ts';
import type { Changes } from './changes.ts';

/** Which part of the form a refusal is about. */
export type Part = 'settings' | 'fields' | 'excluded';

/** A change was refused; those before it are stored. */
export class PartRefused extends Error {
  readonly part: Part;
  override readonly cause: Error;

  constructor(part: Part, cause: Error) {
    super(cause.message);
    this.part = part;
    this.cause = cause;
  }
}

/**
 * Sends what is changed and nothing else: the settings in one request, then fields and exclusions one by one, since each
 * is a record of its own.
 * @returns the warnings of the API. Throws PartRefused at the first refusal.
 */
export async function saveChanges(
  { entity, id }: WebhookAddress,
  { fieldIds, excludedIds }: StoredWebhook,
  changes: Changes,
): Promise<string[]> {
  const parent = { parentId: id };
  const of = (key: ChosenField['key']) =>
    pathOf(
      entity.collection,
      isUserDefined(key) ? '/v1.0/CompanyWebhooks/{parentId}/UdfFields' : '/v1.0/CompanyWebhooks/{parentId}/Fields',
    ) as '/v1.0/CompanyWebhooks/{parentId}/Fields';
  const excluded = pathOf(entity.collection, '/v1.0/CompanyWebhooks/{parentId}/ExcludedResources');
  const warnings: string[] = [];

  // What is added comes first, so that the webhook is never without the field that is replaced.
  for (const { key, ...flags } of changes.addedFields) {
    const target = { [isUserDefined(key) ? 'udfFieldID' : 'fieldID']: idOf(key) };
    await asPart('fields', api.POST(of(key), { params: { path: parent }, body: { ...target, ...flags } as never }));
  }
  for (const { key, ...flags } of changes.changedFields) {
    const path = { ...parent, id: fieldIds[key] ?? 0 };
    await asPart('fields', api.PATCH(`${of(key)}/{id}`, { params: { path }, body: flags }));
  }
  for (const key of changes.removedFields) {
    const path = { ...parent, id: fieldIds[key] ?? 0 };
    await asPart('fields', api.DELETE(`${of(key)}/{id}`, { params: { path } }));
  }
  for (const resourceID of changes.excluded) {
    await asPart('excluded', api.POST(excluded, { params: { path: parent }, body: { resourceID } }));
  }
  for (const resourceID of changes.included) {
    const path = { ...parent, id: excludedIds[resourceID] ?? 0 };
    await asPart('excluded', api.DELETE(`${excluded}/{id}`, { params: { path } }));
  }
  if (Object.keys(changes.settings).length > 0) {
    const path = pathOf(entity.collection, '/v1.0/CompanyWebhooks/{id}');
    const body = settingsBody(changes.settings);
    const { data } = await asPart('settings', api.PATCH(path, { params: { path: { id } }, body }));
    warnings.push(...(data?.warnings ?? []));
  }
  return warnings;
}

async function asPart<T>(part: Part, request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    throw new PartRefused(part, error instanceof Error ? error : new Error(String(error)));
  }
}
