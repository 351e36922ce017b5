import type { Client } from '@callout/database/connection/database';
import { timeOfId } from '@callout/database/schema/ids';
import type { WaitingMessages } from './status-sentences.rules.ts';
import { readWaitingMessages } from './waiting-messages.ts';
import { statementFrom } from '@callout/database/connection/statement/statement';

/** The callouts that are open now. */
export interface BacklogCounts extends WaitingMessages {
  readonly pendingEvents: {
    readonly count: number;
    /** Acceptance of the oldest; null when there is none. */
    readonly oldestDateTime: Date | null;
  };
  /** Each open callout counts once. */
  readonly openCallouts: {
    /** Callouts that a worker could send now. */
    readonly due: number;
    /** Since when the first of them could be sent. */
    readonly dueSinceDateTime: Date | null;
    readonly beingSent: number;
    /** Due, and behind calls of the same webhook that are under way: the receiver bears no more at a time. */
    readonly inLine: number;
    /** Due, and beyond what their webhooks allow (`maxCallsPerSecond`, `maxConcurrentCalls`). */
    readonly rate: number;
    /** Due, and waiting for a program to fetch them. */
    readonly toFetch: number;
    /** Due, but the webhook is paused until a call finds the receiver back. */
    readonly paused: number;
    /** Wait for the time of their next attempt. */
    readonly later: number;
    /** Wait for an earlier callout of their record. */
    readonly waiting: number;
    /** Held back by the threshold of their entity. */
    readonly held: number;
    /** Their webhook is inactive or deleted: they are cancelled in a moment. */
    readonly cancelling: number;
  };
  /** Webhooks whose receiver counts as down. */
  readonly pausedWebhooks: number;
  /** Webhooks with callouts that no program fetches. */
  readonly unfetchedWebhooks: number;
  readonly waitingMails: number;
  /**
   * Connections to this database: of APIs, of workers, and of all programs. `server` counts connections to all
   * databases of the server, and `most` is the limit of the server.
   */
  readonly connections: {
    readonly api: number;
    readonly worker: number;
    readonly all: number;
    readonly server: number;
    readonly most: number;
  };
}

/** The same, as an explanation for operators. */
export interface Backlog extends BacklogCounts {
  /** The webhooks with the most open callouts, most first. */
  readonly fullest: readonly FullWebhook[];
}

export interface FullWebhook {
  readonly tenantID: number;
  readonly tenantName: string;
  readonly entityType: string;
  readonly webhookID: number;
  readonly name: string;
  readonly isActive: boolean;
  readonly openCallouts: number;
  readonly pausedUntilDateTime: Date | null;
  /** As text. */
  readonly lastFailure: string | null;
}

/** Reads every open row: about a second per million. */
export async function readBacklog(client: Client, { mostWebhooks }: { mostWebhooks: number }): Promise<Backlog> {
  return { ...(await countBacklog(client)), fullest: await readFullest(client, [mostWebhooks]) };
}

/** Reads every open row once. */
export async function countBacklog(client: Client): Promise<BacklogCounts> {
  const [counts] = await readCounts(client, []);
  const waitingMessages = await readWaitingMessages(client);
  if (counts === undefined) throw new Error('a SELECT without FROM gave no row');
  const {
    events,
    oldestEvent,
    api,
    worker,
    all,
    server,
    most,
    pausedWebhooks,
    unfetchedWebhooks,
    waitingMails,
    ...openCallouts
  } = counts;
  return {
    pendingEvents: { count: events, oldestDateTime: oldestEvent === null ? null : timeOfId(oldestEvent) },
    openCallouts,
    pausedWebhooks,
    unfetchedWebhooks,
    waitingMails,
    ...waitingMessages,
    connections: { api, worker, all, server, most },
  };
}

type Counts = BacklogCounts['openCallouts'] &
  BacklogCounts['connections'] &
  Pick<BacklogCounts, 'pausedWebhooks' | 'unfetchedWebhooks' | 'waitingMails'> & {
    events: number;
    oldestEvent: string | null;
  };

// Each row is read once, and counted by webhook before anything is asked of the webhooks. The conditions are the
// conditions of a claim: of an inactive webhook only deactivation calls, of a paused webhook a single callout once the
// pause is over, and tests and deactivation calls in any case. Only a worker knows how many calls at a time a receiver
// bears. Calls under way show that a worker serves the webhook, as does a call that the rate of the webhook has allowed
// a moment ago.
const readCounts = statementFrom<Counts>('history:status/backlog_counts');

const readFullest = statementFrom<FullWebhook>('history:status/backlog_fullest');
