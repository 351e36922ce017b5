import { hostname } from 'node:os';
import { createHmac } from 'node:crypto';
import type { CalloutClient } from '@callout/client';
import type { SignatureKind } from '@callout/domain/callout/signature-kind';
import { Problem } from '@callout/domain/problem';
import type { Output } from '../../output.ts';
import { collectionPath, placeName, type WebhookPlace, webhookPath } from '../api/webhooks.ts';
import type { WatchedEntity } from '../input/webhook-named.ts';
import { udfNames } from '../webhooks/children.ts';
import type { Account } from '../profiles.ts';

/** The subscription of a temporary webhook. */
export interface Subscription {
  readonly entity: WatchedEntity;
  /** System fields by name; undefined: all. */
  readonly fields: readonly string[] | undefined;
  /** User-defined fields by name; `all`: all of them. */
  readonly udf: readonly string[] | 'all';
  /** Signs its callouts. */
  readonly secretKey: string;
  readonly signatureKind: SignatureKind;
}

/** After a crash the webhook is deleted when this has passed. */
export const lifeSeconds = 300;

/** Makes a webhook whose callouts are fetched. */
export async function makeWebhook(
  client: CalloutClient,
  subscription: Subscription,
): Promise<WebhookPlace & { secretKey: string }> {
  const { entity, fields, secretKey, signatureKind } = subscription;
  const names = fields ?? entity.fields.filter((field) => field.isSupportedWebhookField).map(({ name }) => name);
  const udfs = await chosenUdfs(client, subscription);
  const body = {
    name: `callout listen on ${hostname()}`.slice(0, 50).trim(),
    webhookUrl: 'pull:',
    deactivationUrl: 'pull:',
    secretKey,
    signatureKind,
    isActive: true,
    isSubscribedToCreateEvents: true,
    isSubscribedToUpdateEvents: true,
    isSubscribedToDeleteEvents: true,
    fields: names.map((field) => ({ field, isSubscribedField: true })),
    udfFields: udfs.map((udfField) => ({ udfField, isSubscribedField: true })),
  };
  const { data } = await client.POST(collectionPath(entity.webhookCollection, ''), { body });
  return { entity, id: data?.itemId ?? 0, secretKey };
}

async function chosenUdfs(client: CalloutClient, { entity, udf }: Subscription): Promise<readonly string[]> {
  if (udf !== 'all') return udf;
  if (!entity.hasUserDefinedFields) throw Problem.invalid(`a ${entity.singular} has no user-defined fields`);
  return [...(await udfNames(client, entity)).values()];
}

/** Deletes the webhook, and fetches its deactivation call. */
export async function removeWebhook(client: CalloutClient, place: WebhookPlace, out: Output): Promise<void> {
  const { webhookCollection } = place.entity;
  const params = { path: { id: place.id } };
  const name = placeName(place);
  try {
    await client.DELETE(webhookPath(webhookCollection, ''), { params });
    const { data } = await client.POST(webhookPath(webhookCollection, '/Pull'), { params, body: { waitSeconds: 0 } });
    const acks = (data?.items ?? []).map(({ ackID }) => ackID);
    if (acks.length > 0) await client.POST(webhookPath(webhookCollection, '/Pull/ack'), { params, body: { acks } });
    out.progress(`${name} is deleted.`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    out.progress(`${name} could not be deleted (${why}); it is deleted by itself within ${lifeSeconds / 60} minutes.`);
  }
}

/**
 * The secret that signs the callouts of a temporary webhook. The same secret for each run with a credential at an
 * installation: a receiver is configured only once. Nobody can compute the secret without the secret of the credential,
 * which in turn does not follow from it.
 */
export function listenSecret({ secret, userName, url }: Pick<Account, 'secret' | 'userName' | 'url'>): string {
  // The address of an installation may be written with or without the path of the API.
  const purpose = JSON.stringify(['callout-listen', userName, new URL(url).origin]);
  return `whsec_${createHmac('sha256', secret).update(purpose).digest('base64')}`;
}
