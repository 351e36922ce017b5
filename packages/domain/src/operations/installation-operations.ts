import type { Operation } from './operation.ts';

/** What runs and waits in an installation, and its upkeep: keys, history and mail. */
export const installationOperations = {
  readStatus: {
    method: 'GET',
    path: '/status',
    command: ['status'],
    summary: 'Read what waits, who works on it, and what is wrong',
    description: 'The first thing to check when something does not arrive. What is wrong comes last, the urgent first.',
  },
  readQueues: {
    method: 'GET',
    path: '/queues',
    command: ['queue', 'show'],
    summary: 'Read how much waits in Redis',
  },
  rebuildQueue: {
    method: 'POST',
    path: '/queues/rebuild',
    command: ['queue', 'rebuild'],
    summary: 'Enqueue everything that is due now',
    description:
      'For a Redis that was emptied or away for long; the sweep of the workers does it as well, up to 5 minutes later. Doing it twice does no harm. Retries wait for their time as before.',
    done: ({ events, webhooks }: { events: number; webhooks: number }) =>
      `Enqueued ${events} pending events, and ${webhooks} webhooks with due callouts.`,
    conflict: 'The queue is full, and no worker takes events from it.',
  },
  readStatistics: {
    method: 'GET',
    path: '/statistics',
    command: ['statistics'],
    summary: 'Read what was delivered, of the installation or of one tenant',
    query: {
      from: { kind: 'text', isOptional: true, description: 'The beginning in UTC; an hour ago unless given.' },
      to: { kind: 'text', isOptional: true, description: 'The end in UTC; now unless given.' },
      interval: {
        kind: 'text',
        isOptional: true,
        description: 'minute or hour; minute for up to 6 hours unless given.',
      },
      tenantID: { kind: 'tenant', isOptional: true, description: 'Only of this tenant.' },
      groupBy: {
        kind: 'choice',
        isOptional: true,
        description: 'Also the totals of each.',
        choices: { tenant: 'each tenant', webhook: 'each webhook', entity: 'each entity' },
      },
    },
  },
  listKeys: {
    method: 'GET',
    path: '/keys',
    command: ['keys', 'status'],
    summary: 'List the keys that secrets are encrypted with',
    list: { columns: ['keyID', 'secrets', 'state'], none: 'There is no key.', mark: 'all' },
  },
  reencryptSecrets: {
    method: 'POST',
    path: '/keys/reencrypt',
    command: ['keys', 'reencrypt'],
    summary: 'Re-encrypt secrets with the first key of SECRET_KEYS',
    description: 'A batch of webhooks for each request, which locks them for milliseconds.',
    isBatched: true,
    query: {
      limit: {
        kind: 'whole',
        isOptional: true,
        least: 1,
        most: 1_000,
        description: 'The most webhooks of a batch; 100 unless given.',
      },
    },
  },
  readRetention: {
    method: 'GET',
    path: '/retention',
    command: ['retention'],
    summary: 'Read how long history is kept, what there is, and what was dropped',
  },
  listMails: {
    method: 'GET',
    path: '/mails',
    command: ['mails', 'list'],
    summary: 'List mail that is not out',
    query: {
      state: {
        kind: 'text',
        isOptional: true,
        description: 'Some of waiting, refused and failed, separated by commas; waiting unless given.',
      },
    },
    list: {
      columns: ['id', 'tenantName', 'kind', 'recipient', 'state', 'attempts', 'lastError'],
      none: 'No mail waits.',
      mark: 'guid',
    },
  },
  retryMail: {
    method: 'POST',
    path: '/mails/:mailId/retry',
    command: ['mails', 'retry'],
    names: ['mailId'],
    summary: 'Try a mail at once',
    done: () => 'The mail is tried now.',
    conflict: 'The mail has been sent, is being sent now, or has not been gathered yet.',
  },
  testAlerts: {
    method: 'POST',
    path: '/alerts/test',
    command: ['alerts', 'test'],
    summary: 'Send a test to OPERATOR_MAIL and OPERATOR_ALERT_URL',
    description: 'A worker with the role sweep takes it within a second, and uses its own settings.',
    done: () => 'The test is on its way.',
  },
  readAlertTest: {
    method: 'GET',
    path: '/alerts/test',
    command: ['alerts', 'result'],
    summary: 'Read the result of the last test so far',
    isFound: true,
  },
} as const satisfies Readonly<Record<string, Operation>>;
