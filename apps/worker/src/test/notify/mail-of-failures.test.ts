import { byResource } from '@callout/domain/changes/actor';
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { secretAad } from '@callout/domain/secrets/keyring';
import type { Database } from '@callout/database/connection/database';
import { createIngestCommit } from '@callout/pipeline/ingest/ingest';
import { rules as activationRules } from '@callout/webhooks/activation-rules.fixture';
import { defaultSettings } from '@callout/webhooks/settings/settings';
import { endWebhook, updateWebhook } from '@callout/webhooks/webhook-changes';
import { createWebhook } from '@callout/webhooks/webhooks';
import { anEvent, insertTenant, values } from '@callout/database/fixtures/tenant';
import {
  createTestDatabase,
  eventually,
  startScriptedMailServer,
  startScriptedReceiver,
  testRedis,
  type ScriptedMailServer,
  type ScriptedReceiver,
  type TestRedis,
} from '@callout/testing';
import { startWorker, type RunningWorker } from '../fixtures/start-worker.ts';

const children = { fields: 'F', udfFields: 'U', excludedResources: 'X' };
const rules = { ...activationRules, children };
const deactivateAfter = 4;

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let redis: TestRedis;
let worker: RunningWorker;
let database: Database;
let receiver: ScriptedReceiver;
let mailServer: ScriptedMailServer;
let commit: ReturnType<typeof createIngestCommit>;
let tenantId: number;
let owner: string;

beforeAll(async () => {
  [testDatabase, redis, receiver, mailServer] = await Promise.all([
    createTestDatabase(),
    testRedis(),
    startScriptedReceiver(),
    startScriptedMailServer(),
  ]);
  worker = await startWorker(testDatabase.url, redis, {
    RETRY_SCHEDULE: '20ms',
    DEACTIVATE_AFTER_FAILURES: String(deactivateAfter),
    MAIL_GATHER: '0',
    SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`,
    MAIL_FROM: 'callout@example.com',
  });
  ({ database } = worker);
  commit = createIngestCommit(database.pool);
});

afterAll(async () => {
  await worker.stop();
  await Promise.all([redis.cleanUp(), testDatabase.drop(), receiver.stop(), mailServer.stop()]);
});

beforeEach(async () => {
  tenantId = await insertTenant(database.pool);
  owner = `owner-${tenantId}@example.com`;
  await database.prisma.resource.create({ data: { tenantId, id: 1, email: owner } });
});

/** @returns the path at its receiver. */
async function makeWebhook(name: string): Promise<string> {
  const guid = randomUUID();
  await createWebhook(
    database,
    {
      ...defaultSettings,
      tenantId,
      entityType: 'Account',
      guid,
      name,
      webhookUrl: receiver.url(`/in/${guid}`),
      deactivationUrl: receiver.url(`/off/${guid}`),
      isActive: true,
      isSubscribedToCreateEvents: true,
      isSubscribedToUpdateEvents: true,
      isSubscribedToDeleteEvents: true,
      ownerResourceId: 1,
      encryptedSecret: worker.keyRing.encrypt('a secret', secretAad(tenantId, guid), randomBytes(12)),
      fields: [{ fieldId: 2, name: 'companyName', isSubscribed: true, isDisplayAlways: true }],
      udfFields: [],
      excludedResources: [],
    },
    rules,
    byResource(1),
  );
  return `/in/${guid}`;
}

/** Accepts an event of each record, as the API does. */
async function change(...recordIds: number[]): Promise<void> {
  const events = recordIds.map((recordId) => anEvent({ recordId, fields: values({ companyName: randomUUID() }) }));
  const { eventIds } = await commit([{ tenantId, events }]);
  worker.producer.enqueueEvents(eventIds);
}

/** Waits until all events are matched, and every callout is sent or failed. */
async function allEnded(): Promise<void> {
  await eventually(async () => (await database.prisma.pendingEvent.count({ where: { tenantId } })) === 0);
  await eventually(async () => (await database.prisma.openCallout.count({ where: { tenantId } })) === 0);
}

const allSent = () =>
  eventually(async () => (await database.prisma.notification.count({ where: { tenantId, state: 'waiting' } })) === 0);
const mailsToOwner = () => mailServer.mails().filter(({ recipients }) => recipients.includes(owner));

describe('mail about failures', () => {
  it('is one for all of them, quotes the response, and one more when they deactivate the webhook', async () => {
    const path = await makeWebhook('failing');
    receiver.script(path, { status: 503 });
    await change(1);
    await allEnded();
    await change(2, 3);
    await allEnded();
    await change(4, 5, 6);
    await allEnded();
    await allSent();
    const [error, deactivated, ...others] = mailsToOwner();
    expect([error?.subject, deactivated?.subject, others]).toEqual([
      expect.stringMatching(/Callout - Error: failing$/u),
      expect.stringMatching(/Callout - Deactivated: failing$/u),
      [],
    ]);
    expect(error?.text).toMatch(/Callout 1, about a change of Company 1, was not delivered in 2\s+attempts/u);
    expect(error?.text).toMatch(/Last failure: .*503/u);
    expect(error?.text).toContain('1 of 4');
    expect(deactivated?.text).toMatch(/^[4-6] callouts in a row used up their attempts/mu);
    expect(deactivated?.text).toMatch(/Last failure: .*503/u);
  });

  it('waits for a mail server that is away, without delaying callouts', async () => {
    const failing = await makeWebhook('failing');
    receiver.script(failing, { status: 500 });
    await mailServer.stop();
    await change(1);
    await allEnded();
    await eventually(async () => {
      const [mail] = await database.prisma.notification.findMany({ where: { tenantId } });
      expect(mail).toMatchObject({ state: 'waiting', attempts: 1 });
    });
    const well = await makeWebhook('well');
    await change(2, 3, 4);
    await eventually(() => expect(receiver.count(well)).toBe(3));
    await allEnded();

    mailServer = await startScriptedMailServer({ port: mailServer.port });
    await database.pool.query("UPDATE notifications SET due_at = now(), created_at = now() - interval '1 hour'");
    await allSent();
    const subjects = mailsToOwner().map(({ subject }) => subject);
    expect(subjects.filter((subject) => subject.includes('Error'))).toEqual([
      expect.stringMatching(/Callout - Error: failing$/u),
    ]);
  });

  it('is not sent for changes by a user', async () => {
    await makeWebhook('well');
    const address = { tenantId, entityType: 'Account', id: 1 };
    await updateWebhook(database, address, { settings: { isActive: false } }, rules, byResource(1));
    await endWebhook(database, address, 'deleted', byResource(1));
    expect(await database.prisma.notification.count({ where: { tenantId } })).toBe(0);
  });
});
