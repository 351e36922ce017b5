import { Option, type Command } from 'commander';
import type { CommandContext } from '../context.ts';
import { show, showItem, showItems } from '../show/show.ts';
import { withDatabase } from './database.ts';
import { operatorInDatabase } from './operator/first-tenant.ts';
import { allOf, changesOf, zoneNamed } from './operator/named.ts';
import { openOperator } from './operator/open-operator.ts';

const columns = ['id', 'name', 'url', 'webUrl', 'isDefault'];
const bodyNames = { name: 'name', url: 'url', webUrl: 'webUrl', default: 'isDefault' };

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
  $ callout admin zones create --name eu --url https://eu.callout.example --default
  $ callout admin zones set eu --url https://eu2.callout.example
  $ callout admin zones list --json`,
    );

  zone
    .command('list')
    .description('show all zones')
    .action(async (_options: unknown, command: Command) => {
      const operator = await openOperator(context, command);
      const all = await allOf((query) => operator.GET('/zones', { params: { query } }));
      showItems(context, command, all, columns, 'There is no zone yet.');
    });

  zone
    .command('create')
    .description('make a zone')
    .requiredOption('--name <name>', 'unique name')
    .requiredOption('--url <url>', 'scheme, host and port, such as https://eu.callout.example; "" for none')
    .option('--web-url <url>', 'address for people')
    .option('--default', 'make it the zone of new tenants and unknown users')
    .action(async (_options: unknown, command: Command) => {
      const operator = await openOperator(context, command);
      const { data } = await operator.POST('/zones', { body: changesOf(command, bodyNames) as never });
      showItem(context, command, data.item);
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
      const operator = await openOperator(context, command);
      const { id: zoneId } = await zoneNamed(operator, named);
      const { data } = await operator.PATCH('/zones/{zoneId}', { params: { path: { zoneId } }, body });
      showItem(context, command, data.item);
    });

  zone
    .command('learn')
    .description('read which users another zone has, so that zoneInformation names that zone for them')
    .argument('<zone>', 'id or name of that zone, in this database')
    .requiredOption('--from-database <url>', 'its database, which is only read')
    .action(async (named: string, { fromDatabase }: { fromDatabase: string }, command: Command) => {
      const { id, name } = await zoneNamed(operatorInDatabase(context), named);
      const users = await withDatabase(context, async (database) => {
        const { learnUsers } = await import('@callout/tenancy/zones');
        const env = { DATABASE_URL: fromDatabase };
        return withDatabase({ ...context, env }, ({ pool }) => learnUsers(database.pool, id, pool));
      });
      show(context, command, { data: { zoneID: id, name, users }, text: `The zone ${name} has ${users} users.` });
    });
}
