import { setTimeout as sleep } from 'node:timers/promises';
import type { OperatorSchemas as Schemas } from '@callout/client';
import type { OperationName } from '@callout/domain/operations/operations';
import type { CommandContext, Shown } from '../context.ts';
import { table } from '../show/show.ts';
import type { Operate } from './operator/operate.ts';
import { statusText } from './status.ts';

/** Shows what a table or pairs of names and values would not say. `parts`: one, or the batches. */
type Show = (parts: never, context: CommandContext, operate: Operate) => Promise<Shown> | Shown;

const stateWords: Readonly<Record<Schemas['Key']['state'], string>> = {
  encrypts: 'encrypts',
  decrypts: 'decrypts only',
  notNeeded: 'not needed any more',
  missing: 'missing in SECRET_KEYS: these secrets cannot be read',
};

/** Answers that have a form of their own. */
export const answers: Partial<Readonly<Record<OperationName, Show>>> = {
  readStatus([status]: [Schemas['Status']], { out }) {
    const problems = status.problems.map(({ sentence, remedy }) => `${sentence} ${remedy}`);
    return { data: status, text: [statusText(status, out.columns), ...problems].join('\n\n') };
  },
  createPortalLink: shownLink,
  createSignInLink: shownLink,
  createOperatorLink: shownLink,
  listKeys([keys]: [readonly Schemas['Key'][]], { out }) {
    const rows = keys.map((key) => ({ ...key, state: stateWords[key.state] }));
    const text = table(rows, ['keyID', 'secrets', 'state'], '', out.columns);
    return { data: keys, text, isIncomplete: keys.some(({ state }) => state === 'missing') };
  },
  reencryptSecrets(batches: readonly Schemas['ReencryptedBatch'][]) {
    const keyID = batches[0]?.keyID ?? '';
    const reencrypted = batches.reduce((sum, batch) => sum + batch.reencrypted, 0);
    const unreadable = batches.flatMap((batch) => batch.unreadable);
    const lines = unreadable.map(({ tenantID, webhookGUID, keyID: key }) => {
      const owner = webhookGUID === null ? 'private key' : `webhook ${webhookGUID}`;
      return `tenant ${tenantID}, ${owner}: does not open with key ${key}`;
    });
    return {
      data: { keyID, reencrypted, unreadable },
      text: [`Re-encrypted ${reencrypted} secrets with key ${keyID}.`, ...lines].join('\n'),
      isIncomplete: unreadable.length > 0,
    };
  },
  async testAlerts(_parts: unknown, _context, operate) {
    const read = async () => (await operate<{ item: Schemas['AlertTest'] }>('readAlertTest')).item;
    const deadlineMs = performance.now() + patienceMs;
    let test = await read();
    while (!isDone(test) && performance.now() < deadlineMs) {
      await sleep(lookEveryMs);
      test = await read();
    }
    return shownTest(test);
  },
  readAlertTest: ([test]: [Schemas['AlertTest']]) => shownTest(test),
};

function shownLink([{ url, expiresDateTime }]: [Schemas['SignInLink']]): Shown {
  const where = url.startsWith('/')
    ? ' Put the scheme and host of the API before it, or set PUBLIC_URL for the API to get the whole address.'
    : '';
  const note = `It signs in the first person to open it, once, until ${expiresDateTime}.${where}`;
  return { data: { url, expiresDateTime }, text: url, note };
}

/** A mail server may take half a minute, and mail gathers for some seconds before. */
const patienceMs = 60_000;
const lookEveryMs = 500;

/** A channel that has failed once would be tried again for days. */
function isDone({ isTaken, channels }: Schemas['AlertTest']): boolean {
  return isTaken && channels.every(({ state, attempts }) => state !== 'waiting' || attempts > 0);
}

function shownTest(test: Schemas['AlertTest']): Shown {
  const { isTaken, channels } = test;
  const isIncomplete = channels.length === 0 || channels.some(({ state }) => state !== 'sent');
  const text = isTaken
    ? channels.map(lineOf).join('\n') ||
      'Nothing was sent: the workers have neither OPERATOR_MAIL nor OPERATOR_ALERT_URL.'
    : 'No worker has taken the test: check that one with the role sweep is running.';
  return { data: test, text, isIncomplete };
}

function lineOf({ kind, recipient, state, attempts, lastError }: Schemas['AlertTest']['channels'][number]): string {
  const channel = kind === 'mail' ? `mail to ${recipient ?? ''}` : 'OPERATOR_ALERT_URL';
  if (state === 'sent') return `${channel}: sent`;
  if (attempts === 0) return `${channel}: waiting; check that a worker with the role notify and SMTP_URL is running`;
  if (lastError !== null) return `${channel}: not taken: ${lastError}`;
  return `${channel}: not taken; the log of the workers says why`;
}
