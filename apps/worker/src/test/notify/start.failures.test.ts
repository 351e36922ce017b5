import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { writeMail } from '@callout/pipeline/notify/write/write-mail.rules';
import { claimDueMail, settleMail } from '@callout/pipeline/notify/store/due-mail';
import { gatherMail } from '@callout/pipeline/notify/store/gather-mail';
import { eventually } from '@callout/testing';
import { startMailLoop, type NotifyDeps } from '@callout/pipeline/notify/notify';
import { createMailer } from '@callout/outbound/mail';
import { createNotifySetup, type MailRow, type NotifySetup } from './notify.fixture.ts';

let setup: NotifySetup;
beforeAll(async () => {
  setup = await createNotifySetup();
});
beforeEach(() => setup.begin());
afterEach(() => setup.end());
afterAll(() => setup.close());

describe('a mail that is not delivered', () => {
  it('is refused by a recipient for good, and the other gets the mail', async () => {
    await setup.addAddress('gone@example.com');
    setup.server().script('gone@example.com', { to: 'recipient', code: 550, text: '5.1.1 who is that' });
    await setup.store(setup.aNotification());
    setup.startWorker();
    await eventually(async () =>
      expect(await setup.rows()).toEqual([
        expect.objectContaining({
          recipient: 'gone@example.com',
          state: 'refused',
          lastError: expect.stringContaining('550 5.1.1 who is that'),
          isLeased: false,
        }),
        expect.objectContaining({ recipient: 'owner@example.com', state: 'sent', lastError: null, isLeased: false }),
      ]),
    );
    expect(setup.server().offers('gone@example.com')).toBe(1);
  });

  it('is never sent to a domain that the operator has not allowed', async () => {
    await setup.addAddress('stranger@example.net');
    await setup.store(setup.aNotification());
    setup.startWorker({ MAIL_DOMAINS: 'example.com' });
    await eventually(async () =>
      expect(await setup.states()).toEqual([
        ['owner@example.com', 'sent', 1],
        ['stranger@example.net', 'refused', 1],
      ]),
    );
    expect(setup.server().offers('stranger@example.net')).toBe(0);
  });

  it('is retried after a temporary refusal, with growing waits, and sent once', async () => {
    setup
      .server()
      .script('owner@example.com', (nth) =>
        nth <= 2 ? { to: 'recipient', code: 451, text: 'come back later' } : 'take',
      );
    await setup.store(setup.aNotification());
    let begunMs = performance.now();
    setup.startWorker();
    for (const [attempts, leastS, mostS] of [
      [1, 24, 36],
      [2, 48, 72],
    ] as const) {
      await eventually(async () => expect(await setup.states()).toEqual([['owner@example.com', 'waiting', attempts]]));
      const waitS = (await setup.rows())[0]?.waitS ?? 0;
      expect(waitS).toBeLessThanOrEqual(mostS);
      // Some of the wait is over by now: no more than has passed since before the attempt.
      expect(waitS + (performance.now() - begunMs) / 1000).toBeGreaterThanOrEqual(leastS);
      begunMs = performance.now();
      await setup.makeDue();
    }
    await eventually(async () => expect(await setup.states()).toEqual([['owner@example.com', 'sent', 3]]));
    expect(setup.server().mails()).toHaveLength(1);
  });

  it('is retried when a slow server did not accept it in time', async () => {
    // Not only the first one: on a busy machine the time may be over before one is offered.
    let isSlow = true;
    setup.server().script('owner@example.com', () => (isSlow ? 'hang' : 'take'));
    await setup.store(setup.aNotification());
    const impatient = setup.startWorker({}, { mailTimeoutMs: 300 });
    await eventually(async () => expect(await setup.states()).toEqual([['owner@example.com', 'waiting', 1]]));
    expect((await setup.rows())[0]?.lastError).toBe('it took longer than 300 ms');
    await impatient.stop();
    isSlow = false;
    setup.startWorker();
    await setup.makeDue();
    await eventually(async () => expect(await setup.states()).toEqual([['owner@example.com', 'sent', 2]]));
    // The server may have delivered both: their Message-ID shows the reader that they are one.
    expect(new Set(setup.messageIds()).size).toBe(1);
  });

  it('fails after 7 days, and not before', async () => {
    setup.server().script('owner@example.com', { to: 'recipient', code: 450, text: 'never' });
    await setup.store(setup.aNotification());
    await setup.age('6 days 23 hours');
    setup.startWorker();
    await eventually(async () => expect(await setup.states()).toEqual([['owner@example.com', 'waiting', 1]]));
    await setup.age('7 days');
    await setup.makeDue();
    await eventually(async () => expect(await setup.states()).toEqual([['owner@example.com', 'failed', 2]]));
    expect((await setup.rows())[0]?.lastError).toContain('450 never');
  });

  it('does not delay other mails when it hangs, also when its worker stops', async () => {
    setup.server().script('slow@example.com', 'hang');
    await setup.addAddress('slow@example.com');
    await setup.store(...Array.from({ length: 3 }, () => setup.aNotification()));
    const worker = setup.startWorker();
    const mailsOf = async (name: string) => (await setup.rows()).filter(({ recipient }) => recipient.startsWith(name));
    const three = (fields: Partial<MailRow>) => Array.from({ length: 3 }, () => expect.objectContaining(fields));
    await eventually(async () => expect(await mailsOf('owner')).toEqual(three({ state: 'sent' })));
    expect(await mailsOf('slow')).toContainEqual(expect.objectContaining({ state: 'waiting', isLeased: true }));
    await worker.stop();
    expect(await mailsOf('slow')).toEqual(three({ state: 'waiting', isLeased: false, attempts: 1 }));
  });
});

