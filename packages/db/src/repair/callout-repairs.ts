import type { CalloutRange } from '../log/callouts/callout-filter.ts';
import type { WebhookAddress } from '../webhooks/webhook-address.ts';
import { cancelOne, cancelRange } from './cancel-callouts.ts';
import type { CalloutAddress } from './find-callout.ts';
import { redeliverOne, redeliverRange } from './redeliver/redeliver.ts';
import type { RepairDeps } from './repair-deps.ts';
import { readTestResult, storeTest, type NewTest, type TestResult } from './test-callout.ts';

/**
 * What can be done about callouts of a webhook. Everything throws a Problem `notFound` without such a webhook or
 * callout.
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
   * Cancels open callouts of a range, deactivation calls and tests apart.
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
  /** What has become of a test so far. */
  readTestResult(calloutId: string): Promise<TestResult>;
}

export function createCalloutRepairs(deps: RepairDeps): CalloutRepairs {
  return {
    redeliverRange: (webhook, range) => redeliverRange(deps, webhook, range),
    redeliverOne: (callout) => redeliverOne(deps, callout),
    cancelRange: (webhook, range) => cancelRange(deps, webhook, range),
    cancelOne: (callout) => cancelOne(deps, callout),
    storeTest: (webhook, test) => storeTest(deps, webhook, test),
    readTestResult: (calloutId) => readTestResult(deps.pool, calloutId),
  };
}
