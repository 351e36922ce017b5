import type { CalloutRange } from '@callout/domain/callout/callout-filter';
import type { WebhookAddress } from '@callout/database/tables/locked-webhook';
import { cancelOne, cancelRange } from './cancel-callouts.ts';
import type { CalloutAddress } from './find-callout.ts';
import { redeliverOne, redeliverRange } from './redeliver/redeliver.ts';
import type { RepairDeps } from './repair-deps.ts';
import { retryOneNow, retryRangeNow } from './retry-now.ts';
import { readTestResult, storeTest, type NewTest, type TestResult } from './test-callout.ts';

/**
 * Repairs of the callouts of a webhook. Every method throws a Problem `notFound` when the webhook or the callout does
 * not exist.
 */
export interface CalloutRepairs {
  /**
   * Opens ended callouts of a range again.
   * @returns how many were opened.
   * @throws a Problem `conflict` when the webhook is inactive.
   */
  redeliverRange(webhook: WebhookAddress, range: CalloutRange): Promise<number>;
  /**
   * Opens one ended callout again, however it ended.
   * @returns 1, or 0 when it is open already.
   * @throws a Problem `conflict` when the webhook is inactive, or no event caused the call.
   */
  redeliverOne(callout: CalloutAddress): Promise<number>;
  /**
   * Sends callouts now that only wait for the time of their next attempt, and ends a pause of the webhook.
   * @returns the number of callouts.
   * @throws a Problem `conflict` when the webhook is inactive.
   */
  retryRangeNow(webhook: WebhookAddress, range: CalloutRange): Promise<number>;
  /**
   * Sends one callout now that only waits for the time of its next attempt.
   * @returns 1, or 0 when it waits for something else, is being sent or has ended.
   * @throws a Problem `conflict` when the webhook is inactive, or the callout is a test.
   */
  retryOneNow(callout: CalloutAddress): Promise<number>;
  /**
   * Cancels open callouts of a range, except deactivation calls and tests.
   * @returns how many were cancelled.
   */
  cancelRange(webhook: WebhookAddress, range: CalloutRange): Promise<number>;
  /**
   * Cancels one open callout, or a test.
   * @returns 1, or 0 when it has ended already.
   * @throws a Problem `conflict` for a deactivation call.
   */
  cancelOne(callout: CalloutAddress): Promise<number>;
  /**
   * Stores a test, due now.
   * @returns its id.
   * @throws a Problem `conflict` when the webhook is inactive.
   */
  storeTest(webhook: WebhookAddress, test: NewTest): Promise<string>;
  /** The result of a test so far. */
  readTestResult(calloutId: string): Promise<TestResult>;
}

export function createCalloutRepairs(deps: RepairDeps): CalloutRepairs {
  return {
    redeliverRange: (webhook, range) => redeliverRange(deps, webhook, range),
    redeliverOne: (callout) => redeliverOne(deps, callout),
    retryRangeNow: (webhook, range) => retryRangeNow(deps, webhook, range),
    retryOneNow: (callout) => retryOneNow(deps, callout),
    cancelRange: (webhook, range) => cancelRange(deps, webhook, range),
    cancelOne: (callout) => cancelOne(deps, callout),
    storeTest: (webhook, test) => storeTest(deps, webhook, test),
    readTestResult: (calloutId) => readTestResult(deps.pool, calloutId),
  };
}
