import { setTimeout as sleep } from 'node:timers/promises';
import type { CaughtMail, MailCatcher } from '@callout/local/mail';
import type { ReceivedCallout, Receiver } from '@callout/local/receiver';
import { CannotGoOn } from './cannot-go-on.ts';

/** The expected properties of a callout. */
export interface ExpectedCallout {
  readonly action: 'Create' | 'Update' | 'Delete' | 'Deactivated';
  readonly sequenceNumber: number;
  readonly fields: Readonly<Record<string, string | null>>;
}

const PATIENCE_MS = 30_000;

/**
 * Waits for the callout with that sequence number at the receiver.
 * @throws CannotGoOn when it does not come, or is not as expected.
 */
export async function awaitCallout(receiver: Receiver, expected: ExpectedCallout): Promise<ReceivedCallout> {
  const { sequenceNumber } = expected;
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    const callout = (await receiver.callouts()).filter((one) => !one.isRepeat)[sequenceNumber - 1];
    if (callout) {
      mustBe(expected, callout);
      return callout;
    }
    await sleep(10);
  }
  throw new CannotGoOn(`Callout ${sequenceNumber} did not arrive within ${PATIENCE_MS / 1000} s.`);
}

/**
 * Waits until a mail with a subject has come to so many recipients. The name of the installation may be before the
 * subject.
 * @throws CannotGoOn when no mail comes.
 */
export async function awaitMails(inbox: MailCatcher, subject: string, count: number): Promise<CaughtMail[]> {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    const mails = inbox.messages().filter((mail) => mail.subject.endsWith(subject));
    if (mails.length >= count) return mails;
    await sleep(10);
  }
  throw new CannotGoOn(`The mail "${subject}" did not arrive within ${PATIENCE_MS / 1000} s.`);
}

function mustBe({ action, sequenceNumber, fields }: ExpectedCallout, callout: ReceivedCallout): void {
  const body = JSON.parse(callout.body) as { Action: string; SequenceNumber: number; Fields: unknown };
  const isRight =
    body.Action === action &&
    body.SequenceNumber === sequenceNumber &&
    JSON.stringify(body.Fields) === JSON.stringify(fields);
  if (!isRight) {
    const wanted = `${action}, SequenceNumber ${sequenceNumber}, Fields ${JSON.stringify(fields)}`;
    throw new CannotGoOn(`The callout should be: ${wanted}. It is: ${callout.body}`);
  }
  const { webhookSignature, verifiedBy, hookSignature } = callout;
  if (verifiedBy.length < 2 || hookSignature !== 'verified') {
    throw new CannotGoOn(
      `The signatures are not right: webhook-signature ${webhookSignature}, by ${verifiedBy.join(' and ') || 'nothing'}; X-Hook-Signature ${hookSignature}.`,
    );
  }
}
