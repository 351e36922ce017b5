import { judgeMail, type MailVerdict } from './write/mail-retry.rules.ts';
import type { MailOutcome, WrittenMail } from '@callout/domain/mail/mail-message';
import type { DueMail } from './store/due-mail.ts';
import { logRepeats } from '@callout/runtime/log/log-repeats';
import type { Logger } from '@callout/runtime/log/logger';
import type { OutgoingMail } from '@callout/outbound/mail';

export interface NotifyDeps {
  /** Gathers stored notifications into mails. */
  gather: () => Promise<unknown>;
  /** Claims up to `limit` due mails; no second worker sends a mail while the lease lasts. */
  claim: (limit: number) => Promise<DueMail[]>;
  write: (mail: DueMail) => WrittenMail;
  send: (mail: OutgoingMail) => Promise<MailOutcome>;
  /** Returns false when another worker has the lease by now. */
  settle: (mail: DueMail, verdict: MailVerdict) => Promise<boolean>;
  /** Maximum number of mails that are sent at the same time. */
  maxInFlight: number;
  /** Interval between looks for notifications to gather and due mails. */
  everyMs: number;
  random: () => number;
  /** Reports the result of each attempt to send a mail. */
  onMail: (state: MailVerdict['state']) => void;
  log: Logger;
}

/**
 * Sends due mails, `maxInFlight` at a time: new mail, next attempts, and mail of a worker that died.
 */
export function startMailLoop(deps: NotifyDeps) {
  const inHand = new Set<Promise<void>>();
  let filling: Promise<void> | null = null;
  let isTriggered = false;
  let isStopping = false;
  const onClaimFailed = logRepeats(deps.log, 'due mails could not be claimed; this is tried again');

  /** Looks for due mails now. */
  function trigger(): void {
    isTriggered = true;
    if (isStopping) return;
    filling ??= fill().finally(() => {
      filling = null;
      // A look was requested between the last look and now.
      if (isTriggered && inHand.size < deps.maxInFlight) trigger();
    });
  }

  async function fill(): Promise<void> {
    while (isTriggered && inHand.size < deps.maxInFlight) {
      isTriggered = false;
      if (isStopping) return;
      try {
        await deps.gather();
        for (const mail of await deps.claim(deps.maxInFlight - inHand.size)) start(mail);
      } catch (error) {
        onClaimFailed(error);
      }
    }
  }

  function start(mail: DueMail): void {
    const done: Promise<void> = notify(deps, mail).finally(() => {
      inHand.delete(done);
      trigger();
    });
    inHand.add(done);
  }

  const timer = setInterval(trigger, deps.everyMs);
  trigger();
  return {
    /** Starts no more mails, and waits for mails being sent. */
    async stop(): Promise<void> {
      isStopping = true;
      clearInterval(timer);
      await filling;
      await Promise.all(inHand);
    },
  };
}

/** Sends a mail and stores the result. */
async function notify(deps: NotifyDeps, mail: DueMail): Promise<void> {
  const { id: notificationId, kind, webhookKey, notificationCount } = mail;
  const about = { notificationId, kind, webhookKey, notificationCount };
  try {
    const outcome = await attempt(deps, mail);
    const verdict = judgeMail(outcome, { attemptNumber: mail.attempts + 1, ageMs: mail.ageMs }, deps.random);
    report(deps.log, about, verdict);
    deps.onMail(verdict.state);
    if (!(await deps.settle(mail, verdict)))
      deps.log.warn(about, 'the result of a mail came after another process had taken its lease');
  } catch (err) {
    // The lease ends, and then the mail is sent again with the Message-ID of before.
    deps.log.error({ err, ...about }, 'the result of a mail could not be stored');
  }
}

async function attempt({ write, send, log }: NotifyDeps, mail: DueMail): Promise<MailOutcome> {
  let written: WrittenMail;
  try {
    written = write(mail);
  } catch (err) {
    // Perhaps stored by another release: the next release may be able to read the notification.
    log.error({ err, notificationId: mail.id }, 'a mail could not be written');
    return { kind: 'notSent', reason: 'it could not be written' };
  }
  return send({ ...written, id: mail.id, recipient: mail.recipient });
}

function report(log: Logger, about: Record<string, unknown>, verdict: MailVerdict): void {
  if (verdict.state === 'sent') log.info(about, 'mail sent');
  else if (verdict.state === 'waiting') log.warn({ ...about, ...verdict }, 'mail not sent; trying again');
  else log.warn({ ...about, ...verdict }, 'mail failed');
}
