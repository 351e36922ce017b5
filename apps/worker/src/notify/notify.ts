import { judgeMail, type MailOutcome, type MailVerdict, type WrittenMail } from '@callout/core/mail';
import type { DueMail } from '@callout/db/mail';
import { type Logger, logRepeats } from '@callout/runtime/log';
import type { OutgoingMail } from '../outbound/mail/mail.ts';

export interface NotifyDeps {
  /** Puts mails together of what was stored for it. */
  gather: () => Promise<unknown>;
  /** Claims up to `limit` due mails; no other worker sends them while the lease lasts. */
  claim: (limit: number) => Promise<DueMail[]>;
  write: (mail: DueMail) => WrittenMail;
  send: (mail: OutgoingMail) => Promise<MailOutcome>;
  /** False when another worker has the lease by now. */
  settle: (mail: DueMail, verdict: MailVerdict) => Promise<boolean>;
  /** Mails handed to the server at the same time. */
  maxInFlight: number;
  /** Notifications to gather and due mails are looked for this often, and when told. */
  everyMs: number;
  random: () => number;
  /** Told what became of each try to send a mail. */
  onMail: (state: MailVerdict['state']) => void;
  log: Logger;
}

export interface Notify {
  /** Looks for due mails now. */
  trigger(): void;
  /** Takes no more, and waits for those in hand. */
  stop(): Promise<void>;
}

/**
 * Sends due mails, `maxInFlight` at a time. The timer of this process finds what no job names: mail that was stored while
 * Redis was away, next attempts, and what a worker that died had in hand.
 */
export function startMailLoop(deps: NotifyDeps): Notify {
  const inHand = new Set<Promise<void>>();
  let filling: Promise<void> | null = null;
  let isTriggered = false;
  let isStopping = false;
  const onClaimFailed = logRepeats(deps.log, 'due mails could not be claimed; this is tried again');

  function trigger(): void {
    isTriggered = true;
    if (isStopping) return;
    filling ??= fill().finally(() => {
      filling = null;
      // Triggered between the last look and now.
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
    trigger,
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await filling;
      await Promise.all(inHand);
    },
  };
}

/** Sends one mail and stores what became of it. */
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
    // Its lease lapses, and then it is sent again with the same Message-ID.
    deps.log.error({ err, ...about }, 'the result of a mail could not be stored');
  }
}

async function attempt({ write, send, log }: NotifyDeps, mail: DueMail): Promise<MailOutcome> {
  let written: WrittenMail;
  try {
    written = write(mail);
  } catch (err) {
    // Stored by another release, perhaps: the next one may know how to read it.
    log.error({ err, notificationId: mail.id }, 'a mail could not be written');
    return { kind: 'notSent', reason: 'it could not be written' };
  }
  return send({ ...written, id: mail.id, recipient: mail.recipient });
}

function report(log: Logger, about: Record<string, unknown>, verdict: MailVerdict): void {
  if (verdict.state === 'sent') log.info(about, 'mail sent');
  else if (verdict.state === 'waiting') log.warn({ ...about, ...verdict }, 'mail not sent; trying again');
  else log.warn({ ...about, ...verdict }, 'mail given up');
}
