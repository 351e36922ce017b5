import { Problem } from '@callout/core/errors';
import type { WebhookPlace } from '@callout/db/console';
import type { LiveResult, LiveSubscriber } from '@callout/queue';
import { LRUCache } from 'lru-cache';
import { createSharedRoom } from '../http/limits/shared-room.ts';
import { eventText, HEARTBEAT, liveEvent } from './live-event.ts';
import { createViewer, type Viewer, type ViewerStream } from './viewer.ts';

/** What a viewer watches. */
export interface LiveScope {
  readonly tenantId: number;
  /** Null: all webhooks. */
  readonly webhookKey: number | null;
  /** Null: of any owner. */
  readonly ownerResourceId: number | null;
}

/** Whether a viewer may still watch. Must not count as a use of its session. */
type Recheck = () => Promise<boolean>;

/** Begins to hear what workers tell; `onReady` is told each time when Redis goes away or comes back. */
export type SubscribeLive = (heard: {
  readonly onResults: (tenantId: number, results: readonly LiveResult[]) => void;
  readonly onReady: (isReady: boolean) => void;
}) => LiveSubscriber;

interface LiveHubDeps {
  /** Given what it tells. */
  readonly subscribe: SubscribeLive;
  /** Entity, id and owner of webhooks, by their keys. They never change. */
  readonly findPlaces: (keys: readonly number[]) => Promise<ReadonlyMap<number, WebhookPlace>>;
  readonly limits?: Partial<typeof usualLimits>;
}

/** Of one process. */
const usualLimits = {
  /** A tenant may have as many as it leaves to others, and `viewersOfTenant` at most. */
  viewers: 2_000,
  viewersOfTenant: 200,
  heartbeatMs: 15_000,
  recheckMs: 10_000,
  /** Webhooks whose place is remembered. */
  places: 20_000,
  /** Results that wait until it is known whose their webhooks are. */
  waitingResults: 10_000,
};
const RETRY_AFTER_S = 30;

export interface LiveHub {
  /** Begins to tell a stream what happens. Throws a Problem: 503 or 429 when too many watch. */
  add(stream: ViewerStream, scope: LiveScope, recheck: Recheck): void;
  /** Ends every stream. */
  close(): void;
}

/**
 * Tells many viewers of one process what workers tell of their tenants: one connection to Redis for all, one text for all
 * who get the same, one timer for all heartbeats. A viewer loses events when it reads slowly, or when PostgreSQL cannot say
 * whose webhooks they are about, and is told how many.
 */
export function createLiveHub({ subscribe, findPlaces, limits: given }: LiveHubDeps): LiveHub {
  const limits = { ...usualLimits, ...given };
  const byTenant = new Map<number, Set<Watching>>();
  const places = new LRUCache<number, WebhookPlace>({ max: limits.places });
  const subscriber = subscribe({ onResults: (tenantId, results) => tellLater(tenantId, results), onReady: tellReady });
  const room = createSharedRoom<number>(limits.viewers);
  let isClosed = false;
  let isRechecking = false;
  /** Results are told in the order in which they came. */
  let told = Promise.resolve();
  /** Results that are not told yet. */
  let waiting = 0;

  const heartbeat = setInterval(() => eachViewer(({ viewer }) => viewer.send(HEARTBEAT)), limits.heartbeatMs);
  const rechecks = setInterval(() => void recheckAll(), limits.recheckMs);
  heartbeat.unref();
  rechecks.unref();

  function eachViewer(act: (watching: Watching) => void): void {
    for (const viewers of byTenant.values()) for (const watching of [...viewers]) act(watching);
  }

  function tellReady(isReady: boolean): void {
    eachViewer((watching) => say(watching, isReady));
  }

  function tellLater(tenantId: number, results: readonly LiveResult[]): void {
    // While PostgreSQL is slow, results must not pile up.
    if (waiting + results.length > limits.waitingResults) return lose(tenantId, results);
    waiting += results.length;
    told = told
      .then(() => tell(tenantId, results))
      .catch(() => lose(tenantId, results))
      .finally(() => (waiting -= results.length));
  }

  /** Says how many results were not told, as far as that can be known without their webhooks. */
  function lose(tenantId: number, results: readonly LiveResult[]): void {
    for (const { viewer, scope } of byTenant.get(tenantId) ?? []) {
      const lost = results.filter(({ webhookKey }) => (scope.webhookKey ?? webhookKey) === webhookKey);
      if (lost.length > 0) viewer.lose(lost.length);
    }
  }

  async function tell(tenantId: number, results: readonly LiveResult[]): Promise<void> {
    const viewers = byTenant.get(tenantId);
    if (viewers === undefined) return;
    await learn(results.map(({ webhookKey }) => webhookKey));
    for (const result of results) {
      const place = places.get(result.webhookKey);
      // Another program may write to Redis, so its word does not prove that the webhook is this tenant's.
      if (place === undefined || place.tenantId !== tenantId) continue;
      const text = eventText('attempt', liveEvent(result, place));
      for (const { viewer, scope } of viewers) if (isSeen(scope, result.webhookKey, place)) viewer.send(text);
    }
  }

  async function learn(keys: readonly number[]): Promise<void> {
    // Also makes those that are known the newest: what is about to be told must not be forgotten for what is learned.
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
      // The caller may hang up while the request is judged; no close would ever end what is counted now.
      if (stream.destroyed) return;
      const { tenantId } = scope;
      const viewers = byTenant.get(tenantId) ?? new Set();
      const refusal = room.refusal(tenantId, 0, 1);
      if (isClosed || refusal === 'full') {
        throw Problem.unavailable('Too many clients watch this process live: poll instead.', RETRY_AFTER_S);
      }
      if (refusal === 'share' || viewers.size >= limits.viewersOfTenant) {
        throw Problem.tooManyRequests('Too many clients of this tenant watch live: poll instead.', RETRY_AFTER_S);
      }
      const viewer = createViewer(stream);
      const watching: Watching = { viewer, scope, recheck, saidReady: undefined };
      byTenant.set(tenantId, viewers);
      viewers.add(watching);
      room.add(tenantId, 1);
      stream.once('close', () => {
        room.add(tenantId, -1);
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
      eachViewer(({ viewer }) =>
        viewer.end(eventText('ended', { reason: 'This process is stopping: connect again.' })),
      );
      subscriber.close();
    },
  };
}

interface Watching {
  readonly viewer: Viewer;
  readonly scope: LiveScope;
  readonly recheck: Recheck;
  /** What it was told last of whether events come. */
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
