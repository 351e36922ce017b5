/** What can be wrong with an installation: the end of a subject, and what an operator can do. */
export const installationAlerts = {
  pendingEvents: {
    title: 'events wait to be matched',
    advice: [
      'See whether a worker with the role match is running and what it logs.',
      'See whether PostgreSQL and Redis are well: `/readyz` of each process says what is not.',
    ],
  },
  dueCallouts: {
    title: 'callouts wait for a worker',
    advice: [
      'See whether a worker with the role deliver is running and what it logs.',
      'Run `callout admin status`: it says what is owed, and by which webhooks.',
      'If all slots are taken, start another worker, or raise CALLOUTS_IN_FLIGHT.',
    ],
  },
  partitions: {
    title: 'partitions of history are missing',
    advice: [
      'See what keeps a worker with the role sweep from making them: its log says so. Without them nothing is accepted from the next day on.',
    ],
  },
  retention: {
    title: 'history is kept beyond its retention',
    advice: ['Deliver, cancel or deactivate what still needs it: the days go by themselves then.'],
  },
  keys: {
    title: 'SECRET_KEYS lacks a key in use',
    advice: [
      'Give every process the key back in SECRET_KEYS and restart it: `callout admin keys status` names what is missing. Until then nothing is sent for the webhooks concerned.',
    ],
  },
  mail: {
    title: 'the mail server does not take mail',
    advice: ['See what the server answers: `last_error` in the table `notifications`, and the log of the worker.'],
  },
} as const satisfies Record<string, { title: string; advice: readonly string[] }>;

export type InstallationAlertName = keyof typeof installationAlerts;
