/** One possible action of an operator, with its commands. */
interface AlertStep {
  readonly say: string;
  readonly commands?: readonly string[];
}

/** The alerts about an installation: the end of a subject, and what an operator can do. */
export const installationAlerts = {
  pendingEvents: {
    title: 'events wait to be matched',
    advice: [
      { say: 'See which processes run, what waits, and for which webhooks:', commands: ['callout admin status'] },
      { say: 'Check that a worker with the role match is running, and look at its log.' },
      { say: 'Check PostgreSQL and Redis: /readyz of each process says what is wrong.' },
    ],
  },
  dueCallouts: {
    title: 'callouts wait for a worker',
    advice: [
      { say: 'See what waits, and for which webhooks:', commands: ['callout admin status'] },
      { say: 'Check that a worker with the role deliver is running, and look at its log.' },
      { say: 'If all slots are taken, start another worker, or raise CALLOUTS_IN_FLIGHT.' },
    ],
  },
  redis: {
    title: 'Redis cannot be used',
    advice: [
      { say: 'Do what the sentence above says, or start Redis again. No process has to be restarted.' },
      { say: 'Nothing is lost: workers find their work in PostgreSQL, some seconds later than usual.' },
    ],
  },
  clocks: {
    title: 'a clock is wrong',
    advice: [
      {
        say: 'Set the clocks of these machines and of PostgreSQL by NTP. Their workers then send again without a restart.',
      },
      {
        say: 'Until then, other workers send what is due. See which processes run:',
        commands: ['callout admin status'],
      },
    ],
  },
  partitions: {
    title: 'partitions of history are missing',
    advice: [
      {
        say: 'Check that a worker with the role sweep is running, and restart any process: each start creates the partitions, and its log says why it cannot. Without them, nothing is accepted from the next day on.',
        commands: ['callout admin status'],
      },
    ],
  },
  retention: {
    title: 'history is kept beyond its retention',
    advice: [
      {
        say: 'See which webhooks have the most open callouts:',
        commands: ['callout admin status'],
      },
      {
        say: 'Let these callouts be delivered, cancel them, or deactivate their webhooks: the days are then dropped within an hour.',
      },
    ],
  },
  keys: {
    title: 'SECRET_KEYS lacks a key in use',
    advice: [
      { say: 'See which keys are missing:', commands: ['callout admin keys status'] },
      {
        say: 'Put them back in SECRET_KEYS of every process, and restart it. Until then, nothing is sent for the webhooks concerned.',
      },
    ],
  },
  mail: {
    title: 'the mail server does not take mail',
    advice: [
      {
        say: 'See what the server answers: it is in the log of the workers, and on the page Mail of the console for operators.',
      },
      {
        say: 'Check SMTP_URL and MAIL_FROM, and restart the workers with the role notify. Mail that waits is then sent.',
      },
    ],
  },
} as const satisfies Record<string, { title: string; advice: readonly AlertStep[] }>;

export type InstallationAlertName = keyof typeof installationAlerts;
