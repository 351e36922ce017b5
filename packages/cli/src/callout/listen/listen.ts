import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, type CalloutClient } from '@callout/client';
import { Problem } from '@callout/domain/problem';
import { Unreachable } from '../api/unreachable.ts';
import { placeName, readWebhook, type Webhook, type WebhookPlace, webhookPath } from '../api/webhooks.ts';
import { forwardOne, type ForwardOptions, type Nack, type Pulled } from './forward.ts';
import { lifeSeconds, makeWebhook, removeWebhook, type Subscription } from './own-webhook.ts';
import { createVerifier } from './verify-pulled.ts';

export interface ListenOptions extends Omit<ForwardOptions, 'verify' | 'entityName'> {
  readonly client: CalloutClient;
  /** An existing webhook, or the subscription of a temporary one. */
  readonly source: { readonly webhook: WebhookPlace } | { readonly subscription: Subscription };
  readonly stop: AbortSignal;
}

const leaseSeconds = 60;
const atOnce = 10;
const networkPauseMs = 2_000;

/** Forwards the callouts of a webhook to a local address, or prints them, until it is stopped; then cleans up. */
export async function listen(options: ListenOptions): Promise<void> {
  const { client, out, forward, stop, source } = options;
  const temporaryWebhook = 'subscription' in source ? await makeWebhook(client, source.subscription) : undefined;
  const place = 'webhook' in source ? source.webhook : (temporaryWebhook as WebhookPlace);
  try {
    const webhook = await readWebhook(client, place);
    if (temporaryWebhook === undefined) refuseWithUrl(place, webhook);
    const name = placeName(place);
    const use = forward === undefined ? 'printing what arrives' : `forwarding to ${forward}`;
    out.progress(`Listening to ${name}, ${use}. Ctrl-C stops it.`, { webhook: name });
    if (temporaryWebhook !== undefined) sayKeys(options, temporaryWebhook.secretKey, webhook);
    const verify = createVerifier({
      secretKey: temporaryWebhook?.secretKey,
      // It may have got a key pair since.
      keysUrl: async () => webhook.signingKeysUrl ?? (await readWebhook(client, place)).signingKeysUrl,
      onUnreadable: onceEach((reason) => out.progress(reason)),
    });
    const forwarding = { ...options, verify, entityName: place.entity.singular };
    while (!stop.aborted) {
      const callouts = await pull(options, place, temporaryWebhook !== undefined);
      if (callouts.length === 0) continue;
      const results = await Promise.all(callouts.map((callout) => forwardOne(forwarding, callout)));
      const acks = results.flatMap((result) => (typeof result === 'string' ? [result] : []));
      const nacks = results.flatMap((result) => (typeof result === 'string' ? [] : [result]));
      await acknowledge(options, place, { acks, nacks });
    }
  } finally {
    if (temporaryWebhook !== undefined) await removeWebhook(client, temporaryWebhook, out);
  }
}

/** What a receiver of a temporary webhook verifies with. */
function sayKeys({ out }: ListenOptions, secretKey: string, webhook: Webhook): void {
  const { signatureKind, signingPublicKey, signingKeysUrl } = webhook;
  if (signatureKind !== 'ed25519') out.progress(`Callouts are signed with the secret ${secretKey}`, { secretKey });
  if (signatureKind === 'hmac') return;
  out.progress(
    `Callouts are signed with the key pair of ${String(signingPublicKey)}, also at ${String(signingKeysUrl)}`,
    {
      signingPublicKey,
      signingKeysUrl,
    },
  );
}

/** Says each text once. */
function onceEach(say: (text: string) => void): (text: string) => void {
  const reported = new Set<string>();
  return (text) => {
    if (reported.has(text)) return;
    reported.add(text);
    say(text);
  };
}

function refuseWithUrl(place: WebhookPlace, { webhookUrl }: Webhook): void {
  if (webhookUrl === 'pull:') return;
  throw Problem.invalid(
    `${placeName(place)} is called at ${webhookUrl}: only one with the URL pull: can be fetched. Leave --webhook out, or change its URL: \`callout webhooks update ${placeName(place)} --url pull:\`.`,
  );
}

/** Empty when there is nothing, and when the network or the service is away for now. */
async function pull(options: ListenOptions, { entity, id }: WebhookPlace, isOwn: boolean): Promise<readonly Pulled[]> {
  const { client, stop } = options;
  const body = { max: atOnce, waitSeconds: 20, leaseSeconds, ...(isOwn && { expireSeconds: lifeSeconds }) };
  const params = { path: { id } };
  try {
    const { data } = await client.POST(webhookPath(entity.webhookCollection, '/Pull'), { params, body, signal: stop });
    return data.items;
  } catch (error) {
    if (!stop.aborted) await pauseAfter(options, error);
    return [];
  }
}

/**
 * Acknowledges callouts to the service, also during the stop. Repeats until the service responds: repeating it is
 * harmless, and a callout without an acknowledgement is sent once more.
 */
async function acknowledge(
  options: ListenOptions,
  { entity, id }: WebhookPlace,
  body: { acks: string[]; nacks: Nack[] },
): Promise<void> {
  const { client, stop } = options;
  for (;;) {
    try {
      await client.POST(webhookPath(entity.webhookCollection, '/Pull/ack'), { params: { path: { id } }, body });
      return;
    } catch (error) {
      if (stop.aborted) throw error;
      await pauseAfter(options, error);
    }
  }
}

/** Waits a while after a failure that may pass. Rejects with any other. */
async function pauseAfter({ out, stop }: ListenOptions, error: unknown): Promise<void> {
  const isPassing = error instanceof ApiError ? error.isTemporary : error instanceof Unreachable;
  if (!isPassing) throw error;
  out.progress(`${(error as Error).message} Trying again.`);
  const pauseMs = error instanceof ApiError && error.retryAfterS !== null ? error.retryAfterS * 1_000 : networkPauseMs;
  await sleep(pauseMs, undefined, { signal: stop }).catch(() => undefined);
}
