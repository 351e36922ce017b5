import { backoffMs, type pause } from './backoff.ts';
import { ConsumeError } from './consume-error.ts';
import type { PullApi, Word } from './pull-api.ts';

export interface AcknowledgerDeps {
  readonly api: Pick<PullApi, 'acknowledge'>;
  /** Aborted: acknowledgements that were not sent by now are not sent. */
  readonly giveUp: AbortSignal;
  /** Called with failures that are tried again, and with acknowledgements that do not count. */
  readonly report: (error: ConsumeError) => void;
  /** Called with a failure after which no acknowledgement can be sent. */
  readonly onFinal: (error: ConsumeError) => void;
  readonly sleep: typeof pause;
}

export interface Acknowledger {
  /** Resolves when the API has the word, or cannot get it. */
  say(word: Word): Promise<void>;
}

/**
 * Reports the results of callouts to the API: at once, since the next callout of the record waits, and whatever is
 * acknowledged meanwhile in one later request. Repeating a request without an answer is safe.
 */
export function createAcknowledger({ api, giveUp, report, onFinal, sleep }: AcknowledgerDeps): Acknowledger {
  let waiting: { word: Word; resolve: () => void }[] = [];
  let isSending = false;

  async function sendAll(): Promise<void> {
    for (let failures = 0; waiting.length > 0;) {
      const batch = [...waiting];
      const words = batch.map(({ word }) => word);
      try {
        reportLost(words, await api.acknowledge(words, giveUp));
      } catch (error) {
        failures += 1;
        if (!giveUp.aborted && error instanceof ConsumeError && !error.isFinal) {
          report(error);
          await sleep(backoffMs(failures, error.retryAfterMs, Math.random()), giveUp);
          continue;
        }
        report(new ConsumeError(`Callouts that were not acknowledged, and are handed out again: ${batch.length}.`));
        if (error instanceof ConsumeError) onFinal(error);
      }
      failures = 0;
      waiting = waiting.slice(batch.length);
      for (const { resolve } of batch) resolve();
    }
  }

  function reportLost(words: readonly Word[], settled: Awaited<ReturnType<PullApi['acknowledge']>>): void {
    for (const { kind, ackID } of words) {
      const status = settled.get(ackID) ?? 'unknown';
      if (kind !== 'ack' || status === 'acked') continue;
      report(
        new ConsumeError(
          `The acknowledgement ${ackID} came too late (${status}): the callout was cancelled, or is handed out again.`,
        ),
      );
    }
  }

  return {
    async say(word) {
      const sending = new Promise<void>((resolve) => void waiting.push({ word, resolve }));
      if (!isSending) {
        isSending = true;
        void sendAll().finally(() => (isSending = false));
      }
      return sending;
    },
  };
}
