import { installationProblems } from '@callout/history/status/installation-problems.rules';
import type { KeyRing } from '@callout/domain/secrets/keyring';
import type { Database } from '@callout/database/connection/database';
import { findRefusedMail } from '@callout/pipeline/notify/store/overdue';
import { listProcesses } from '@callout/database/processes';
import { readBacklog } from '@callout/history/status/backlog';
import { findBlockingTransactions } from '@callout/history/status/blocking-transactions';
import { findMissingKeys } from '@callout/tenancy/operator/missing-keys';
import type { QueueFigures } from '@callout/queue/queue-figures';
import { keepFor } from '@callout/runtime/concurrency/keep-for';
import { item } from '../http/api-response.ts';
import type { Handlers } from './operator-call.ts';
import type { Enqueued } from './rebuild-queue.ts';

export interface StatusDeps {
  readonly pool: Database['pool'];
  readonly keyRing: KeyRing;
  /** The contents of Redis; null while Redis is away. */
  readonly queueFigures: () => Promise<QueueFigures | null>;
  readonly rebuildQueue: () => Promise<Enqueued>;
}

const MOST_WEBHOOKS = 10;
/** Possible work that is not done for so long needs attention. */
const PATIENCE_MS = 30_000;
/** Counting reads every open callout, and each operator's page repeats the count every few seconds. */
const BACKLOG_KEPT_MS = 4_000;

/** Open work, running processes, a description of problems, and enqueueing what is due. */
export function statusHandlers({ pool, keyRing, queueFigures, rebuildQueue }: StatusDeps) {
  const backlogNow = keepFor(BACKLOG_KEPT_MS, () => readBacklog(pool, { mostWebhooks: MOST_WEBHOOKS }), Date.now);
  return {
    async readStatus() {
      const [backlog, missing, blocking, processes, queues, refusedMail] = await Promise.all([
        backlogNow(),
        findMissingKeys(pool, keyRing.keyIds),
        findBlockingTransactions(pool),
        listProcesses(pool),
        queueFigures(),
        findRefusedMail(pool, PATIENCE_MS),
      ]);
      const checkDateTime = new Date();
      const problems = installationProblems({
        now: checkDateTime,
        processes,
        oldestPendingEvent: backlog.pendingEvents.oldestDateTime,
        dueSince: backlog.openCallouts.dueSinceDateTime,
        held: backlog.openCallouts.held,
        pausedWebhooks: backlog.pausedWebhooks,
        unfetchedWebhooks: backlog.unfetchedWebhooks,
        waitingHealthEvents: backlog.waitingHealthEvents,
        waitingOperatorMessages: backlog.waitingOperatorMessages,
        blocking,
        connections: backlog.connections,
        missingKeys: missing,
        isRedisReady: queues !== null,
        refusedMail: refusedMail ?? null,
        patienceMs: PATIENCE_MS,
      });
      const missingKeys = missing.map(({ keyId, secrets }) => ({ keyID: keyId, secrets }));
      return item({ checkDateTime, problems, ...backlog, missingKeys, queues, processes });
    },
    async readQueues() {
      const figures = await queueFigures();
      return item({ isRedisReady: figures !== null, events: figures?.events ?? null, jobs: figures?.jobs ?? [] });
    },
    rebuildQueue: async () => item(await rebuildQueue()),
  } satisfies Handlers;
}
