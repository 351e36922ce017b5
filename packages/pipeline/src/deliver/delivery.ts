import { isGivenUp, type Settlement } from '../settle/settlement.rules.ts';
import type { Logger } from '@callout/runtime/log/logger';
import type { DeliveryMetrics } from '../settle/delivery-metrics.ts';
import { createResults, type ResultsDeps, type SettledBatch } from '../settle/results.ts';
import { createAlarms } from './alarms.ts';
import { attempt, noSignal, type AttemptDeps } from './attempt.ts';
import type { CallResult } from './lane-slots.ts';
import { createLanes, type Lanes, type LanesDeps } from './lanes.ts';
import { createRateGates, type RateGatesDeps } from './rate-gates.ts';
import type { LeasedCallout } from './claim.ts';

export interface DeliveryDeps {
  lanes: Omit<LanesDeps, 'deliver' | 'onAwaited' | 'claim'>;
  rates: Omit<RateGatesDeps, 'enqueue' | 'alarm' | 'log'>;
  attempt: AttemptDeps;
  settle: Omit<ResultsDeps, 'onSettled' | 'onBuffering'>;
  /** Called when a callout was given up, so that there may be mail to send. */
  onGivenUp: () => void;
  /** Called with the results that a commit stored, for live views. Must not wait. */
  onResults: (settlements: readonly Settlement[]) => void;
  /** Counts each call that was made. */
  metrics: Pick<DeliveryMetrics, 'onCall'>;
  log: Logger;
}

/** Delivers the callouts of this process. */
export interface Delivery {
  lanes: Lanes;
  /** Claims nothing more and waits until all callouts in flight are settled. */
  drain(): Promise<void>;
}

/**
 * Connects the steps of a callout: lanes → attempt → settle. None of the three knows another. Only two things go back
 * from settling to the lanes: the keys of webhooks that have something due, now or soon, and whether results are being
 * buffered, during which nothing more is claimed.
 */
export function createDelivery(deps: DeliveryDeps): Delivery {
  const alarms = createAlarms((webhookKeys) => lanes.enqueue(webhookKeys));
  const gates = createRateGates({
    ...deps.rates,
    enqueue: (webhookKeys) => lanes.enqueue(webhookKeys),
    alarm: (webhookKey, waitMs) => alarms.add(webhookKey, waitMs),
    log: deps.log,
  });
  const lanes = createLanes({ ...deps.lanes, claim: gates.claim, deliver, onAwaited: () => results.hurry() });
  const results = createResults({
    ...deps.settle,
    onSettled,
    onBuffering: (isBuffering) => lanes.suspend(isBuffering),
  });

  async function deliver(callout: LeasedCallout, answered: (result: CallResult) => void): Promise<void> {
    try {
      const settlement = await attempt(deps.attempt, callout, answered).finally(() => gates.onCallOver(callout));
      if (settlement === null) return;
      deps.metrics.onCall({ callout, attempt: settlement.attempt });
      const settled = results.add(settlement, callout.leaseEndsAtMs);
      if (isGivenUp(settlement) || callout.kind === 'test' || lanes.isAwaited(callout)) results.hurry();
      await settled;
    } catch (err) {
      answered(noSignal);
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
      await gates.drain();
      await results.drain();
      alarms.stop();
    },
  };
}