const limits = { webhook: 0, recipient: 0, tenant: 0 };
/** Stored times are rounded to whole milliseconds, up to half of one later than now. */
const gatherAtOnce = { gatherMs: -1, limits, confirmationKey: null };

describe('a worker that dies', () => {
  const leaseMs = 60_000;

  /** The parts of the role, so that the test can break one of them. */
  function startParts(changes: Partial<NotifyDeps> = {}): void {
    const mailer = createMailer({
      server: { host: '127.0.0.1', port: setup.server().port, isTls: false, tls: 'auto', credentials: undefined },
      timeoutMs: 5_000,
      from: { name: '', address: 'callout@example.com' },
    });
    const notify = startMailLoop({
      gather: () => gatherMail(setup.database.pool, gatherAtOnce),
      claim: (limit) => claimDueMail(setup.database.pool, limit, leaseMs),
      write: (mail) => writeMail(mail, setup.mailContext),
      send: (mail) => mailer.send(mail),
      settle: (mail, verdict) => settleMail(setup.database.pool, mail, verdict),
      maxInFlight: 5,
      everyMs: 50,
      random: () => 0.5,
      onMail: () => undefined,
      log: setup.log,
      ...changes,
    });
    setup.atEnd(() => notify.stop());
  }

  it('between sending and storing the result: the mail is sent again, with the same Message-ID', async () => {
    await setup.store(setup.aNotification());
    let settles = 0;
    startParts({
      settle(mail, verdict) {
        settles += 1;
        if (settles === 1) throw new Error('the process was killed');
        return settleMail(setup.database.pool, mail, verdict);
      },
    });
    await eventually(() => settles === 1);
    await setup.endLeases();
    await eventually(async () => expect(await setup.states()).toEqual([['owner@example.com', 'sent', 1]]));
    expect(setup.server().mails()).toHaveLength(2);
    expect(new Set(setup.messageIds()).size).toBe(1);
  });

  it('and continues after its lease was lost: the result of the other worker counts', async () => {
    await setup.store(setup.aNotification());
    await gatherMail(setup.database.pool, gatherAtOnce);
    const [late] = await claimDueMail(setup.database.pool, 5, 1);
    await eventually(async () => {
      const [taken] = await claimDueMail(setup.database.pool, 5, 60_000);
      return taken !== undefined && (await settleMail(setup.database.pool, taken, { state: 'sent' }));
    });
    expect(late && (await settleMail(setup.database.pool, late, { state: 'refused', reason: 'late' }))).toBe(false);
    expect(await setup.states()).toEqual([['owner@example.com', 'sent', 1]]);
  });

  it('over a mail that it cannot write: that one waits, the others are sent', async () => {
    await setup.addAddress('ops@example.com');
    await setup.store(setup.aNotification());
    await setup.database.pool.query("UPDATE notifications SET content = '{}' WHERE recipient = 'ops@example.com'");
    startParts();
    await eventually(async () =>
      expect(await setup.states()).toEqual([
        ['ops@example.com', 'waiting', 1],
        ['owner@example.com', 'sent', 1],
      ]),
    );
  });

  it('or whose database is unavailable for a moment: it looks for due mail again, and logs that once', async () => {
    await setup.store(setup.aNotification());
    let claims = 0;
    startParts({
      async claim(limit) {
        claims += 1;
        if (claims < 3) throw new Error('the database is away');
        return claimDueMail(setup.database.pool, limit, leaseMs);
      },
    });
    await eventually(() => expect(setup.server().mails()).toHaveLength(1));
    expect(setup.lines().match(/due mails could not be claimed/gu)).toHaveLength(1);
  });
});
