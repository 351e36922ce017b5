import { InvalidArgumentError, type Command } from 'commander';
import type { KeyRing } from '@callout/domain/secrets/keyring';
import type { Database } from '@callout/database/connection/database';
import type { UnreadableSecret } from '@callout/tenancy/operator/encrypted-secrets';
import type { CommandContext } from '../context.ts';
import { keyRingOf, withDatabase } from './database.ts';
import { show, table } from '../show/show.ts';

const DEFAULT_BATCH = 100;
const MAX_BATCH = 1_000;
const stateWords = {
  encrypts: 'encrypts',
  decrypts: 'decrypts only',
  notNeeded: 'not needed any more',
  missing: 'missing in SECRET_KEYS: these secrets cannot be read',
};

/** `callout admin keys status|reencrypt` */
export function addKeysCommands(program: Command, context: CommandContext): void {
  const keys = program
    .command('keys')
    .description('the keys that secrets are encrypted with')
    .addHelpText(
      'after',
      `
SECRET_KEYS is a ring of keys: the first encrypts, all of them decrypt. To retire a key, one step after another:
  1. Add the new key at the end of SECRET_KEYS of every process, and restart
     them: now all can read it.
  2. Move it to the front, and restart them: now all encrypt with it.
  3. $ callout admin keys reencrypt   # with the same SECRET_KEYS
  4. $ callout admin keys status      # the old key has no secret left
  5. Take the old key out of SECRET_KEYS, and restart.`,
    );

  keys
    .command('status')
    .description('show what each key is still needed for; the exit status is 1 when one is missing in SECRET_KEYS')
    .action(async (_options: unknown, command: Command) => {
      const ring = keyRingOf(context);
      const { readKeyStates } = await import('@callout/tenancy/operator/encrypted-secrets');
      const states = await withDatabase(context, ({ pool }) => readKeyStates(pool, ring));
      const rows = states.map(({ keyId: keyID, secrets, state }) => ({ keyID, secrets, state: stateWords[state] }));
      const isIncomplete = states.some(({ state }) => state === 'missing');
      show(context, command, {
        data: rows,
        text: table(rows, ['keyID', 'secrets', 'state'], '', context.out.columns),
        isIncomplete,
      });
    });

  keys
    .command('reencrypt')
    .description('encrypt all secrets with the first key of SECRET_KEYS')
    .option('--batch <webhooks>', 'how many webhooks are locked at a time, for milliseconds', batchSize, DEFAULT_BATCH)
    .action(async ({ batch }: { batch: number }, command: Command) => {
      const ring = keyRingOf(context);
      const { reencrypted, unreadable } = await withDatabase(context, (database) =>
        reencryptAll(database, ring, batch),
      );
      const lines = unreadable.map(
        ({ tenantId, webhookGuid, keyId }) =>
          `tenant ${tenantId}, ${webhookGuid === null ? 'private key' : `webhook ${webhookGuid}`}: does not open with key ${keyId}`,
      );
      show(context, command, {
        data: { keyID: ring.currentKeyId, reencrypted, unreadable },
        text: [`Re-encrypted ${reencrypted} secrets with key ${ring.currentKeyId}.`, ...lines].join('\n'),
        isIncomplete: unreadable.length > 0,
      });
    });
}

async function reencryptAll({ pool }: Database, ring: KeyRing, limit: number) {
  const { reencryptSecrets } = await import('@callout/tenancy/operator/encrypted-secrets');
  let reencrypted = 0;
  const unreadable: UnreadableSecret[] = [];
  for (let after: number | undefined = 0; after !== undefined;) {
    const batch = await reencryptSecrets(pool, ring, { after, limit });
    reencrypted += batch.reencrypted;
    unreadable.push(...batch.unreadable);
    after = batch.next;
  }
  return { reencrypted, unreadable };
}

function batchSize(text: string): number {
  const size = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (size < 1 || size > MAX_BATCH) throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_BATCH}.`);
  return size;
}
