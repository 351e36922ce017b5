import { type Answer, answers } from './answer.ts';
import { bytesOf, type RawBody } from '../verify/bytes.ts';
import type { Callout, FieldValues, Sends } from '../verify/callout.ts';
import type { RequestHeaders } from '../verify/headers.ts';
import { newestFields, type OrderStore } from './order.ts';
import { readPayload } from '../verify/read-callout.ts';
import { createMemoryRepeatStore, type RepeatStore } from './repeats.ts';
import { RetryLater } from './retry-later.ts';
import { VerificationError } from '../verify/verification-error.ts';
import { type Secrets, verify, type VerifyOptions } from '../verify/verify.ts';

/** A callout to be handled. */
export interface ReceivedCallout<Sent extends Sends = string> extends Callout<Sent> {
  /** The `Fields` that no newer callout of the record has brought; all of them where the receiver has no `order`. */
  readonly newest: FieldValues<Sent>;
}

export interface ReceiverOptions<Sent extends Sends = string> extends VerifyOptions {
  /** The `secretKey` of the webhook, several, or a function that finds them by the webhook's `Guid`. */
  readonly secrets: Secrets | ((webhookGuid: string) => Secrets | Promise<Secrets>);
  /**
   * Told each callout once: creations, updates, deletions. Callout counts it as delivered when this returns, and sends
   * it again when this throws, or takes longer than the 10 s that Callout waits. Throw {@link RetryLater} to say when.
   */
  readonly onCallout: (callout: ReceivedCallout<Sent>) => unknown;
  /** Told when the webhook was deactivated or deleted, where its `deactivationUrl` points here. */
  readonly onDeactivated?: ((callout: Callout) => unknown) | undefined;
  /** Told a test of the integrator. It is answered like any callout; do nothing with its values. */
  readonly onTest?: ((callout: Callout<Sent>) => unknown) | undefined;
  /** Told what was thrown, and what was refused. Default: the console. */
  readonly onError?: ((error: unknown, callout: Callout<Sent> | undefined) => void) | undefined;
  /**
   * When to answer: `after-handler`, the default, loses nothing. `before-handler` answers at once and handles the
   * callout afterwards: for work that takes seconds. What fails then, or is under way when the process ends, is lost
   * unless you keep it yourself; Callout will not send it again.
   */
  readonly answer?: 'after-handler' | 'before-handler' | undefined;
  /** What was handled already. Default: in memory, for a receiver that is one process. */
  readonly repeats?: RepeatStore | undefined;
  /** Which values are the newest; see {@link ReceivedCallout.newest}. */
  readonly order?: OrderStore | undefined;
  /** A larger body is refused unread. Default 4 MiB. */
  readonly maxBodyBytes?: number | undefined;
}

/** What the runtime offers. */
export interface ReceiveContext {
  /** Keeps the process alive until a promise has settled, as edge runtimes do for `before-handler`. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

export interface Receiver {
  readonly maxBodyBytes: number;
  /** Verifies and handles one request, and says what to answer. Never throws. */
  receive(rawBody: RawBody, headers: RequestHeaders, context?: ReceiveContext): Promise<Answer>;
  /** Tells `onError` of a request that could not be read, and says what to answer. */
  refuse(error: unknown): Answer;
}

/**
 * Makes a receiver: it verifies each request, drops repeats, hands callouts to your function and says what to answer.
 * `@callout/receiver/node`, `/fetch` and `/fastify` put it behind an address.
 *
 * @template Sent the fields that the webhook sends, `createReceiver<'Phone' | 'CompanyName'>(...)`, or the interface that
 * `callout types` wrote of it: `createReceiver<CompaniesToTheShop>(...)`.
 */
export function createReceiver<Sent extends Sends = string>(options: ReceiverOptions<Sent>): Receiver {
  const { onError = reportToConsole, repeats = createMemoryRepeatStore(), maxBodyBytes = 4 * 1024 * 1024 } = options;

  async function receive(rawBody: RawBody, headers: RequestHeaders, context: ReceiveContext = {}): Promise<Answer> {
    let callout: Callout<Sent> | undefined;
    try {
      callout = await verify<Sent>(rawBody, headers, await secretsFor(rawBody), options);
      if (callout.isTest) {
        await options.onTest?.(callout);
        return answers.received;
      }
      return await handleOnce(callout, context);
    } catch (error) {
      return refuse(error, callout);
    }
  }

  async function secretsFor(rawBody: RawBody): Promise<Secrets> {
    const { secrets } = options;
    if (typeof secrets !== 'function') return secrets;
    // Not verified yet: it only chooses the secret that the signature is held against.
    return secrets(readPayload(bytesOf(rawBody)).Guid);
  }

  async function handleOnce(callout: Callout<Sent>, context: ReceiveContext): Promise<Answer> {
    // X-Hook-Signature does not need webhook-id: without it, there is nothing to know a repeat by.
    const state = callout.id === '' ? 'new' : await repeats.begin(callout.id);
    if (state === 'done') return answers.repeat;
    if (state === 'running') return answers.running;
    if (options.answer !== 'before-handler') {
      await handle(callout);
      return answers.received;
    }
    const work = handle(callout).catch((error: unknown) => report(error, callout));
    context.waitUntil?.(work);
    return answers.accepted;
  }

  async function handle(callout: Callout<Sent>): Promise<void> {
    try {
      await callHandler(callout);
    } catch (error) {
      if (callout.id !== '') await repeats.forget(callout.id);
      throw error;
    }
    if (callout.id !== '') await repeats.done(callout.id);
  }

  async function callHandler(callout: Callout<Sent>): Promise<void> {
    if (callout.payload.Action === 'Deactivated') {
      await options.onDeactivated?.(callout);
      return;
    }
    const newest = options.order === undefined ? fieldsOf(callout) : await newestFields(callout, options.order);
    await options.onCallout({ ...callout, newest });
  }

  function refuse(error: unknown, callout?: Callout<Sent>): Answer {
    report(error, callout);
    if (error instanceof VerificationError) return answers.refused(error);
    return error instanceof RetryLater ? answers.retryLater(error.seconds) : answers.failed;
  }

  /** A log that fails must not decide what is answered. */
  function report(error: unknown, callout: Callout<Sent> | undefined): void {
    try {
      onError(error, callout);
    } catch (failure) {
      console.error(failure, error);
    }
  }

  return { maxBodyBytes, receive, refuse };
}

function fieldsOf<Sent extends Sends>({ payload }: Callout<Sent>): FieldValues<Sent> {
  return (payload as Callout['payload']).Fields as FieldValues<Sent>;
}

function reportToConsole(error: unknown, callout: Callout | undefined): void {
  if (error instanceof VerificationError) console.warn(`A request was refused (${error.code}): ${error.message}`);
  else if (callout === undefined) console.error('A request could not be read:', error);
  else console.error(`Callout ${callout.id} was not handled:`, error);
}
