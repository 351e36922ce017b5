import type { Action } from '@callout/domain/event';
import type { Client } from '@callout/database/connection/database';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { newId } from '@callout/database/schema/ids';
import type { CalloutState } from '@callout/domain/callout/callout-filter';
import { statementFrom } from '@callout/database/connection/statement/statement';
import type { WebhookAddress } from '@callout/database/locked-webhook';
import { lockActiveWebhook, type RepairDeps } from './repairs.ts';

/** A sample callout, as requested by an integrator. */
export interface NewTest {
  action: Action;
  /** Makes the body, which may contain the id. */
  bodyOf: (calloutId: string) => string;
}

/** The result of a test so far. */
export interface TestResult {
  state: CalloutState;
  /** The only attempt; null before the attempt. */
  attempt: TestAttempt | null;
}

export interface TestAttempt {
  startedAt: Date;
  durationMs: number;
  url: string;
  /** Null when there was no response. */
  status: number | null;
  responseHeaders: Readonly<Record<string, string>> | null;
  /** Why the test was not delivered, as a sentence. */
  failure: string | null;
}

const store = statementFrom('repair/repair_store_test');

/**
 * Stores a test, due now, and enqueues the webhook.
 * @returns the id of the test.
 * @throws a Problem: `notFound` without the webhook, `conflict` when the webhook is inactive.
 */
export async function storeTest(
  { database: { pool }, enqueueDeliver }: RepairDeps,
  address: WebhookAddress,
  { action, bodyOf }: NewTest,
): Promise<string> {
  const id = newId();
  const key = await inTransaction(pool, async (transaction) => {
    const webhook = await lockActiveWebhook(transaction, address);
    await store(transaction, [id, address.tenantId, webhook.key, address.entityType, action, bodyOf(id)]);
    return webhook.key;
  });
  enqueueDeliver([key]);
  return id;
}

const readState = statementFrom<{ state: CalloutState }>('repair/repair_read_test_state');

const readAttempt = statementFrom<TestAttempt>('repair/repair_read_test_attempt');

/** The result of a test so far; called repeatedly, so no more is read than necessary. */
export async function readTestResult(client: Client, calloutId: string): Promise<TestResult> {
  const [callout] = await readState(client, [calloutId]);
  if (callout === undefined) throw new Error(`there is no test ${calloutId}`);
  if (callout.state === 'due') return { state: 'due', attempt: null };
  const [attempt] = await readAttempt(client, [calloutId]);
  return { state: callout.state, attempt: attempt ?? null };
}
