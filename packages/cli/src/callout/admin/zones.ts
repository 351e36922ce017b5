import { Option, type Command } from 'commander';
import { changesOf } from './input/changes.ts';
import type { CommandContext } from '../context.ts';
import { withAdministration, withDatabase } from './database/database.ts';
import { allPages, zoneNamed } from './input/named.ts';
import { pairs, show, table } from '../show/show.ts';

const columns = ['id', 'name', 'url', 'webUrl', 'isDefault'];

/** `callout admin zones list|create|set|learn` */
export function addZoneCommands(program: Command, context: CommandContext): void {
  const zone = program
    .command('zones')
    .alias('zone')
    .description('host names under which tenants reach the API')
    .addHelpText(
      'after',
      `
Clients ask GET /v1.0/zoneInformation?user=… for the zone of a user before they do anything else.
A zone whose URL is empty is reached under whatever address the caller used.

Examples:
  $ npx callout admin zones create --name eu --url https://eu.callout.example --default
  $ npx callout admin zones set eu --url https://eu2.callout.example
  $ npx callout admin zones list --json`,
    );

  zone
    .command('list')
    .description('show all zones')
    .action(async (_options: unknown, command: Command) => {
      const all = await withAdministration(context, ({ zones }) => allPages((page) => zones.list(page)));
      show(context, command, { data: all, text: table(all, columns, 'There is no zone yet.', context.out.columns) });
    });

  zone
    .command('create')
    .description('make a zone')
    .requiredOption('--name <name>', 'unique name')
    .requiredOption('--url <url>', 'scheme, host and port, such as https://eu.callout.example; "" for none')
    .option('--web-url <url>', 'address for people')
    .option('--default', 'make it the zone of new tenants and unknown users')
    .action(async (_options: unknown, command: Command) => {
      const body = changesOf(command, bodyNames);
      const made = await withAdministration(context, ({ zones }) => zones.create(body));
      show(context, command, { data: made, text: pairs(made) });
    });

  zone
    .command('set')
    .description('change a zone')
    .argument('<zone>', 'id or name')
    .option('--name <name>', 'unique name')
    .option('--url <url>', 'scheme, host and port; "" for none')
    .option('--web-url <url>', 'address for people; "" for none')
    .addOption(new Option('--default', 'make it the default zone, in place of the one before'))
    .action(async (named: string, _options: unknown, command: Command) => {
      const body = changesOf(command, bodyNames);
      const changed = await withAdministration(context, async (administration) => {
        const { id } = await zoneNamed(administration, named);
        return administration.zones.update(id, body);
      });
      show(context, command, { data: changed, text: pairs(changed) });
    });

  zone
    .command('learn')
    .description('read which users another zone has, so that zoneInformation names that zone for them')
    .argument('<zone>', 'id or name of that zone, in this database')
    .requiredOption('--from-database <url>', 'its database, which is only read')
    .action(async (named: string, { fromDatabase }: { fromDatabase: string }, command: Command) => {
      const learnt = await withDatabase(context, async (database) => {
        const { learnUsers } = await import('@callout/tenancy/zones');
        const { createAdministration } = await import('@callout/tenancy/operator/administration/administration');
        const { id, name } = await zoneNamed(createAdministration(database), named);
        const env = { DATABASE_URL: fromDatabase };
        const users = await withDatabase({ ...context, env }, ({ pool }) => learnUsers(database.pool, id, pool));
        return { zoneID: id, name, users };
      });
      const text = `The zone ${learnt.name} has ${learnt.users} users.`;
      show(context, command, { data: learnt, text });
    });
}

const bodyNames = { name: 'name', url: 'url', webUrl: 'webUrl', default: 'isDefault' };
