import type { Ledger } from '../ledger.ts';
import type { Callout, FieldValues, Sends } from '../verify/callout.ts';
import { VerificationError } from '../verify/verification-error.ts';
import { newestFields, type OrderStore } from './order.ts';
import { createMemoryRepeatStore, type RepeatState, type RepeatStore } from './repeats.ts';

/** A callout to be handled. */
export interface ReceivedCallout<Sent extends Sends = string> extends Callout<Sent> {
  /** The `Fields` that no newer callout of the record has brought; all of them where the receiver has no `order`. */
  readonly newest: FieldValues<Sent>;
}

/** What receivers and consumers have in common. */
export interface HandlingOptions<Sent extends Sends = string> {
  /** Called when the webhook was deactivated or deleted, where its `deactivationUrl` points here. */
  readonly onDeactivated?: ((callout: Callout) => unknown) | undefined;
  /** Called with a test of the integrator. Answered like any callout; do nothing with the values. */
  readonly onTest?: ((callout: Callout<Sent>) => unknown) | undefined;
  /** Called with what was thrown, and what was refused. Default: the console. */
  readonly onError?: ((error: unknown, callout: Callout<Sent> | undefined) => void) | undefined;
  /** What was handled already. Default: in memory, for a receiver with a single process. */
  readonly repeats?: RepeatStore | undefined;
  /** Notes the sequence numbers of handled callouts. */
  readonly ledger?: Pick<Ledger, 'add'> | undefined;
  /** Which values are the newest; see {@link ReceivedCallout.newest}. */
  readonly order?: OrderStore | undefined;
}

interface HandlingDeps<Sent extends Sends> extends HandlingOptions<Sent> {
  readonly onCallout: (callout: ReceivedCallout<Sent>, signal: AbortSignal | undefined) => unknown;
}

/** Hands each callout over once. */
export interface Handling<Sent extends Sends> {
  /** Only what is `new` is to be handled. A test always is. */
  begin(callout: Callout<Sent>): Promise<RepeatState>;
  /**
   * Handles a callout that has begun, and remembers the callout. Rejects with the error of the handler: then the
   * callout may begin again.
   */
  handle(callout: Callout<Sent>, signal?: AbortSignal): Promise<void>;
  /** Calls `onError`, and never throws. */
  report(error: unknown, callout?: Callout<Sent>): void;
}

export function createHandling<Sent extends Sends>(deps: HandlingDeps<Sent>): Handling<Sent> {
  const { onCallout, onDeactivated, onTest, order, ledger } = deps;
  const { onError = reportToConsole, repeats = createMemoryRepeatStore() } = deps;

  /** X-Hook-Signature does not need webhook-id: without it, there is nothing to know a repeat by. */
  const isRemembered = ({ id, isTest }: Callout<Sent>) => id !== '' && !isTest;

  async function call(callout: Callout<Sent>, signal: AbortSignal | undefined): Promise<void> {
    if (callout.isTest) await onTest?.(callout);
    else if (callout.payload.Action === 'Deactivated') await onDeactivated?.(callout);
    else {
      const newest = order === undefined ? fieldsOf(callout) : await newestFields(callout, order);
      await onCallout({ ...callout, newest }, signal);
    }
  }

  return {
    async begin(callout) {
      return isRemembered(callout) ? repeats.begin(callout.id) : 'new';
    },
    async handle(callout, signal) {
      try {
        await call(callout, signal);
        await ledger?.add(callout);
      } catch (error) {
        if (isRemembered(callout)) await repeats.forget(callout.id);
        throw error;
      }
      if (isRemembered(callout)) await repeats.done(callout.id);
    },
    report(error, callout) {
      try {
        onError(error, callout);
      } catch (failure) {
        // A log that fails must not decide what is answered.
        console.error(failure, error);
      }
    },
  };
}

function fieldsOf<Sent extends Sends>({ payload }: Callout<Sent>): FieldValues<Sent> {
  return (payload as Callout['payload']).Fields as FieldValues<Sent>;
}

function reportToConsole(error: unknown, callout: Pick<Callout, 'id'> | undefined): void {
  if (error instanceof VerificationError) console.warn(`A request was refused (${error.code}): ${error.message}`);
  else if (callout === undefined) console.error('A request could not be read:', error);
  else console.error(`Callout ${callout.id} was not handled:`, error);
}
