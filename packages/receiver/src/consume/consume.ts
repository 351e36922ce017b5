import { createHandling, type HandlingOptions, type ReceivedCallout } from '../receiver/handling.ts';
import type { Sends } from '../verify/callout.ts';
import { keysIn, type Secrets, type VerifyOptions } from '../verify/verify.ts';
import { createAcknowledger } from './acknowledger.ts';
import { backoffMs, pause } from './backoff.ts';
import { ConsumeError } from './consume-error.ts';
import { HandlingEnded, handlePulled } from './handle-pulled.ts';
import { type ConsumeCredential, createPullApi, type PulledCallout } from './pull-api.ts';
import { stopSignalOf } from './stop-signal.ts';

export interface ConsumeContext {
  /** Aborted when the time of this callout is over, or the consumer stops and can wait no longer. */
  readonly signal: AbortSignal;
}

export interface ConsumeOptions<Sent extends Sends = string> extends VerifyOptions, HandlingOptions<Sent> {
  /** Of the webhook: `https://callout.example.com/atservicesrest/v1.0/CompanyWebhooks/3`. */
  readonly url: string;
  readonly credential: ConsumeCredential;
  /**
   * Called once with each callout: creations, updates, deletions. The callout is acknowledged when the function
   * returns, and handed out again when the function throws, by the retry schedule. Throw {@link RetryLater} to say
   * when.
   */
  readonly handle: (callout: ReceivedCallout<Sent>, context: ConsumeContext) => unknown;
  /** Aborted: no more callouts are fetched, and the fetched ones are finished. Default: on SIGTERM and SIGINT. */
  readonly signal?: AbortSignal | undefined;
  /** The `secretKey` of the webhook, or several: then signatures are verified too. Not needed with `https:`. */
  readonly secrets?: Secrets;
  /** Callouts that are handled at a time, 1 to 500; never two callouts of a record. Default 10. Default 10. */
  readonly concurrency?: number | undefined;
  /**
   * How long a callout is kept from other consumers, 5 to 3600 s. Default 60. Handling may take as long, less up to 5 s
   * for the acknowledgement; a callout that needs longer counts as a failed attempt, and is handed out again.
   */
  readonly leaseSeconds?: number | undefined;
  /** How long the API waits when nothing is due, 1 to 60 s. Default 20. */
  readonly waitSeconds?: number | undefined;
  /** How long a stop waits for callouts that are being handled; then they are released. In seconds, default 20. */
  readonly drainSeconds?: number | undefined;
  /** Sends requests: for a proxy, or a certificate of your own. Default: the global one. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Waits so many milliseconds, or until the signal is aborted; for tests. */
  readonly sleep?: ((milliseconds: number, signal: AbortSignal) => Promise<void>) | undefined;
}

/** With more than half of its places in use, a consumer waits for so long before fetching for the free places. */
const LINGER_MS = 200;
/** A stopping API answers at once that nothing is due. */
const SHORTEST_WAIT_MS = 1_000;
/**
 * Callouts that the API has just handed out are on the way when a consumer is stopped: not to read them would cost an
 * attempt.
 */
const LAST_PULL_MS = 1_000;
/** For the last acknowledgements. */
const LAST_WORDS_MS = 5_000;
const givenBack = new HandlingEnded('The consumer was stopped before it had handled this callout.', 1);

/**
 * Fetches the callouts of a webhook whose `webhookUrl` is `pull:`, and hands each to your function once, those of a
 * record in order. Goes on until stopped, through outages of the API and the network.
 *
 * @template Sent the fields that the webhook sends, as for `createReceiver`.
 * @returns after the stop, when all fetched callouts are acknowledged or released.
 * @throws a final {@link ConsumeError}: the credential is refused or lacks the right, or the webhook does not exist, is
 * not active, or is not fetched. A `TypeError` or `RangeError` when an option is wrong.
 */
