import { installationProblems } from '@callout/core/status';
import type { KeyRing } from '@callout/core/secrets';
import type { Database } from '@callout/db/connection';
import { findRefusedMail } from '@callout/db/mail';
import { listProcesses } from '@callout/db/processes';
import { findMissingKeys, readBacklog } from '@callout/db/tenants/operator';
import type { QueueFigures } from '@callout/queue';
import { keepFor } from '@callout/runtime/concurrency';
import { item } from '../../http/answer.ts';
import type { AddOperatorRoute } from './operator-call.ts';
import { statusOperations } from './operations/status-operations.ts';

export interface StatusRouteDeps {
  readonly pool: Database['pool'];
  readonly keyRing: KeyRing;
  /** What is in Redis; null while it is away. */
  readonly queueFigures: () => Promise<QueueFigures | null>;
}

const MOST_WEBHOOKS = 10;
/** What could be done and is not for so long is worth a look. */
const PATIENCE_MS = 60_000;
/** Counting reads every open callout, and each operator who looks asks every few seconds. */
const BACKLOG_KEPT_MS = 4_000;

/** `GET /status` and `GET /queues`: what is owed, who works on it, and what is wrong, in words. */
export function addStatusRoutes(add: AddOperatorRoute, { pool, keyRing, queueFigures }: StatusRouteDeps): void {
  const backlogNow = keepFor(BACKLOG_KEPT_MS, () => readBacklog(pool, { mostWebhooks: MOST_WEBHOOKS }), Date.now);
  add(statusOperations.readStatus, async () => {
    const [backlog, missing, processes, queues, refusedMail] = await Promise.all([
      backlogNow(),
      findMissingKeys(pool, keyRing.keyIds),
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
      connections: backlog.connections,
      missingKeys: missing,
      isRedisReady: queues !== null,
      refusedMail: refusedMail ?? null,
      patienceMs: PATIENCE_MS,
    });
    const missingKeys = missing.map(({ keyId, secrets }) => ({ keyID: keyId, secrets }));
    return item({ checkDateTime, problems, ...backlog, missingKeys, queues, processes });
  });
  add(statusOperations.readQueues, async () => {
    const figures = await queueFigures();
    return item({ isRedisReady: figures !== null, events: figures?.events ?? null, jobs: figures?.jobs ?? [] });
  });
}
