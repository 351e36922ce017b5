/** What can be wrong with an installation: the end of a subject, and what an operator can do. */
export const installationAlerts = {
  pendingEvents: {
    title: 'events wait to be matched',
    advice: [
      'Check that a worker with the role match is running, and look at its log.',
      'Check PostgreSQL and Redis: `/readyz` of each process says what is wrong.',
    ],
  },
  dueCallouts: {
    title: 'callouts wait for a worker',
    advice: [
      'Check that a worker with the role deliver is running, and look at its log.',
      'Run `callout admin status`: it shows what is waiting, and for which webhooks.',
      'If all slots are taken, start another worker, or raise CALLOUTS_IN_FLIGHT.',
    ],
  },
  partitions: {
    title: 'partitions of history are missing',
    advice: [
      'The log of a worker with the role sweep says why it cannot create them. Without them, nothing is accepted from the next day on.',
    ],
  },
  retention: {
    title: 'history is kept beyond its retention',
    advice: [
      'Deliver or cancel what still needs it, or deactivate its webhooks: then the days are dropped automatically.',
    ],
  },
  keys: {
    title: 'SECRET_KEYS lacks a key in use',
    advice: [
      'Put the key back in SECRET_KEYS of every process and restart it: `callout admin keys status` names the missing keys. Until then, nothing is sent for the webhooks concerned.',
    ],
  },
  mail: {
    title: 'the mail server does not take mail',
    advice: [
      'Check what the server answers: the log of the worker says it, and so does the page Mail of the console for operators.',
    ],
  },
} as const satisfies Record<string, { title: string; advice: readonly string[] }>;

export type InstallationAlertName = keyof typeof installationAlerts;
