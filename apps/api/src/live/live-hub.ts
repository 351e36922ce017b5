import { Problem } from '@callout/domain/problem';
import type { WebhookPlace } from '@callout/tenancy/sessions/webhook-owner';
import type { LiveResult } from '@callout/queue/live-result';
import type { LiveSubscriber } from '@callout/queue/live-subscriber';
import { LRUCache } from 'lru-cache';
import { createTenantBudget, problemOf } from '../http/limits/tenant-budget.ts';
import { eventText, HEARTBEAT, liveEvent } from './live-event.ts';
import { createViewer, type Viewer, type ViewerStream } from './viewer.ts';

/** The scope of a viewer. */
export interface LiveScope {
  readonly tenantId: number;
  /** Null: all webhooks. */
  readonly webhookKey: number | null;
  /** Null: of any owner. */
  readonly ownerResourceId: number | null;
}

/** Whether a viewer may still watch. Must not count as a use of its session. */
type Recheck = () => Promise<boolean>;

/** Subscribes to the results of workers; `onReady` is called each time Redis goes away or comes back. */
export type SubscribeLive = (heard: {
  readonly onResults: (tenantId: number, results: readonly LiveResult[]) => void;
  readonly onReady: (isReady: boolean) => void;
}) => LiveSubscriber;

interface LiveHubDeps {
  /** The source of results. */
  readonly subscribe: SubscribeLive;
  /** Entity, id and owner of webhooks, by their keys. They never change. */
  readonly findPlaces: (keys: readonly number[]) => Promise<ReadonlyMap<number, WebhookPlace>>;
  readonly limits?: Partial<typeof usualLimits>;
}

/** Of one process. */
const usualLimits = {
  /** A tenant may have as many as stay free for others, and `viewersOfTenant` at most. */
  viewers: 2_000,
  viewersOfTenant: 200,
  heartbeatMs: 15_000,
  recheckMs: 10_000,
  /** Webhooks whose place is remembered. */
  places: 20_000,
  /** Results that wait until it is known whose their webhooks are. */
  waitingResults: 10_000,
};
const refusals = {
  unavailable: 'Too many clients watch this process live: poll instead.',
  tooManyRequests: 'Too many clients of this tenant watch live: poll instead.',
  retryAfterS: 30,
};

export interface LiveHub {
  /** Starts to send results to a stream. Throws a Problem: 503 or 429 when there are too many viewers. */
  add(stream: ViewerStream, scope: LiveScope, recheck: Recheck): void;
  /** Ends every stream. */
  close(): void;
}

/**
 * Sends the results of workers to the viewers of one process: one connection to Redis for all, one text for all viewers
 * with the same scope, one timer for all heartbeats. A viewer misses results when it reads slowly, or when PostgreSQL
 * cannot find the owners of their webhooks, and is sent their number.
 */
