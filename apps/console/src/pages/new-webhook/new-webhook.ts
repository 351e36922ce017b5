import { api } from '../../api/client.ts';
import { pathOf, type Entity } from '../../api/entities.ts';
import { receiverBody, type ReceiverDraft } from '../../parts/receiver-form/receiver-draft.ts';
import { createBody, type WebhookDraft } from '../../parts/webhook-form/webhook-draft.ts';

/** What the form holds. */
export interface NewWebhook extends WebhookDraft {
  readonly entity: Entity;
  readonly secretKey: string;
  readonly receiver: ReceiverDraft;
}

/** A webhook that was created. */
export interface MadeWebhook {
  readonly id: number;
  readonly warnings: readonly string[];
}

/** Creates the webhook with all that is its own: everything is stored, or nothing. Throws ApiError naming the inputs. */
export async function createWebhook({ entity, secretKey, receiver, ...draft }: NewWebhook): Promise<MadeWebhook> {
  const { data } = await api.POST(pathOf(entity.collection, '/v1.0/CompanyWebhooks'), {
    body: { ...createBody(draft), ...receiverBody(receiver), secretKey } as never,
  });
  return { id: data.itemId, warnings: data.warnings ?? [] };
}
