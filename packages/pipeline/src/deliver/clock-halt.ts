import type { ClockWatch } from '@callout/database/connection/clock-watch';
import type { JobConsumer } from '@callout/queue/consumer';
import type { Logger } from '@callout/runtime/log/logger';
import type { Engine } from './engine/engine.ts';

interface ClockHaltDeps {
  readonly clock: Pick<ClockWatch, 'isRight' | 'problems'>;
  readonly engine: Pick<Engine, 'suspend'>;
  readonly consumer: Pick<JobConsumer, 'halt'>;
  readonly log: Logger;
}

const everyMs = 1_000;

/**
 * Claims nothing, and takes no jobs, while the clock of this process is wrong: receivers refuse signatures with a wrong
 * time. The callouts stay for other workers.
 */
export function startClockHalt({ clock, engine, consumer, log }: ClockHaltDeps): { stop(): void } {
  let isHalted = false;

  function look(): void {
    if (isHalted !== clock.isRight()) return;
    isHalted = !isHalted;
    if (isHalted) log.error({ problems: clock.problems() }, 'nothing is sent: the clock of this process is wrong');
    else log.warn({}, 'callouts are sent again: the clock of this process is right');
    engine.suspend('clock', isHalted);
    consumer.halt(isHalted);
  }

  look();
  const timer = setInterval(look, everyMs).unref();
  return { stop: () => clearInterval(timer) };
}
