import { createHmac, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, type CalloutClient, type Schemas, type WebhookCollection } from '@callout/client';
import type { Output } from '../../output/output.ts';

export interface ListenOptions {
  readonly api: CalloutClient;
  readonly out: Output;
  /** Such as `CompanyWebhooks`. */
  readonly collection: WebhookCollection;
  /** The id of a webhook that is there; undefined: one is made, and deleted in the end. */
  readonly webhook: number | undefined;
  /** The local address that callouts are sent to. */
  readonly forward: string;
  readonly isJson: boolean;
  readonly stop: AbortSignal;
}

type Pulled = Schemas['PulledCallouts']['items'][number];

interface Nack {
  readonly ackID: string;
  readonly reason: string;
}

interface Heard {
  readonly webhook: string;
  readonly id: number;
  /** Undefined for a webhook that was there: only its owner knows it. */
  readonly secretKey: string | undefined;
}

/** After a crash the webhook is deleted when this has passed. */
const lifeSeconds = 300;
const leaseSeconds = 60;
const atOnce = 10;
/** As long as the service itself would wait. */
const answerMs = 10_000;
const networkPauseMs = 2_000;

/** Forwards the callouts of a webhook to a local address, until it is told to stop; then cleans up. */
export async function listen(options: ListenOptions): Promise<void> {
  const { out, forward, stop, isJson } = options;
  const heard = options.webhook === undefined ? await makeWebhook(options) : await foundWebhook(options);
  try {
    if (!isJson) {
      out.tell(`Listening to ${heard.webhook}, forwarding to ${forward}. Ctrl-C stops it.`);
      if (heard.secretKey !== undefined) out.tell(`Callouts are signed with the secret ${heard.secretKey}`);
    }
    while (!stop.aborted) {
      const callouts = await pull(options, heard);
      if (callouts.length === 0) continue;
      const results = await Promise.all(callouts.map((callout) => forwardOne(options, heard, callout)));
      const acks = results.flatMap((result) => (typeof result === 'string' ? [result] : []));
      const nacks = results.flatMap((result) => (typeof result === 'string' ? [] : [result]));
      await acknowledge(options, heard, { acks, nacks });
    }
  } finally {
    if (options.webhook === undefined) await removeWebhook(options, heard);
  }
}

// All collections take and answer the same.
const pathOf = ({ collection }: ListenOptions) => `/v1.0/${collection}` as '/v1.0/CompanyWebhooks';
const pullPathOf = (options: ListenOptions) => `${pathOf(options)}/{id}/Pull` as const;
const ackPathOf = (options: ListenOptions) => `${pathOf(options)}/{id}/Pull/ack` as const;
const ofWebhook = ({ id }: Heard) => ({ params: { path: { id } } });

async function makeWebhook(options: ListenOptions): Promise<Heard> {
  const { api, collection } = options;
  const secretKey = `whsec_${randomBytes(24).toString('base64')}`;
  const children = `/v1.0/${collection.replace(/s$/u, '')}Fields/entityInformation/fields`;
  const { data: metadata } = await api.GET(children as '/v1.0/CompanyWebhookFields/entityInformation/fields');
  const known = metadata.fields.find(({ name }) => name === 'fieldID')?.picklistValues ?? [];
  const { data: made } = await api.POST(pathOf(options), {
    body: {
      name: `callout listen on ${hostname()}`.slice(0, 50).trim(),
      webhookUrl: 'pull:',
      deactivationUrl: 'pull:',
      secretKey,
      isActive: true,
      isSubscribedToCreateEvents: true,
      isSubscribedToUpdateEvents: true,
      isSubscribedToDeleteEvents: true,
      fields: known.map(({ value }) => ({ fieldID: Number(value), isSubscribedField: true })),
    },
  });
  const id = made.itemId;
  return { webhook: `${collection}/${id}`, id, secretKey };
}

async function foundWebhook({ collection, webhook: id = 0 }: ListenOptions): Promise<Heard> {
  return { webhook: `${collection}/${id}`, id, secretKey: undefined };
}

/** Empty when there is nothing, and when the network or the service is away for now. */
async function pull(options: ListenOptions, heard: Heard): Promise<readonly Pulled[]> {
  const { api, stop } = options;
  const body = {
    max: atOnce,
    waitSeconds: 20,
    leaseSeconds,
    ...(options.webhook === undefined && { expireSeconds: lifeSeconds }),
  };
  try {
    const { data } = await api.POST(pullPathOf(options), { ...ofWebhook(heard), body, signal: stop });
    return data.items;
  } catch (error) {
    if (!stop.aborted) await pauseAfter(options, error);
    return [];
  }
}

