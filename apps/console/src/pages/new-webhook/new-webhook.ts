import { api } from '../../api/client.ts';
import { pathOf, type Entity } from '../../api/entities.ts';
import { idOf, isUserDefined, settingsBody, type WebhookDraft } from '../../parts/webhook-form/webhook-draft.ts';

/** What the form holds. */
export interface NewWebhook extends WebhookDraft {
  readonly entity: Entity;
  readonly secretKey: string;
}

/** A webhook with its fields and exclusions, as the API takes it in one request. */
export function createBody({ settings, fields, excluded }: WebhookDraft) {
  const own = fields.filter(({ key }) => !isUserDefined(key));
  const userDefined = fields.filter(({ key }) => isUserDefined(key));
  return {
    ...settingsBody(settings),
    fields: own.map(({ key, ...flags }) => ({ fieldID: idOf(key), ...flags })),
    ...(userDefined.length > 0 && {
      udfFields: userDefined.map(({ key, ...flags }) => ({ udfFieldID: idOf(key), ...flags })),
    }),
    excludedResources: excluded.map((resourceID) => ({ resourceID })),
  };
}

/** What came of making a webhook. */
export interface MadeWebhook {
  readonly id: number;
  readonly warnings: readonly string[];
}

/** Makes the webhook with all that is its own: everything is stored, or nothing. Throws ApiError naming the inputs. */
export async function createWebhook({ entity, secretKey, ...draft }: NewWebhook): Promise<MadeWebhook> {
  const { data } = await api.POST(pathOf(entity.collection, '/v1.0/CompanyWebhooks'), {
    body: { ...createBody(draft), secretKey } as never,
  });
  return { id: Number(data?.itemId), warnings: data?.warnings ?? [] };
}
