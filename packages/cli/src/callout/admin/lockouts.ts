import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import { show, showItems } from '../show/show.ts';
import { allOf } from './operator/named.ts';
import { openOperator } from './operator/open-operator.ts';

const columns = ['userName', 'tenantName', 'address', 'endDateTime'];

/** `callout admin lockouts list|lift` */
export function addLockoutCommands(program: Command, context: CommandContext): void {
  const lockout = program
    .command('lockouts')
    .alias('lockout')
    .description('user names that are locked out after too many failed sign-ins')
    .addHelpText(
      'after',
      `
Ten failures of a user name from one address within 15 minutes lock that pair out for 15 minutes, also for the right
secret. It ends by itself. A name that no credential has is locked out too, and listed without it: what was typed may
have been a secret, so only a digest of it is stored.

Examples:
  $ callout admin lockouts list
  $ callout admin lockouts lift crm@acme.example
  $ callout admin lockouts lift crm@acme.example --address 203.0.113.7`,
    );

  lockout
    .command('list')
    .description('show the lockouts in force')
    .action(async (_options: unknown, command: Command) => {
      const operator = await openOperator(context, command);
      const lockouts = await allOf((query) => operator.GET('/lockouts', { params: { query } }));
      showItems(context, command, lockouts, columns, 'No user name is locked out.');
    });

  lockout
    .command('lift')
    .description('let a user name in again at once, and forget its failures')
    .argument('<userName>')
    .option('--address <address>', 'from this address only; an IPv6 address means its /64 network')
    .action(async (userName: string, { address }: { address?: string }, command: Command) => {
      const operator = await openOperator(context, command);
      const query = { userName, ...(address !== undefined && { address }) };
      const { lifted } = (await operator.DELETE('/lockouts', { params: { query } })).data;
      const text =
        lifted === 0 ? 'It was not locked out.' : `Lifted ${lifted === 1 ? '1 lockout' : `${lifted} lockouts`}.`;
      show(context, command, { data: { lifted }, text });
    });
}