/**
 * Tells the service what became of callouts, also when it is time to stop. It is tried again until the service answers:
 * saying the same twice is harmless, and a callout of which nothing is heard is sent once more.
 */
async function acknowledge(
  options: ListenOptions,
  heard: Heard,
  body: { acks: string[]; nacks: Nack[] },
): Promise<void> {
  const { api, stop } = options;
  for (;;) {
    try {
      await api.POST(ackPathOf(options), { ...ofWebhook(heard), body });
      return;
    } catch (error) {
      if (stop.aborted) throw error;
      await pauseAfter(options, error);
    }
  }
}

/** Waits a while after a failure that may pass. Rejects with any other. */
async function pauseAfter({ out, stop }: ListenOptions, error: unknown): Promise<void> {
  if (error instanceof ApiError && !error.isTemporary) throw error;
  const what = error instanceof ApiError ? error.message : `The API cannot be reached: ${reasonOf(error)}.`;
  out.tell(`${what} Trying again.`);
  const pauseMs = error instanceof ApiError && error.retryAfterS !== null ? error.retryAfterS * 1_000 : networkPauseMs;
  await sleep(pauseMs, undefined, { signal: stop }).catch(() => undefined);
}

/** @returns the ackID of a callout that was taken, or why it was not. */
async function forwardOne(
  { out, forward, isJson }: ListenOptions,
  { secretKey }: Heard,
  { ackID, calloutID, headers, body }: Pulled,
): Promise<string | Nack> {
  const startedAt = performance.now();
  const outcome = await fetch(forward, {
    method: 'POST',
    headers,
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(answerMs),
  }).then(
    async (response) => {
      // The answer is its status: a body that breaks off changes nothing.
      await response.body?.cancel().catch(() => undefined);
      return response.status;
    },
    (error: unknown) => reasonOf(error),
  );
  const durationMs = Math.round(performance.now() - startedAt);
  const isVerified = secretKey === undefined ? null : isGenuine(secretKey, headers, body);
  const isTaken = typeof outcome === 'number' && outcome >= 200 && outcome <= 299;
  const { Action, EntityType, Id, SequenceNumber } = JSON.parse(body) as Record<string, unknown>;
  if (isJson) {
    out.print(JSON.stringify({ calloutID, headers, body, isVerified, answer: outcome, durationMs }));
  } else {
    const what = `${String(Action)} ${String(EntityType)} ${String(Id)}`;
    const verified = isVerified === true ? ' verified' : '';
    const answer = isTaken ? out.green(String(outcome)) : out.bold(String(outcome));
    out.print(`${answer}  ${what}  ${out.dim(`#${String(SequenceNumber)}${verified}, ${durationMs} ms`)}`);
  }
  if (isTaken) return ackID;
  return { ackID, reason: typeof outcome === 'number' ? `${forward} answered ${outcome}` : outcome };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error as { cause?: { code?: string } };
  return cause?.code ?? error.message;
}

/** Checks `webhook-signature` of Standard Webhooks, with a secret made here. */
function isGenuine(secretKey: string, headers: Readonly<Record<string, string>>, body: string): boolean {
  const key = Buffer.from(secretKey.slice('whsec_'.length), 'base64');
  const signed = `${headers['webhook-id'] ?? ''}.${headers['webhook-timestamp'] ?? ''}.${body}`;
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

/** Deletes the webhook, and takes the call that tells of it. */
async function removeWebhook(options: ListenOptions, heard: Heard): Promise<void> {
  const { api, out } = options;
  try {
    await api.DELETE(`${pathOf(options)}/{id}`, ofWebhook(heard));
    const { data } = await api.POST(pullPathOf(options), { ...ofWebhook(heard), body: { waitSeconds: 0 } });
    const acks = data.items.map(({ ackID }) => ackID);
    if (acks.length > 0) await api.POST(ackPathOf(options), { ...ofWebhook(heard), body: { acks } });
    out.tell(`${heard.webhook} is deleted.`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    out.tell(
      `${heard.webhook} could not be deleted (${why}); it is deleted by itself within ${lifeSeconds / 60} minutes.`,
    );
  }
}
