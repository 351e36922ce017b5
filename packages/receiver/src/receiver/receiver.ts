import { type Answer, answers } from './answer.ts';
import { bytesOf, type RawBody } from '../verify/bytes.ts';
import type { Callout, Sends } from '../verify/callout.ts';
import type { RequestHeaders } from '../verify/headers.ts';
import { createHandling, type HandlingOptions, type ReceivedCallout } from './handling.ts';
import { readCallout } from '../verify/read-callout.ts';
import { RetryLater } from './retry-later.ts';
import { VerificationError } from '../verify/verification-error.ts';
import { type Secrets, verify, type VerifyOptions } from '../verify/verify.ts';

export interface ReceiverOptions<Sent extends Sends = string> extends VerifyOptions, HandlingOptions<Sent> {
  /**
   * The `secretKey` of the webhook, or the `signingPublicKey` where the signatureKind is ed25519 or both; several; the
   * public keys at an address (`publicKeysAt`); or a function that finds them by the webhook's `Guid`.
   */
  readonly secrets: Secrets | ((webhookGuid: string) => Secrets | Promise<Secrets>);
  /**
   * Called once with each callout: creations, updates, deletions. Callout counts the callout as delivered when the
   * function returns, and sends the callout again when the function throws, or takes longer than the 10 s that Callout
   * waits. Throw {@link RetryLater} to say when.
   */
  readonly onCallout: (callout: ReceivedCallout<Sent>) => unknown;
  /**
   * When to answer: `after-handler`, the default, loses nothing. `before-handler` answers at once and handles the
   * callout afterwards: for work that takes seconds. Work that fails afterwards, or is under way when the process ends,
   * is lost unless you keep the callout yourself; Callout will not send the callout again.
   */
  readonly answer?: 'after-handler' | 'before-handler' | undefined;
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
  /** Reports a request that could not be read to `onError`, and says what to answer. */
  refuse(error: unknown): Answer;
}

/**
 * Makes a receiver: it verifies each request, drops repeats, hands callouts to your function and says what to answer.
 * `@callout/receiver/node`, `/fetch` and `/fastify` put it behind an address.
 *
 * @template Sent the fields that the webhook sends, `createReceiver<'Phone' | 'CompanyName'>(...)`, or the interface
 * that `callout types` wrote: `createReceiver<CompaniesToTheShop>(...)`.
 */
export function createReceiver<Sent extends Sends = string>(options: ReceiverOptions<Sent>): Receiver {
  const { secrets, maxBodyBytes = 4 * 1024 * 1024 } = options;
  const handling = createHandling(options);

  async function receive(rawBody: RawBody, headers: RequestHeaders, context: ReceiveContext = {}): Promise<Answer> {
    let callout: Callout<Sent> | undefined;
    try {
      callout = await verify<Sent>(rawBody, headers, await secretsFor(rawBody), options);
      return await handleOnce(callout, context);
    } catch (error) {
      return refuse(error, callout);
    }
  }

  async function secretsFor(rawBody: RawBody): Promise<Secrets> {
    if (typeof secrets !== 'function') return secrets;
    // Not verified yet: the GUID only chooses the secret for the check of the signature.
    return secrets(readCallout(bytesOf(rawBody)).payload.Guid);
  }

  async function handleOnce(callout: Callout<Sent>, context: ReceiveContext): Promise<Answer> {
    const state = await handling.begin(callout);
    if (state === 'done') return answers.repeat;
    if (state === 'running') return answers.running;
    if (options.answer !== 'before-handler' || callout.isTest) {
      await handling.handle(callout);
      return answers.received;
    }
    const work = handling.handle(callout).catch((error: unknown) => handling.report(error, callout));
    context.waitUntil?.(work);
    return answers.accepted;
  }

  function refuse(error: unknown, callout?: Callout<Sent>): Answer {
    handling.report(error, callout);
    if (error instanceof VerificationError) return answers.refused(error);
    return error instanceof RetryLater ? answers.retryLater(error.seconds) : answers.failed;
  }

  return { maxBodyBytes, receive, refuse };
}
