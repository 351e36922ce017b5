import { setTimeout as sleep } from 'node:timers/promises';
import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import { ApiError, type CalloutClient, type Schemas } from '@callout/client';
import { printable } from '../../printable.ts';
import type { Output } from '../../output.ts';
import { nameOfWebhook } from '../input/webhook-named.ts';

type Event = Schemas['LoggedEventDetails'];
type Callout = Schemas['CalloutDetails'];

/** The result of an event. */
export interface Outcome {
  readonly event: Event;
  /** The callouts that the credential may read. */
  readonly callouts: readonly Callout[];
  /** Whether the event was matched and every due callout was delivered. */
  readonly isDelivered: boolean;
}

interface WaitOptions {
  readonly client: CalloutClient;
  readonly eventID: string;
  readonly timeoutMs: number;
  readonly stop: AbortSignal;
}

const lookEveryMs = 250;

/** Waits until an event is matched and all callouts have ended, within a limit. */
export async function waitForOutcome({ client, eventID, timeoutMs, stop }: WaitOptions): Promise<Outcome> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const { data } = await client.GET('/v1.0/EntityEvents/{eventID}', { params: { path: { eventID } } });
    const event = data.item;
    const listed = (event.verdicts ?? []).flatMap(({ callout }) => callout ?? []);
    const isOver = event.state !== 'pending' && listed.every(({ state }) => hasEnded(state));
    if (isOver || Date.now() >= deadline || stop.aborted) {
      const callouts = await calloutsOf(
        client,
        listed.map(({ id }) => id),
      );
      return { event, callouts, isDelivered: isOver && listed.every(({ state }) => state === 'delivered') };
    }
    await sleep(lookEveryMs, undefined, { signal: stop }).catch(() => undefined);
  }
}

const hasEnded = (state: string) => ['delivered', 'failed', 'cancelled', 'merged'].includes(state);

/** Empty for a credential that reads no deliveries. */
async function calloutsOf(client: CalloutClient, ids: readonly string[]): Promise<Callout[]> {
  const answers = await Promise.all(
    ids.map((calloutID) =>
      client.GET('/v1.0/Callouts/{calloutID}', { params: { path: { calloutID } } }).catch((error: unknown) => {
        if (error instanceof ApiError && [403, 404].includes(error.status)) return { data: undefined };
        throw error;
      }),
    ),
  );
  return answers.flatMap(({ data }) => data?.item ?? []);
}

/** A line for each webhook. */
export function outcomeText({ event, callouts }: Outcome, catalogue: Catalogue, out: Output): string {
  if (event.state === 'pending') return 'It has not been matched with the webhooks yet: does a worker run?';
  if (event.state === 'unchanged') return 'It changed nothing: the record has these values already.';
  const { verdicts = [], entityType = '' } = event;
  if (verdicts.length === 0)
    return 'No webhook watches this entity: `callout webhooks create` or `callout listen` makes one.';
  return verdicts
    .map(({ webhookID, message, callout }) => {
      const name = nameOfWebhook(catalogue, { entityType, id: webhookID });
      if (callout === null) return `${name}  ${out.dim(`no callout: ${message}`)}`;
      const last = callouts.find(({ id }) => id === callout.id)?.attempts.at(-1);
      const answer = last === undefined ? '' : `, ${last.status ?? 'no answer'} after ${last.durationMs} ms`;
      const paint = callout.state === 'delivered' ? out.green : callout.state === 'failed' ? out.red : out.yellow;
      const failure = last?.failure ?? null;
      const why = failure === null ? '' : `\n  ${printable(failure)}`;
      return `${name}  ${paint(callout.state)}${answer}  ${out.dim(`callout ${callout.id}`)}${why}`;
    })
    .join('\n');
}
