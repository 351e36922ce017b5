import { isGivenUp, type Settlement } from '@callout/core/settle';
import type { Logger } from '@callout/runtime/log';
import type { DeliveryMetrics } from '../metrics/delivery-metrics.ts';
import type { SettledBatch } from '../settle/results.ts';
import { startSettle, type SettleStage } from '../settle/start.ts';
import { createAlarms } from './alarms.ts';
import { attempt, nothingLearned, type AttemptDeps } from './attempt.ts';
import type { CallResult } from './lanes/lane-limits.ts';
import { createLanes, type Lanes, type LanesDeps } from './lanes/lanes.ts';
import type { LeasedCallout } from './lease.ts';

export interface DeliveryDeps {
  lanes: Omit<LanesDeps, 'deliver' | 'onAwaited'>;
  attempt: AttemptDeps;
  settle: Omit<SettleStage, 'onSettled' | 'onKept'>;
  /** Told that a callout was given up, so that there may be mail to send. */
  onGivenUp: () => void;
  /** Told of what each commit stored, for those who watch. Must not wait. */
  onResults: (settlements: readonly Settlement[]) => void;
  /** Told of each call that was made. */
  metrics: Pick<DeliveryMetrics, 'onCall'>;
  log: Logger;
}

/** The way of callouts through this process, and what others may do with it. */
export interface Delivery {
  lanes: Lanes;
  /** Claims nothing more and waits until the callouts in hand are settled. */
  drain(): Promise<void>;
}

/**
 * Owns the way of a callout: lanes → attempt → settle. None of the three knows another. What settling finds out goes back
 * to the lanes here and nowhere else, and it is no callout: keys of webhooks that have something due, now or soon, and
 * whether results have to be kept, while which nothing more is claimed.
 */
export function createDelivery(deps: DeliveryDeps): Delivery {
  const lanes = createLanes({ ...deps.lanes, deliver, onAwaited: () => settling.hurry() });
  const alarms = createAlarms((webhookKeys) => lanes.enqueue(webhookKeys));
  const settling = startSettle({ ...deps.settle, onSettled, onKept: (areKept) => lanes.hold(areKept) });

  async function deliver(callout: LeasedCallout, answered: (result: CallResult) => void): Promise<void> {
    try {
      const settlement = await attempt(deps.attempt, callout, answered);
      if (settlement === null) return;
      deps.metrics.onCall({ callout, attempt: settlement.attempt });
      const settled = settling.settle(settlement, callout.leaseEndsAtMs);
      if (isGivenUp(settlement) || callout.kind === 'test' || lanes.isAwaited(callout)) settling.hurry();
      await settled;
    } catch (err) {
      answered(nothingLearned);
      deps.log.error(
        { err, calloutId: callout.id, webhookKey: callout.webhookKey },
        'attempt not made, or its result not stored: it is made again when its lease has ended',
      );
    }
  }

  function onSettled({ settlements, dueWebhookKeys }: SettledBatch): void {
    lanes.enqueue(dueWebhookKeys);
    for (const { callout, next } of settlements) {
      if (next.kind === 'retry') alarms.add(callout.webhookKey, next.waitMs);
    }
    if (settlements.some(isGivenUp)) deps.onGivenUp();
    deps.onResults(settlements);
  }

  return {
    lanes,
    async drain() {
      await lanes.drain();
      await settling.drain();
      alarms.stop();
    },
  };
}
