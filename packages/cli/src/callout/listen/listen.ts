import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, type CalloutClient } from '@callout/client';
import { Problem } from '@callout/core/errors';
import { Unreachable } from '../api/unreachable.ts';
import { placeName, readWebhook, type WebhookPlace, webhookPath } from '../api/webhooks.ts';
import { forwardOne, type ForwardOptions, type Pulled } from './forward.ts';
import { lifeSeconds, makeWebhook, removeWebhook, type Subscription } from './own-webhook.ts';

export interface ListenOptions extends Omit<ForwardOptions, 'secretKey'> {
  readonly client: CalloutClient;
  /** A webhook that is there, or what one for the time of listening subscribes to. */
  readonly source: { readonly webhook: WebhookPlace } | { readonly subscription: Subscription };
  readonly stop: AbortSignal;
}

const leaseSeconds = 60;
const atOnce = 10;
const networkPauseMs = 2_000;

/** Forwards the callouts of a webhook to a local address, until it is told to stop; then cleans up. */
export async function listen(options: ListenOptions): Promise<void> {
  const { client, out, forward, stop, isJson, source } = options;
  const own = 'subscription' in source ? await makeWebhook(client, source.subscription) : undefined;
  const place = 'webhook' in source ? source.webhook : (own as WebhookPlace);
  if (own === undefined) await refuseWithUrl(client, place);
  const params = { path: { id: place.id } };
  try {
    if (!isJson) {
      out.tell(`Listening to ${placeName(place)}, forwarding to ${forward}. Ctrl-C stops it.`);
      if (own !== undefined) out.tell(`Callouts are signed with the secret ${own.secretKey}`);
    }
    while (!stop.aborted) {
      const callouts = await pull(options, place, own !== undefined);
      if (callouts.length === 0) continue;
      const results = await Promise.all(
        callouts.map((callout) => forwardOne({ ...options, secretKey: own?.secretKey }, callout)),
      );
      const acks = results.flatMap((result) => (typeof result === 'string' ? [result] : []));
      const nacks = results.flatMap((result) => (typeof result === 'string' ? [] : [result]));
      // Also when it is to stop: what was taken is told.
      await client.POST(webhookPath(place.entity.webhookCollection, '/Pull/ack'), { params, body: { acks, nacks } });
    }
  } finally {
    if (own !== undefined) await removeWebhook(client, own, out);
  }
}

async function refuseWithUrl(client: CalloutClient, place: WebhookPlace): Promise<void> {
  const { webhookUrl } = await readWebhook(client, place);
  if (webhookUrl === 'pull:') return;
  throw Problem.invalid(
    `${placeName(place)} is called at ${webhookUrl}: only one with the URL pull: can be fetched. Leave --webhook out, or change its URL: \`callout webhooks update ${placeName(place)} --url pull:\`.`,
  );
}

/** Empty when there is nothing, and when the network or the service is away for now. */
async function pull(
  { client, out, stop }: ListenOptions,
  { entity, id }: WebhookPlace,
  isOwn: boolean,
): Promise<readonly Pulled[]> {
  const body = { max: atOnce, waitSeconds: 20, leaseSeconds, ...(isOwn && { expireSeconds: lifeSeconds }) };
  const params = { path: { id } };
  try {
    const { data } = await client.POST(webhookPath(entity.webhookCollection, '/Pull'), { params, body, signal: stop });
    return data?.items ?? [];
  } catch (error) {
    if (stop.aborted) return [];
    const isPassing = error instanceof Unreachable || (error instanceof ApiError && error.isTemporary);
    if (!isPassing) throw error;
    out.tell(`${error.message} Trying again.`);
    const pauseS = error instanceof ApiError ? error.retryAfterS : null;
    await sleep(pauseS === null ? networkPauseMs : pauseS * 1_000, undefined, { signal: stop }).catch(() => undefined);
    return [];
  }
}
