import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import { show } from '../show/show.ts';
import { withDatabase } from './database.ts';
import { operateInDatabase } from './operator/first-tenant.ts';
import { zoneNamed } from './operator/named.ts';

/** `callout admin zones learn` */
export function addZoneLearn(zones: Command, context: CommandContext): void {
  zones
    .command('learn')
    .description('read the users of another zone, so that zoneInformation names the zone')
    .argument('<zone>', 'id or name of the zone, in this database')
    .requiredOption('--from-database <url>', 'its database, which is only read')
    .action(async (named: string, { fromDatabase }: { fromDatabase: string }, command: Command) => {
      const { id, name } = await zoneNamed(operateInDatabase(context), named);
      const users = await withDatabase(context, async (database) => {
        const { learnUsers } = await import('@callout/tenancy/zones');
        const env = { DATABASE_URL: fromDatabase };
        return withDatabase({ ...context, env }, ({ pool }) => learnUsers(database.pool, id, pool));
      });
      show(context, command, { data: { zoneID: id, name, users }, text: `The zone ${name} has ${users} users.` });
    });
}
