import { counted, durationInWords } from '@callout/pipeline/notify/text/words.rules';
import {
  type BlockingTransaction,
  blockingSentence,
  lateHealthEventsSentence,
  lateOperatorMessagesSentence,
  missingKeySentence,
  pendingEventsSentence,
  type RefusedMail,
  refusedMailSentence,
  type WaitingMessages,
} from './status-sentences.rules.ts';

/** The facts from which problems are derived. Times are of one clock. */
export interface InstallationFacts extends WaitingMessages {
  readonly now: Date;
  readonly processes: readonly {
    readonly service: 'api' | 'worker';
    readonly version: string;
    readonly host: string;
    readonly pid: number;
    readonly roles: readonly string[];
    readonly keyIDs: readonly string[];
    readonly checks: Readonly<Record<string, string>>;
    readonly isReady: boolean;
    readonly isGone: boolean;
    readonly seenDateTime: Date;
  }[];
  readonly oldestPendingEvent: Date | null;
  readonly dueSince: Date | null;
  readonly held: number;
  readonly pausedWebhooks: number;
  readonly unfetchedWebhooks: number;
  readonly blocking: readonly BlockingTransaction[];
  readonly connections: { readonly server: number; readonly most: number };
  readonly missingKeys: readonly { readonly keyId: string; readonly secrets: number }[];
  /** Whether this process reaches Redis. */
  readonly isRedisReady: boolean;
  /** Mail that the mail server refuses; null: no refused mail. */
  readonly refusedMail: (RefusedMail & { readonly since: Date }) | null;
  /** How long something may wait. */
  readonly patienceMs: number;
}

/** Pages of the console for operators, by their purpose. */
export type ProblemPage = 'keys' | 'mail' | 'queues' | 'tenants' | 'retention';

/** A notice for operators, with its remedy. */
export interface InstallationProblem {
  readonly kind: string;
  /** `urgent`: callouts are not sent, or soon will not be. */
  readonly severity: 'urgent' | 'notice';
  readonly sentence: string;
  readonly remedy: string;
  /** Where it can be done or seen; null: outside of the console. */
  readonly page: ProblemPage | null;
}

const rolesInWords = {
  match: 'no event is matched',
  deliver: 'no callout is sent',
  notify: 'no mail is sent',
  sweep: 'lost work is not found again, and no history is dropped',
} as const;
const mostConnections = 0.9;

/** The problems of an installation, the most urgent first. */
export function installationProblems(facts: InstallationFacts): InstallationProblem[] {
  const problems = [
    ...processProblems(facts),
    ...keyProblems(facts),
    ...waitingProblems(facts),
    ...outsideProblems(facts),
  ];
  return [
    ...problems.filter(({ severity }) => severity === 'urgent'),
    ...problems.filter(({ severity }) => severity === 'notice'),
  ];
}

function* processProblems({ processes, now }: InstallationFacts): Generator<InstallationProblem> {
  const running = processes.filter(({ isGone }) => !isGone);
  for (const [role, follows] of Object.entries(rolesInWords)) {
    if (running.some(({ roles }) => roles.includes(role))) continue;
    yield {
      kind: 'noWorker',
      severity: 'urgent',
      sentence: `No worker with the role ${role} is running: ${follows}.`,
      remedy: `Start a worker with ${role} in its WORKER_ROLES, or check its log to see why it does not start.`,
      page: null,
    };
  }
  for (const { service, host, pid, checks, isReady, isGone, seenDateTime } of processes) {
    const name = `The ${service === 'api' ? 'API' : 'worker'} on ${host} (process ${pid})`;
    if (isGone) {
      yield {
        kind: 'processGone',
        severity: 'notice',
        sentence: `${name} was last heard of ${durationInWords(now.getTime() - seenDateTime.getTime())} ago, and did not report that it was stopping.`,
        remedy: 'If another has replaced it, there is nothing to do; it is removed from this list after a day.',
        page: null,
      };
    } else if (!isReady) {
      const wrong = Object.entries(checks).filter(([, result]) => result !== 'ok');
      const why = wrong.map(([check, result]) => `${check} ${result}`).join('; ');
      yield {
        kind: 'notReady',
        severity: 'urgent',
        sentence: `${name} is not ready: ${why === '' ? 'it is stopping' : why}.`,
        remedy: 'Its log has the details, under the name of the check.',
        page: null,
      };
    }
  }
  const versions = [...new Set(running.map(({ version }) => version))].toSorted();
  if (versions.length > 1) {
    yield {
      kind: 'versions',
      severity: 'notice',
      sentence: `Processes of different versions are running: ${versions.join(', ')}.`,
      remedy: 'This is normal during an upgrade; restart those of the older version to complete it.',
      page: null,
    };
  }
}

function* keyProblems({ missingKeys, processes }: InstallationFacts): Generator<InstallationProblem> {
  for (const key of missingKeys) {
    yield {
      kind: 'missingKey',
      severity: 'urgent',
      sentence: missingKeySentence(key),
      remedy: 'Put the key back in SECRET_KEYS of every process, and restart it.',
      page: 'keys',
    };
  }
  const rings = new Set(processes.filter(({ isGone }) => !isGone).map(({ keyIDs }) => keyIDs.join(', ')));
  if (rings.size > 1) {
    yield {
      kind: 'keyRings',
      severity: 'notice',
      sentence: `Processes have different SECRET_KEYS: ${[...rings].map((ring) => `(${ring})`).join(' and ')}.`,
      remedy: 'Give all of them the same keys before any secret is encrypted with a key that one of them lacks.',
      page: 'keys',
    };
  }
}

