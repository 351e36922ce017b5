import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { Problem } from '@callout/domain/problem';
import { listProcesses } from '@callout/database/processes';
import { findCallout } from '@callout/history/log/callouts/callout-log';
import { waitsFor } from '@callout/history/log/waits-for.rules';
import { failureOf, noteOf } from '@callout/history/log/callouts/callout-item';
import {
  readTestResult,
  storeTest,
  type TestAttempt,
  type TestResult as StoredTest,
} from '@callout/pipeline/repair/test-callout';
import type { ApiContext } from '../../api-context.ts';
import type { Endpoint } from '../../http/route/endpoint.ts';
import { userDefinedFieldsOf } from '../events/user-defined-fields.ts';
import type { TestResult } from './repair-schemas.ts';
import { testOperation } from './repair-operations.ts';
import { addressOf, judgedWebhookOf, webhookEndpoint } from '../webhooks/webhook-endpoint.ts';
import { sampleBody } from '../webhooks/sample-fields.ts';
import type { TestPlaces } from './test-places.ts';

const RETRY_AFTER_S = 5;
/** The time of a test besides the call: the way to the worker and back. */
const TEST_MARGIN_MS = 5_000;
const action = 'Update' as const;

/**
 * `POST /X/{id}/test`: sends a signed sample, an update of no record, in the way of a callout, and waits for the only
 * attempt.
 * @param places shared by the tests of all entities.
 */
export function sendTest(api: ApiContext, entity: EntityDefinition, places: TestPlaces): Endpoint {
  const { entityType } = entity;
  return {
    mayWait: true,
    ...webhookEndpoint(api, entity, 'write', testOperation, async (call) => {
      const { tenantId, personId } = call.caller;
      const { subscription, now } = await judgedWebhookOf(api, entity, call);
      if (!subscription.isActive)
        throw Problem.conflict('The webhook is not active: PATCH it with "isActive": true first');
      if (api.queueProblem() !== null)
        throw Problem.unavailable('No worker can be reached to send a test', RETRY_AFTER_S);
      const place = places.enter(tenantId);
      try {
        const udfs = await userDefinedFieldsOf(api, entity, tenantId);
        const { webhookGuid } = subscription;
        const envelope = { action, webhookGuid, entityType, recordId: 0, eventTime: now, sequenceNumber: 0, personId };
        const calloutId = await storeTest(api, addressOf(entity, call), {
          action,
          bodyOf: (id) => sampleBody({ id, ...envelope }, subscription, entity, udfs.all),
        });
        const { state, attempt } = await waitForTest({
          read: () => readTestResult(api.database.pool, calloutId),
          waitMs: api.config.CALLOUT_TIMEOUT_MS + TEST_MARGIN_MS,
          isOver: () => api.isStopping() || !place.isHeld(),
        });
        return {
          status: 202,
          body: {
            calloutID: calloutId,
            state,
            attempt: attempt && attemptItem(attempt),
            notMadeBecause: attempt === null ? await whyNotMade(api, tenantId, calloutId) : null,
          } satisfies TestResult,
        };
      } finally {
        place.leave();
      }
    }),
  };
}

/** Why a test has no attempt yet, or ended without an attempt. */
async function whyNotMade(api: ApiContext, tenantId: number, calloutId: string): Promise<string> {
  const callout = await findCallout(api.search, tenantId, null, calloutId);
  const reason = callout && waitsFor(callout, api.keyRing.keyIds);
  if (!reason) return callout?.cancellation?.message ?? 'It has ended, and its attempt is no longer kept.';
  if (reason.reason !== 'worker') return reason.message;
  const senders = (await listProcesses(api.database.pool)).filter(({ roles }) => roles.includes('deliver'));
  if (senders.every(({ isGone }) => isGone))
    return 'No worker that sends callouts is running: its operator can start one.';
  if (!senders.some(({ isReady }) => isReady))
    return 'No worker that sends callouts is ready: its /readyz has the reason.';
  return reason.message;
}

function attemptItem(attempt: TestAttempt) {
  const { startedAt, durationMs, url, status } = attempt;
  return {
    startDateTime: startedAt.toISOString(),
    durationMs,
    url,
    status,
    failure: failureOf(attempt),
    note: noteOf(attempt),
  };
}

interface Waiting {
  readonly read: () => Promise<StoredTest>;
  readonly waitMs: number;
  /** Whether the wait has to end early. */
  readonly isOver: () => boolean;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 250;

/** Polls until the test has ended, the time is over, or the wait has to end; then returns the present state. */
export async function waitForTest({ read, waitMs, isOver }: Waiting): Promise<StoredTest> {
  const endMs = performance.now() + waitMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    const result = await read();
    const leftMs = endMs - performance.now();
    if (result.state !== 'due' || leftMs <= 0 || isOver()) return result;
    await sleep(Math.min(pauseMs, leftMs));
  }
}