export async function consume<Sent extends Sends = string>(options: ConsumeOptions<Sent>): Promise<void> {
  const { handle, fetch: send = (url, init) => globalThis.fetch(url, init), sleep = pause } = options;
  const concurrency = within('concurrency', options.concurrency ?? 10, 1, 500);
  const leaseSeconds = within('leaseSeconds', options.leaseSeconds ?? 60, 5, 3_600);
  const waitSeconds = within('waitSeconds', options.waitSeconds ?? 20, 1, 60);
  const drainSeconds = within('drainSeconds', options.drainSeconds ?? 20, 0, 3_600);
  const handleMs = (leaseSeconds - Math.min(5, leaseSeconds / 5)) * 1_000;

  // A variable that is not set must not turn the verification off.
  if ('secrets' in options) keysIn(options.secrets);
  const api = createPullApi({ url: options.url, credential: options.credential, fetch: send });
  const handling = createHandling<Sent>({
    ...options,
    onError: options.onError ?? reportToConsole,
    onCallout: (callout, signal) => handle(callout, { signal: signal as AbortSignal }),
  });

  const stop = stopSignalOf(options.signal);
  const pulling = new AbortController();
  const fetched = new AbortController();
  const giveUp = new AbortController();
  let failure: unknown;
  function fail(error: unknown): void {
    failure ??= error;
    stop.abort();
  }
  const acknowledger = createAcknowledger({
    api,
    giveUp: giveUp.signal,
    report: (error) => handling.report(error),
    onFinal: fail,
    sleep,
  });

  /** What ends the handling of each callout that has a place, early. */
  const places = new Set<AbortController>();
  /** Callouts that the API does not know the result of yet. */
  let unreported = 0;
  let wake = (): void => undefined;
  async function until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) await new Promise<void>((resolve) => (wake = resolve));
  }

  async function take(pulled: PulledCallout): Promise<void> {
    const end = new AbortController();
    places.add(end);
    unreported += 1;
    const timer = setTimeout(
      () => end.abort(new HandlingEnded(`The consumer did not handle it within ${handleMs / 1_000} s.`)),
      handleMs,
    );
    const { response, over } = handlePulled(handling, pulled, end.signal, options);
    const word = await response;
    clearTimeout(timer);
    await acknowledger.say(word);
    unreported -= 1;
    wake();
    // A function that ignores its signal keeps its place: no more than `concurrency` functions run.
    await over;
    places.delete(end);
    wake();
  }

  async function fetchSome(): Promise<PulledCallout[]> {
    await until(() => stop.signal.aborted || places.size < concurrency);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      wake();
    }, LINGER_MS);
    await until(() => stop.signal.aborted || isLate || places.size <= concurrency / 2);
    clearTimeout(timer);
    if (stop.signal.aborted) return [];
    return api.pull({ max: concurrency - places.size, waitSeconds, leaseSeconds }, pulling.signal);
  }

  async function fetchAll(): Promise<void> {
    for (let failures = 0; !stop.signal.aborted;) {
      const startedAt = performance.now();
      try {
        const pulled = await fetchSome();
        for (const one of pulled) void take(one);
        failures = 0;
        if (pulled.length === 0 && performance.now() - startedAt < SHORTEST_WAIT_MS) {
          await sleep(backoffMs(1, null, Math.random()), stop.signal);
        }
      } catch (error) {
        if (stop.signal.aborted) return;
        if (!(error instanceof ConsumeError) || error.isFinal) {
          fail(error);
          return;
        }
        failures += 1;
        handling.report(error);
        await sleep(backoffMs(failures, error.retryAfterMs, Math.random()), stop.signal);
      }
    }
  }

  stop.signal.addEventListener('abort', () => {
    wake();
    void sleep(LAST_PULL_MS, fetched.signal).then(() => pulling.abort());
  });
  await fetchAll();
  fetched.abort();
  await drain();
  stop.forget();
  if (failure !== undefined) throw failure;

  async function drain(): Promise<void> {
    const timers = [
      setTimeout(() => {
        for (const end of places) end.abort(givenBack);
      }, drainSeconds * 1_000),
      setTimeout(() => giveUp.abort(), drainSeconds * 1_000 + LAST_WORDS_MS),
    ];
    await until(() => unreported === 0);
    for (const timer of timers) clearTimeout(timer);
  }
}

function within(name: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new RangeError(`${name} must be a whole number from ${least} to ${most}, and not ${value}.`);
}

/** Failures that are tried again need no stack. */
function reportToConsole(error: unknown, callout: { readonly id: string } | undefined): void {
  if (error instanceof ConsumeError || error instanceof HandlingEnded) console.warn(error.message);
  else
    console.error(
      callout === undefined ? 'A callout could not be read:' : `Callout ${callout.id} was not handled:`,
      error,
    );
}