function* waitingProblems(facts: InstallationFacts): Generator<InstallationProblem> {
  const { oldestPendingEvent, dueSince, held: heldCallouts, pausedWebhooks, unfetchedWebhooks, patienceMs } = facts;
  for (const blocking of facts.blocking) {
    yield {
      kind: 'blocked',
      severity: 'urgent',
      sentence: blockingSentence(blocking),
      remedy: `PostgreSQL ends it within seconds if it belongs to a process of Callout that does not go on. Any other program must end it; so does SELECT pg_terminate_backend(${blocking.pid}).`,
      page: null,
    };
  }
  if (oldestPendingEvent !== null && ageOf(facts, oldestPendingEvent) >= patienceMs) {
    yield {
      kind: 'pendingEvents',
      severity: 'urgent',
      sentence: pendingEventsSentence(ageOf(facts, oldestPendingEvent)),
      remedy:
        'Check that workers with the role match are ready, and look at their logs; start another if they are busy.',
      page: 'queues',
    };
  }
  if (dueSince !== null && ageOf(facts, dueSince) >= patienceMs) {
    yield {
      kind: 'dueCallouts',
      severity: 'urgent',
      sentence: `A callout that could be sent has been waiting for a worker for ${durationInWords(ageOf(facts, dueSince))}.`,
      remedy: 'Check that workers with the role deliver are ready; start another, or raise CALLOUTS_IN_FLIGHT.',
      page: 'queues',
    };
  }
  if (pausedWebhooks > 0) {
    yield {
      kind: 'paused',
      severity: 'notice',
      sentence: `${counted(pausedWebhooks, 'webhook is', 'webhooks are')} paused because ${pausedWebhooks === 1 ? 'its receiver is' : 'their receivers are'} down.`,
      remedy: `${pausedWebhooks === 1 ? 'Its owner gets' : 'Their owners get'} mail. One call at a time finds out when a receiver is back; then the rest is sent.`,
      page: null,
    };
  }
  if (unfetchedWebhooks > 0) {
    const isOne = unfetchedWebhooks === 1;
    yield {
      kind: 'unfetched',
      severity: 'notice',
      sentence: `Callouts of ${counted(unfetchedWebhooks, 'webhook')} wait to be fetched, and no program fetches them.`,
      remedy: `${isOne ? 'Its owner gets' : 'Their owners get'} mail. The callouts stay until a program fetches them, for 7 days at most.`,
      page: null,
    };
  }
  if (heldCallouts > 0) {
    yield {
      kind: 'held',
      severity: 'notice',
      sentence: `${counted(heldCallouts, 'callout is', 'callouts are')} held by thresholds.`,
      remedy: 'They are sent as the threshold has room again; a higher threshold of the tenant sends them sooner.',
      page: 'tenants',
    };
  }
}

function* outsideProblems(facts: InstallationFacts): Generator<InstallationProblem> {
  const { now, connections, isRedisReady, refusedMail } = facts;
  if (!isRedisReady) {
    yield {
      kind: 'redis',
      severity: 'urgent',
      sentence: 'This process cannot reach Redis. Nothing is lost: the sweep finds open work, but later than usual.',
      remedy: 'Check that Redis is running and that REDIS_URL is right.',
      page: null,
    };
  }
  if (connections.server >= mostConnections * connections.most) {
    yield {
      kind: 'connections',
      severity: 'urgent',
      sentence: `PostgreSQL has ${connections.server} of at most ${connections.most} connections.`,
      remedy: 'Raise max_connections, or lower DATABASE_POOL_SIZE; a process that gets none cannot work.',
      page: null,
    };
  }
  yield* messageProblems(facts);
  if (refusedMail !== null) {
    yield {
      kind: 'mail',
      severity: 'notice',
      sentence: refusedMailSentence(refusedMail, now.getTime() - refusedMail.since.getTime()),
      remedy: 'Check what the mail server answers, and SMTP_URL.',
      page: 'mail',
    };
  }
}

function* messageProblems(facts: InstallationFacts): Generator<InstallationProblem> {
  const { patienceMs, waitingHealthEvents: events, waitingOperatorMessages: messages } = facts;
  if (ageOf(facts, events.oldestDateTime) >= patienceMs) {
    yield {
      kind: 'healthEvents',
      severity: 'notice',
      sentence: lateHealthEventsSentence(events.count, ageOf(facts, events.oldestDateTime)),
      remedy:
        'Check that workers with the role sweep are ready, and look at their logs: webhooks about webhooks wait for them.',
      page: null,
    };
  }
  if (ageOf(facts, messages.oldestDateTime) >= patienceMs) {
    yield {
      kind: 'operatorMessages',
      severity: 'notice',
      sentence: lateOperatorMessagesSentence(messages.count, ageOf(facts, messages.oldestDateTime)),
      remedy:
        'Check OPERATOR_ALERT_URL, and that a worker with the role notify has it; its log says what was answered.',
      page: null,
    };
  }
}

function ageOf({ now }: InstallationFacts, since: Date | null): number {
  return since === null ? 0 : now.getTime() - since.getTime();
}
