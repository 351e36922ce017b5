import { Problem } from '@callout/domain/problem';
import type { KeyRing } from '@callout/domain/secrets/keyring';
import { droppedPartitions, historyTables } from '@callout/database/cleanup/history-report';
import { keptDays } from '@callout/database/cleanup/retention';
import type { Database } from '@callout/database/connection/database';
import { readAlertTest, requestAlertTest } from '@callout/pipeline/notify/store/alert-test';
import { listMails, retryMail, type MailItem } from '@callout/pipeline/notify/store/mail-administration';
import { listProcesses } from '@callout/database/processes';
import { readKeyStates, reencryptSecrets } from '@callout/tenancy/operator/encrypted-secrets';
import { item, ok } from '../http/api-response.ts';
import { judged, listOf, readChoices } from '../http/route/read-parameters.ts';
import { limitOf, pageOf, wholeNumber, type Handlers, type OperatorCall } from './operator-call.ts';

export interface MaintenanceDeps {
  readonly pool: Database['pool'];
  readonly keyRing: KeyRing;
}

const MAX_BATCH = 1_000;
const DEFAULT_BATCH = 100;
const MAX_KEY = Number.MAX_SAFE_INTEGER;
const MOST_DROPPED = 50;
const mailStates = ['waiting', 'refused', 'failed'] as const;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu;

/** Maintenance by operators: keys, history and mail. */
export function maintenanceHandlers({ pool, keyRing }: MaintenanceDeps) {
  return {
    async listKeys() {
      const states = await readKeyStates(pool, keyRing);
      return ok({ items: states.map(({ keyId: keyID, secrets, state }) => ({ keyID, secrets, state })) });
    },
    // A batch per request: the caller shows the progress, and may stop at any time.
    async reencryptSecrets({ query }) {
      const after = wholeKey(query['after']);
      const limit = wholeNumber('limit', query['limit'] ?? String(DEFAULT_BATCH), 1, MAX_BATCH);
      const { reencrypted, unreadable, next } = await reencryptSecrets(pool, keyRing, { after, limit });
      return item({
        keyID: keyRing.currentKeyId,
        reencrypted,
        unreadable: unreadable.map(({ tenantId, webhookGuid, keyId }) => ({
          tenantID: tenantId,
          webhookGUID: webhookGuid,
          keyID: keyId,
        })),
        nextAfter: next ?? null,
      });
    },
    async readRetention() {
      const retentionDays = retentionOf(await listProcesses(pool));
      const [tables, dropped, kept] = await Promise.all([
        historyTables(pool),
        droppedPartitions(pool, MOST_DROPPED),
        retentionDays === null ? [] : keptDays(pool, retentionDays, new Date()),
      ]);
      return item({ retentionDays, tables, kept, dropped });
    },
    listMails({ query }) {
      const page = { states: statesOf(query), after: mailAfter(query), limit: limitOf(query) };
      return pageOf(
        page,
        (one) => listMails(pool, one),
        ({ id }) => id,
      );
    },
    async retryMail({ text }) {
      const id = text('mailId');
      if (!UUID.test(id)) throw Problem.notFound();
      if (await retryMail(pool, id)) return item({ id });
      throw Problem.conflict('This mail has been sent, is being sent now, or has not been gathered yet.');
    },
    testAlerts: async () => item({ startDateTime: await requestAlertTest(pool) }),
    async readAlertTest() {
      const test = await readAlertTest(pool);
      if (test === undefined) throw Problem.notFound('No matching records found: no test of the alerts was asked for');
      return item(test);
    },
  } satisfies Handlers;
}

/** From the last report of a worker that drops history; null: no worker runs. */
function retentionOf(processes: Awaited<ReturnType<typeof listProcesses>>) {
  const dropping = processes.filter(({ isGone, retentionDays }) => !isGone && retentionDays !== undefined);
  const [latest] = dropping.toSorted((one, other) => other.seenDateTime.getTime() - one.seenDateTime.getTime());
  return latest?.retentionDays ?? null;
}

function statesOf({ state = 'waiting' }: OperatorCall['query']): MailItem['state'][] {
  return judged((problems) => readChoices(listOf(state), 'state', mailStates, problems) ?? []);
}

function mailAfter({ after }: OperatorCall['query']): string | null {
  if (after === undefined) return null;
  if (UUID.test(after)) return after;
  throw Problem.invalid('after must be the nextAfter of the page before.', 'after');
}

function wholeKey(after = '0'): number {
  const key = /^\d{1,16}$/u.test(after) ? Number(after) : Number.NaN;
  if (key >= 0 && key <= MAX_KEY) return key;
  throw Problem.invalid('after must be the nextAfter of the batch before.', 'after');
}
