import type { ClockWatch } from '@callout/database/connection/clock-watch';
import type { JobConsumer } from '@callout/queue/consumer';
import type { Logger } from '@callout/runtime/log/logger';
import type { Lanes } from './lanes.ts';

interface ClockHaltDeps {
  readonly clock: Pick<ClockWatch, 'isRight' | 'problems'>;
  readonly lanes: Pick<Lanes, 'suspend'>;
  readonly consumer: Pick<JobConsumer, 'halt'>;
  readonly log: Logger;
}

const everyMs = 1_000;

/**
 * Claims nothing, and takes no jobs, while the clock of this process is wrong: receivers refuse signatures with a wrong
 * time. The callouts stay for other workers.
 */
export function startClockHalt({ clock, lanes, consumer, log }: ClockHaltDeps): { stop(): void } {
  let isHalted = false;

  function look(): void {
    if (isHalted !== clock.isRight()) return;
    isHalted = !isHalted;
    if (isHalted) log.error({ problems: clock.problems() }, 'nothing is sent: the clock of this process is wrong');
    else log.warn({}, 'callouts are sent again: the clock of this process is right');
    lanes.suspend('clock', isHalted);
    consumer.halt(isHalted);
  }

  look();
  const timer = setInterval(look, everyMs).unref();
  return { stop: () => clearInterval(timer) };
}
