import { z } from 'zod';
import { anyId, flag, guid, moment, names, text, whole } from '../../http/operation/wire-types.ts';

const problem = z
  .object({
    kind: text,
    severity: z.enum(['urgent', 'notice']).describe('urgent: callouts do not go out, or soon will not.'),
    sentence: text.describe('What is wrong.'),
    remedy: text.describe('What to do.'),
    page: z
      .enum(['keys', 'mail', 'queues', 'tenants', 'retention'])
      .nullable()
      .describe('The page of the console where it can be done or seen; null: there is none.'),
  })
  .meta({ id: 'InstallationProblem' });

const retentionDays = z
  .object({ callouts: whole, events: whole, errorLogs: whole })
  .meta({ id: 'RetentionDays' })
  .describe('Days that history is kept; 0: for ever.');

const process = z
  .object({
    id: text,
    service: z.enum(['api', 'worker']),
    version: text,
    host: text,
    pid: whole,
    roles: names,
    keyIDs: names.describe('The ids of the keys of its key ring.'),
    checks: z.record(text, text).describe('What /readyz says of it.'),
    notices: names,
    retentionDays: retentionDays.optional(),
    startDateTime: moment,
    seenDateTime: moment.describe('When it reported last.'),
    isReady: flag,
    isGone: flag.describe('Silent for so long that the process must have stopped.'),
  })
  .meta({ id: 'Process' });

const queuedEvents = z
  .object({
    waiting: whole.describe('Jobs that name pending events.'),
    most: whole.describe('How many jobs there may be: the sweep enqueues the events of further jobs later.'),
    firstDateTime: moment.nullable().describe('The earliest priority; null: none waits.'),
    lastDateTime: moment.nullable().describe('The latest priority; null: none waits.'),
  })
  .meta({ id: 'QueuedEvents' });
const queuedJobs = z.array(z.object({ queue: text, waiting: whole, active: whole }).meta({ id: 'QueuedJobs' }));
export const queues = z
  .object({ isRedisReady: flag, events: queuedEvents.nullable(), jobs: queuedJobs })
  .meta({ id: 'Queues' });
const queueFigures = z.object({ events: queuedEvents, jobs: queuedJobs }).meta({ id: 'QueueFigures' });

const fullWebhook = z
  .object({
    tenantID: anyId,
    tenantName: text,
    entityType: text,
    webhookID: anyId,
    name: text,
    isActive: flag,
    openCallouts: whole,
    pausedUntilDateTime: moment.nullable(),
    lastFailure: text.nullable(),
  })
  .meta({ id: 'FullWebhook' });

const waitingSince = { count: whole, oldestDateTime: moment.nullable() };

export const status = z
  .object({
    checkDateTime: moment,
    problems: z.array(problem).describe('What is wrong, the urgent first.'),
    pendingEvents: z.object(waitingSince),
    openCallouts: z.object({
      due: whole,
      dueSinceDateTime: moment.nullable(),
      beingSent: whole,
      inLine: whole.describe('Claimed, and not sent yet.'),
      rate: whole.describe('Due, and beyond what their webhooks allow: maxCallsPerSecond, maxConcurrentCalls.'),
      toFetch: whole.describe('Due, and waiting for a program to fetch them.'),
      paused: whole.describe('Of webhooks whose receiver is down.'),
      later: whole.describe('Wait for their next attempt.'),
      waiting: whole.describe('Wait for an earlier one of their record.'),
      held: whole.describe('Held by a threshold.'),
      cancelling: whole.describe('Of webhooks that became inactive.'),
    }),
    pausedWebhooks: whole,
    unfetchedWebhooks: whole,
    waitingMails: whole,
    waitingHealthEvents: z
      .object(waitingSince)
      .describe('What happened to webhooks, and is no event of WebhookHealth yet.'),
    waitingOperatorMessages: z
      .object(waitingSince)
      .describe('Messages about alerts that OPERATOR_ALERT_URL has not taken.'),
    connections: z
      .object({ api: whole, worker: whole, all: whole, server: whole, most: whole })
      .describe('Connections to PostgreSQL: of the processes, of Callout, of all, and the most there can be.'),
    fullest: z.array(fullWebhook).describe('The webhooks with the most callouts to deliver.'),
    missingKeys: z.array(z.object({ keyID: text, secrets: whole }).meta({ id: 'MissingKey' })),
    queues: queueFigures.nullable().describe('Null: Redis is away.'),
    processes: z.array(process),
  })
  .meta({ id: 'Status' });

export const key = z
  .object({
    keyID: text,
    secrets: whole.describe('How many secrets are encrypted with it.'),
    state: z.enum(['encrypts', 'decrypts', 'notNeeded', 'missing']),
  })
  .meta({ id: 'Key' });

export const reencryptedBatch = z
  .object({
    keyID: text.describe('The key that encrypts.'),
    reencrypted: whole,
    unreadable: z.array(
      z
        .object({
          tenantID: anyId,
          webhookGUID: guid.nullable().describe('Null: the private key of the tenant.'),
          keyID: text,
        })
        .meta({ id: 'UnreadableSecret' }),
    ),
    nextAfter: whole.nullable().describe('The `after` of the next batch; null: there is none.'),
  })
  .meta({ id: 'ReencryptedBatch' });

export const retention = z
  .object({
    retentionDays: retentionDays.nullable().describe('Null: no worker that drops history is running.'),
    tables: z.array(
      z
        .object({ table: text, days: whole, oldestDay: text.nullable(), bytes: whole, rows: z.number() })
        .meta({ id: 'HistoryTable' }),
    ),
    kept: z
      .array(z.object({ partition: text, because: names }).meta({ id: 'KeptDay' }))
      .describe('Days that are kept beyond their time, and why.'),
    dropped: z.array(z.object({ name: text, dropDateTime: moment }).meta({ id: 'DroppedDay' })),
  })
  .meta({ id: 'Retention' });

export const mail = z
  .object({
    id: guid,
    tenantID: anyId.nullable().describe('Null: it is about the installation.'),
    tenantName: text.nullable(),
    kind: text,
    recipient: text,
    state: z.enum(['waiting', 'refused', 'failed']),
    isGathered: flag.describe('False: waits for similar notifications, a limit, or the confirmation of the address.'),
    notifications: whole.describe('How many it contains.'),
    attempts: whole,
    lastError: text.nullable(),
    createDateTime: moment,
    nextAttemptDateTime: moment.nullable().describe('Null: it is not tried again.'),
  })
  .meta({ id: 'Mail' });

export const alertTest = z
  .object({
    startDateTime: moment,
    isTaken: flag.describe('Whether a worker has taken it: then all channels are listed.'),
    channels: z.array(
      z
        .object({
          kind: z.enum(['mail', 'url']).describe('url: OPERATOR_ALERT_URL.'),
          recipient: text.nullable().describe('The address of the mail; null for url.'),
          state: z.enum(['sent', 'waiting', 'refused', 'failed']),
          attempts: whole,
          lastError: text.nullable().describe('What the mail server answered; for url the log of the worker says why.'),
        })
        .meta({ id: 'TestedChannel' }),
    ),
  })
  .meta({ id: 'AlertTest' });
