import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@callout/testing';
import { createNotifySetup, type NotifySetup } from './notify.fixture.ts';

let setup: NotifySetup;
beforeAll(async () => {
  setup = await createNotifySetup();
});
beforeEach(() => setup.begin());
afterEach(() => setup.end());
afterAll(() => setup.close());

describe('the role notify', () => {
  it('sends a mail to each recipient, once', async () => {
    await setup.addAddress('ops@example.com');
    await setup.store(setup.aNotification());
    setup.startWorker();
    await eventually(async () =>
      expect(await setup.states()).toEqual([
        ['ops@example.com', 'sent', 1],
        ['owner@example.com', 'sent', 1],
      ]),
    );
    const arrived = setup
      .server()
      .mails()
      .map(({ recipients, to, subject }) => ({ recipients, to, subject }));
    const mailTo = (address: string) => ({
      recipients: [address],
      to: [address],
      subject: expect.stringMatching(/Callout - Deactivated: test$/u),
    });
    expect(arrived).toHaveLength(2);
    expect(arrived).toEqual(expect.arrayContaining([mailTo('ops@example.com'), mailTo('owner@example.com')]));
    expect(new Set(setup.messageIds()).size).toBe(2);
  });

  it('sends one mail for 10,000 failures', async () => {
    setup.startWorker();
    for (let round = 0; round < 20; round++) {
      await setup.store(...Array.from({ length: 500 }, () => setup.aNotification('error')));
    }
    await setup.store(setup.aNotification());
    const sent = ['owner@example.com', 'sent', 1];
    await eventually(async () => expect(await setup.states()).toEqual([sent, sent]));
    const subjects = setup
      .server()
      .mails()
      .map(({ subject }) => subject);
    expect(subjects).toHaveLength(2);
    expect(subjects.map((subject) => subject.replace(/^\[[^\]]*\] /u, '')).toSorted()).toEqual([
      'Callout - Deactivated: test',
      'Callout - Error: test',
    ]);
  });

  it('shows a hostile name as one clean subject and an escaped body', async () => {
    const name = '<b>=?utf-8?q?=41?=\r\nBcc: x@example.com \u202E🚨';
    await setup.rename(name);
    await setup.store(setup.aNotification());
    setup.startWorker();
    await eventually(() => expect(setup.server().mails()).toHaveLength(1));
    const [mail] = setup.server().mails();
    expect(mail?.subject).toMatch(/Callout - Deactivated: <b>=\?utf-8\?q\?=41\?=Bcc: x@example\.com 🚨$/u);
    expect(mail?.recipients).toEqual(['owner@example.com']);
    expect(mail?.html).toContain('&lt;b&gt;=?utf-8?q?=41?=Bcc: x@example.com 🚨');
    expect(mail?.html).not.toContain('<b>');
  });

  it('sends each mail once, however many workers there are', async () => {
    for (let mail = 0; mail < 39; mail++) {
      await setup.addAddress(`ops-${mail}@example.com`);
      await setup.store(setup.aNotification());
    }
    for (let worker = 0; worker < 3; worker++) setup.startWorker();
    await eventually(async () =>
      expect(new Set((await setup.rows()).map(({ state }) => state))).toEqual(new Set(['sent'])),
    );
    expect(new Set(setup.messageIds()).size).toBe(40);
    expect(setup.server().mails()).toHaveLength(40);
  });

  it('needs no Redis', async () => {
    await setup.store(setup.aNotification());
    setup.startWorker({ REDIS_URL: 'redis://127.0.0.1:1' });
    await eventually(() => expect(setup.server().mails()).toHaveLength(1));
  });

  it('reports once that there is no mail server, and lets mail wait for 7 days as if it were away', async () => {
    await setup.store(setup.aNotification());
    await setup.age('7 days');
    await setup.addAddress('young@example.com');
    await setup.store(setup.aNotification());
    const worker = setup.startWorker({ SMTP_URL: '', MAIL_FROM: '' });
    const young = ['waiting', 'waiting'];
    await eventually(async () =>
      expect((await setup.rows()).map(({ state }) => state).toSorted()).toEqual(['failed', ...young]),
    );
    await worker.stop();
    const failed = (await setup.rows()).find(({ state }) => state === 'failed');
    expect(failed).toMatchObject({ attempts: 0, lastError: 'there is no mail server: SMTP_URL is not set' });
    expect(setup.lines().match(/without it nothing is sent/gu)).toHaveLength(1);
  });

  it('stops when the present mails are sent, and claims no more', async () => {
    await setup.store(setup.aNotification());
    const worker = setup.startWorker();
    await eventually(() => setup.server().offers('owner@example.com') === 1);
    await worker.stop();
    expect(await setup.states()).toEqual([['owner@example.com', 'sent', 1]]);
    await setup.store(setup.aNotification());
    expect((await setup.rows()).map(({ state }) => state).toSorted()).toEqual(['sent', 'waiting']);
  });

  it('writes no address and no password into the log', async () => {
    await setup.replaceServer({ credentials: { user: 'callout', password: 'right' } });
    await setup.store(setup.aNotification());
    setup.startWorker({ SMTP_URL: `smtp://callout:hunter%2F2@127.0.0.1:${setup.server().port}?tls=off` });
    await eventually(async () => expect(await setup.states()).toEqual([['owner@example.com', 'waiting', 1]]));
    const encoded = Buffer.from('\0callout\0hunter/2').toString('base64');
    expect(setup.lines()).toContain('535 no entry for callout with [redacted]');
    const { rows: stored } = await setup.database.pool.query('SELECT * FROM notifications');
    for (const text of [setup.lines(), JSON.stringify(stored)]) {
      for (const secret of ['hunter/2', 'hunter%2F2', encoded]) expect(text).not.toContain(secret);
    }
    expect(setup.lines()).not.toContain('owner@example.com');
  });
});
