import { describe, expect, it } from '@jest/globals';
import { installationProblems, type InstallationFacts } from './installation-problems.rules.ts';

const now = new Date('2026-01-15T12:00:00Z');
const ago = (ms: number) => new Date(now.getTime() - ms);

type Process = InstallationFacts['processes'][number];

function aProcess(changes: Partial<Process> = {}): Process {
  return {
    service: 'worker',
    version: '1.0.0',
    host: 'a',
    pid: 7,
    roles: ['match', 'deliver', 'notify', 'sweep'],
    keyIDs: ['k1'],
    checks: { postgres: 'ok' },
    isReady: true,
    isGone: false,
    seenDateTime: now,
    ...changes,
  };
}

function problemsOf(changes: Partial<InstallationFacts> = {}): readonly (readonly [kind: string, sentence: string])[] {
  const facts: InstallationFacts = {
    now,
    processes: [aProcess()],
    oldestPendingEvent: null,
    dueSince: null,
    held: 0,
    pausedWebhooks: 0,
    unfetchedWebhooks: 0,
    waitingHealthEvents: { count: 0, oldestDateTime: null },
    waitingOperatorMessages: { count: 0, oldestDateTime: null },
    blocking: [],
    connections: { server: 10, most: 100 },
    missingKeys: [],
    isRedisReady: true,
    refusedMail: null,
    patienceMs: 60_000,
    ...changes,
  };
  return installationProblems(facts).map(({ kind, sentence }) => [kind, sentence] as const);
}

describe('what is wrong with an installation', () => {
  it('is nothing while every role has a worker and nothing waits for long', () => {
    expect(problemsOf()).toEqual([]);
    expect(problemsOf({ oldestPendingEvent: ago(59_999), dueSince: ago(59_999) })).toEqual([]);
  });

  it('is a transaction for which others wait', () => {
    const blocking = [{ pid: 7, program: 'psql', host: null, waiting: 1, waitedMs: 5_000 }];
    expect(problemsOf({ blocking })).toEqual([
      ['blocked', 'A transaction of psql (process 7 of PostgreSQL) has kept 1 statement waiting for 5 seconds.'],
    ]);
  });

  it('is a role that no running worker has', () => {
    const processes = [
      aProcess({ roles: ['match', 'deliver'] }),
      aProcess({ pid: 8, roles: ['notify', 'sweep'], isGone: true, isReady: false, seenDateTime: ago(120_000) }),
    ];
    expect(problemsOf({ processes })).toEqual([
      ['noWorker', 'No worker with the role notify is running: no mail is sent.'],
      [
        'noWorker',
        'No worker with the role sweep is running: lost work is not found again, and no history is dropped.',
      ],
      [
        'processGone',
        'The worker on a (process 8) was last heard of 2 minutes ago, and did not report that it was stopping.',
      ],
    ]);
  });

  it('is a process that is not ready, of another version, or with other keys', () => {
    const other = {
      version: '1.1.0',
      keyIDs: ['k2', 'k1'],
      isReady: false,
      checks: { redis: 'failed: Redis is away' },
    };
    expect(problemsOf({ processes: [aProcess(), aProcess({ service: 'api', roles: [], ...other })] })).toEqual([
      ['notReady', 'The API on a (process 7) is not ready: redis failed: Redis is away.'],
      ['versions', 'Processes of different versions are running: 1.0.0, 1.1.0.'],
      ['keyRings', 'Processes have different SECRET_KEYS: (k1) and (k2, k1).'],
    ]);
  });

  it('is what has waited for a minute, urgent things first', () => {
    const found = problemsOf({
      held: 2,
      pausedWebhooks: 1,
      unfetchedWebhooks: 2,
      oldestPendingEvent: ago(60_000),
      dueSince: ago(3_600_000),
      isRedisReady: false,
      waitingHealthEvents: { count: 1, oldestDateTime: ago(60_000) },
      waitingOperatorMessages: { count: 2, oldestDateTime: ago(3_600_000) },
      connections: { server: 90, most: 100 },
      missingKeys: [{ keyId: 'k9', secrets: 1 }],
      refusedMail: { since: ago(600_000), count: 3, lastError: '554 no' },
    });
    expect(found).toEqual([
      [
        'missingKey',
        'SECRET_KEYS lacks the key k9: 1 webhook secret is encrypted with it, and callouts of those webhooks wait.',
      ],
      ['pendingEvents', 'The oldest event was accepted 1 minute ago and is not matched yet.'],
      ['dueCallouts', 'A callout that could be sent has been waiting for a worker for 1 hour.'],
      ['redis', 'This process cannot reach Redis. Nothing is lost: the sweep finds open work, but later than usual.'],
      ['connections', 'PostgreSQL has 90 of at most 100 connections.'],
      ['paused', '1 webhook is paused because its receiver is down.'],
      ['unfetched', 'Callouts of 2 webhooks wait to be fetched, and no program fetches them.'],
      ['held', '2 callouts are held by thresholds.'],
      ['healthEvents', '1 event of WebhookHealth waits to be made, the oldest for 1 minute.'],
      [
        'operatorMessages',
        'OPERATOR_ALERT_URL has not taken 2 messages about alerts of the installation, the oldest for 1 hour.',
      ],
      ['mail', 'No mail has been sent for 10 minutes; 3 mails are waiting. The last error: 554 no'],
    ]);
  });
});
