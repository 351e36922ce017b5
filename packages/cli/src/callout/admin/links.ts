import { InvalidArgumentError, type Command } from 'commander';
import { Problem } from '@callout/domain/problem/problem';
import type { ConsoleLinkItem } from '@callout/tenancy/sessions/console-links';
import type { Database } from '@callout/database/connection/database';
import { linkConfig } from '@callout/runtime/config/command-line';
import { parseConfig } from '@callout/runtime/config/parse';
import type { CommandContext, Shown } from '../context.ts';
import { withDatabase } from './database/database.ts';
import { tenantNamed } from './input/named.ts';
import { parseWebhookName, readCatalogue, webhookHelp } from '../input/webhook-named.ts';
import { show } from '../show/show.ts';

interface LinkOptions {
  readonly tenant: string;
  readonly expiresIn?: number;
}

/** `callout admin links portal|sign-in|operator` */
export function addLinkCommands(program: Command, context: CommandContext): void {
  const link = program
    .command('links')
    .alias('link')
    .description('links that sign one person in to the console, once')
    .addHelpText(
      'after',
      `
A link is valid for 5 minutes unless --expires-in says otherwise, and signs in the first person to open it. Only a digest is stored.
It begins with PUBLIC_URL, else with the address of the tenant's zone; without either it is a path.

Examples:
  $ npx callout admin links portal --tenant acme --resource 1
  $ npx callout admin links portal --tenant acme --resource 1 --webhook CompanyWebhooks/3
  $ npx callout admin links sign-in crm@acme.example --tenant acme --expires-in 3600
  $ npx callout admin links operator          # needs OPERATOR_TOKEN`,
    );

  withExpiry(link.command('portal').description('sign in as a resource, for its webhooks alone'))
    .requiredOption('--tenant <tenant>', 'id or name')
    .requiredOption('--resource <id>', 'the resource')
    .option('--webhook <webhook>', `only this webhook: ${webhookHelp}`)
    .action(async (options: LinkOptions & { resource: string; webhook?: string }, command: Command) => {
      const { tenant, resource, webhook } = options;
      const made = await withDatabase(context, async (database) => {
        const { createAdministration } = await import('@callout/tenancy/operator/administration/administration');
        const administration = createAdministration(database);
        const { id } = await tenantNamed(administration, tenant);
        const body = { resourceID: resource, ...expiryOf(options) };
        if (webhook === undefined) return (await linksOf(context, database)).portal(id, body);
        const found = await administration.webhooks.find(id, parseWebhookName(await readCatalogue(context), webhook));
        return (await linksOf(context, database)).portal(id, {
          ...body,
          entityType: found.entityType,
          webhookID: found.id,
        });
      });
      show(context, command, shownLink(made));
    });

  withExpiry(link.command('sign-in').description('sign in with the rights of a credential'))
    .argument('<userName>')
    .requiredOption('--tenant <tenant>', 'id or name')
    .action(async (userName: string, options: LinkOptions, command: Command) => {
      const made = await withDatabase(context, async (database) => {
        const { createAdministration } = await import('@callout/tenancy/operator/administration/administration');
        const { id } = await tenantNamed(createAdministration(database), options.tenant);
        return (await linksOf(context, database)).signIn(id, { userName, ...expiryOf(options) });
      });
      show(context, command, shownLink(made));
    });

  withExpiry(link.command('operator').description('sign in as an operator, on the operator port')).action(
    async (options: Omit<LinkOptions, 'tenant'>, command: Command) => {
      const { OPERATOR_HOST: host, OPERATOR_PORT: port } = parseConfig(linkConfig, context.env);
      const ownUrl = port === 0 ? undefined : `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
      const made = await withDatabase(context, async (database) =>
        (await linksOf(context, database, true)).operator(expiryOf(options), ownUrl),
      );
      show(context, command, shownLink(made));
    },
  );
}

function withExpiry(command: Command): Command {
  return command.option('--expires-in <seconds>', 'how long it is valid, 10 to 3600', (text) => {
    if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('It must be a number of seconds.');
    return Number(text);
  });
}

/** Which seconds there may be is judged where the API judges it too. */
const expiryOf = ({ expiresIn }: Pick<LinkOptions, 'expiresIn'>) =>
  expiresIn === undefined ? {} : { expiresInSeconds: expiresIn };

async function linksOf({ env }: CommandContext, database: Database, isForOperators = false) {
  const { PUBLIC_URL, OPERATOR_TOKEN } = parseConfig(linkConfig, env);
  if (isForOperators && OPERATOR_TOKEN === undefined) {
    throw Problem.invalid('OPERATOR_TOKEN is not set: without it there is no operator API to sign in to');
  }
  const { createConsoleLinks } = await import('@callout/tenancy/sessions/console-links');
  const { createConsoleLinkStore } = await import('@callout/tenancy/sessions/links');
  const { operatorTokenVersion } = await import('@callout/tenancy/sessions/session-tokens');
  const { findZoneUrls } = await import('@callout/tenancy/zones');
  return createConsoleLinks({
    links: createConsoleLinkStore(database),
    baseUrlOf: async (tenantId) => PUBLIC_URL ?? (await findZoneUrls(database.prisma, [tenantId])).get(tenantId) ?? '',
    operatorIdentity: { kind: 'operator', proof: operatorTokenVersion(OPERATOR_TOKEN ?? '') },
  });
}

function shownLink({ url, expiresDateTime }: ConsoleLinkItem): Shown {
  const isPath = url.startsWith('/');
  const where = isPath
    ? ' Put the scheme and host of the API before it, or set PUBLIC_URL to get the whole address.'
    : '';
  return {
    data: { url, expiresDateTime },
    text: url,
    note: `It signs in the first person to open it, once, until ${expiresDateTime.toISOString()}.${where}`,
  };
}
