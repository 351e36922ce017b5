import type { CalloutClient } from '../client.ts';
import { readShapes, type WebhookPlace } from './read-shapes.ts';
import { typesOf } from './types-of.ts';

/**
 * Writes the TypeScript types of the callouts of webhooks, to be used as `createReceiver<…>` of `@callout/receiver`: an
 * interface for each webhook, with its actions and its fields as the metadata describes them, user-defined ones too. The
 * text is the same until a webhook, a field or a picklist changes.
 *
 * @param webhooks all that the caller may see when left out.
 * @throws ApiError as the methods of the client do; 404 when there is no such webhook.
 */
export async function calloutTypes(client: CalloutClient, webhooks?: readonly WebhookPlace[]): Promise<string> {
  return typesOf(await readShapes(client, webhooks));
}