export function createLiveHub({ subscribe, findPlaces, limits: given }: LiveHubDeps): LiveHub {
  const limits = { ...usualLimits, ...given };
  const byTenant = new Map<number, Set<Watching>>();
  const places = new LRUCache<number, WebhookPlace>({ max: limits.places });
  const subscriber = subscribe({ onResults: (tenantId, results) => sendLater(tenantId, results), onReady: sendReady });
  const capacity = createTenantBudget(limits.viewers, refusals);
  let isClosed = false;
  let isRechecking = false;
  /** Results are sent in the order in which they came. */
  let sent = Promise.resolve();
  /** Results that are not yet sent. */
  let waiting = 0;

  const heartbeat = setInterval(() => eachViewer(({ viewer }) => viewer.send(HEARTBEAT)), limits.heartbeatMs);
  const rechecks = setInterval(() => void recheckAll(), limits.recheckMs);
  heartbeat.unref();
  rechecks.unref();

  function eachViewer(act: (watching: Watching) => void): void {
    for (const viewers of byTenant.values()) for (const watching of [...viewers]) act(watching);
  }

  function sendReady(isReady: boolean): void {
    eachViewer((watching) => say(watching, isReady));
  }

  function sendLater(tenantId: number, results: readonly LiveResult[]): void {
    // While PostgreSQL is slow, results must not pile up.
    if (waiting + results.length > limits.waitingResults) return lose(tenantId, results);
    waiting += results.length;
    sent = sent
      .then(() => send(tenantId, results))
      .catch(() => lose(tenantId, results))
      .finally(() => (waiting -= results.length));
  }

  /**
   * Reports the number of results that were not sent, where it is known without their webhooks. A portal must not
   * learn how many results others get, so it is sent the number one, which makes it read the delivery log again.
   */
  function lose(tenantId: number, results: readonly LiveResult[]): void {
    for (const { viewer, scope } of byTenant.get(tenantId) ?? []) {
      const lost = results.filter(({ webhookKey }) => (scope.webhookKey ?? webhookKey) === webhookKey);
      if (lost.length > 0) viewer.lose(scope.ownerResourceId === null ? lost.length : 1);
    }
  }

  async function send(tenantId: number, results: readonly LiveResult[]): Promise<void> {
    const viewers = byTenant.get(tenantId);
    if (viewers === undefined) return;
    await learn(results.map(({ webhookKey }) => webhookKey));
    for (const result of results) {
      const place = places.get(result.webhookKey);
      // Another program may write to Redis, so its message does not prove that the webhook is this tenant's.
      if (place === undefined || place.tenantId !== tenantId) continue;
      const text = eventText('attempt', liveEvent(result, place));
      for (const { viewer, scope } of viewers) if (isSeen(scope, result.webhookKey, place)) viewer.send(text);
    }
  }

  async function learn(keys: readonly number[]): Promise<void> {
    // Also makes known places the newest: a place that is needed now must not be evicted by a new one.
    const unknown = [...new Set(keys)].filter((key) => places.get(key) === undefined);
    if (unknown.length === 0) return;
    for (const [key, place] of await findPlaces(unknown)) places.set(key, place);
  }

  async function recheckAll(): Promise<void> {
    // While PostgreSQL is slow, rounds must not pile up in front of requests.
    if (isRechecking) return;
    isRechecking = true;
    await recheckEach().finally(() => (isRechecking = false));
  }

  async function recheckEach(): Promise<void> {
    const all: Watching[] = [];
    eachViewer((watching) => all.push(watching));
    await Promise.all(
      all.map(async ({ viewer, recheck }) => {
        const isAllowed = await recheck().catch(() => true);
        if (!isAllowed) viewer.end(eventText('ended', { reason: 'The session has ended: sign in again.' }));
      }),
    );
  }

  return {
    add(stream, scope, recheck) {
      // The caller may hang up during the checks of the request; no close event would end the count then.
      if (stream.destroyed) return;
      const { tenantId } = scope;
      const viewers = byTenant.get(tenantId) ?? new Set();
      if (isClosed) throw Problem.unavailable(stopping, refusals.retryAfterS);
      const place = capacity.reserve(tenantId);
      place.ensure(1);
      if (viewers.size >= limits.viewersOfTenant) throw problemOf(refusals, 'share');
      place.acquire(1);
      const viewer = createViewer(stream);
      const watching: Watching = { viewer, scope, recheck, saidReady: undefined };
      byTenant.set(tenantId, viewers);
      viewers.add(watching);
      stream.once('close', () => {
        place.releaseAll();
        viewers.delete(watching);
        if (viewers.size > 0) return;
        byTenant.delete(tenantId);
        subscriber.unwatch(tenantId);
      });
      void subscriber
        .watch(tenantId)
        .catch(() => false)
        .then((isReady) => say(watching, isReady));
    },
    close() {
      isClosed = true;
      clearInterval(heartbeat);
      clearInterval(rechecks);
      eachViewer(({ viewer }) => viewer.end(eventText('ended', { reason: stopping })));
      subscriber.close();
    },
  };
}

const stopping = 'The API is stopping: connect again.';

interface Watching {
  readonly viewer: Viewer;
  readonly scope: LiveScope;
  readonly recheck: Recheck;
  /** The last message about whether results come. */
  saidReady: boolean | undefined;
}

function say(watching: Watching, isReady: boolean): void {
  if (watching.saidReady === isReady) return;
  watching.saidReady = isReady;
  watching.viewer.send(readiness(isReady));
}

function isSeen({ webhookKey, ownerResourceId }: LiveScope, key: number, place: WebhookPlace): boolean {
  if (webhookKey !== null && webhookKey !== key) return false;
  return ownerResourceId === null || ownerResourceId === place.ownerResourceId;
}

function readiness(isReady: boolean): string {
  return isReady
    ? eventText('live', {})
    : eventText('fallback', { reason: 'Redis is unavailable, so there are no live events: poll instead.' });
}
