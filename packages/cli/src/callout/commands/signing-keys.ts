import { InvalidArgumentError, type Command } from 'commander';
import { Problem } from '@callout/domain/problem';
import type { CalloutClient, Schemas } from '@callout/client';
import { openApi } from '../api/open-api.ts';
import type { CommandContext } from '../context.ts';
import { show, table } from '../show/show.ts';

const MAX_OVERLAP_HOURS = 168;

/** `callout signing-keys list|rotate` */
export function addSigningKeysCommands(program: Command, context: CommandContext): void {
  const keys = program
    .command('signing-keys')
    .description('the key pair that signs callouts with Ed25519, for webhooks with --signature ed25519 or both');

  keys
    .command('list')
    .description('show the public keys, and where receivers read them')
    .action(async (_options: unknown, command: Command) => {
      const { client } = await openApi(context, command);
      const items = await readKeys(client);
      show(context, command, { data: items, text: textOf(items, context.out.columns) });
    });

  keys
    .command('rotate')
    .description('replace the key pair; both sign for some hours. Needs a credential with the role admin')
    .option('--overlap-hours <hours>', 'how long the replaced key also signs, 0 to 168', hours, 24)
    .option('--kid <kid>', 'the key that is replaced; the current one unless given')
    .addHelpText(
      'after',
      `
Receivers that read the keys by their URL find the new one by themselves; give it to the others within the overlap.
With the --kid of the replaced key, the end of the overlap is set again, and 0 hours end it at once.

Examples:
  $ callout signing-keys rotate --overlap-hours 48
  $ callout signing-keys rotate --overlap-hours 0 --kid kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k`,
    )
    .action(async ({ overlapHours, kid }: { overlapHours: number; kid?: string }, command: Command) => {
      const { client } = await openApi(context, command);
      const replaced = kid ?? (await readKeys(client))[0]?.kid;
      if (replaced === undefined) throw Problem.invalid('There is no key pair yet: no webhook is signed with Ed25519');
      const { data } = await client.POST('/v1.0/WebhookKeys/rotate', { body: { kid: replaced, overlapHours } });
      const note = data.warnings?.join('\n');
      show(context, command, { data: data.items, text: textOf(data.items, context.out.columns), note });
    });
}

async function readKeys(client: CalloutClient): Promise<Schemas['SigningKey'][]> {
  return (await client.GET('/v1.0/WebhookKeys')).data.items;
}

function textOf(items: readonly Schemas['SigningKey'][], columns: number | undefined): string {
  const rows = items.map(({ kid, state, signingPublicKey, endDateTime }) => ({
    state,
    kid,
    signingPublicKey,
    signsUntil: endDateTime ?? '',
  }));
  const none = 'None: no webhook is signed with Ed25519.';
  const listed = table(rows, ['state', 'kid', 'signingPublicKey', 'signsUntil'], none, columns);
  const [first] = items;
  return first === undefined ? listed : `${listed}\nReceivers read them at ${first.signingKeysUrl}`;
}

function hours(text: string): number {
  const hours = /^\d{1,3}$/u.test(text) ? Number(text) : -1;
  if (hours < 0 || hours > MAX_OVERLAP_HOURS) throw new InvalidArgumentError(`It must be 0 to ${MAX_OVERLAP_HOURS}.`);
  return hours;
}
