import { InvalidArgumentError, type Command } from 'commander';
import type { OperatorSchemas as Schemas } from '@callout/client';
import type { CommandContext, Shown } from '../context.ts';
import { parseWebhookName, readCatalogue, webhookHelp, type WebhookName } from '../input/webhook-named.ts';
import { show } from '../show/show.ts';
import { tenantNamed } from './operator/named.ts';
import { openOperator } from './operator/open-operator.ts';

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
  $ callout admin links portal --tenant acme --resource 1
  $ callout admin links portal --tenant acme --resource 1 --webhook CompanyWebhooks/3
  $ callout admin links sign-in crm@acme.example --tenant acme --expires-in 3600
  $ callout admin links operator`,
    );

  withExpiry(link.command('portal').description('sign in as a resource, for its webhooks alone'))
    .requiredOption('--tenant <tenant>', 'id or name')
    .requiredOption('--resource <id>', 'the resource')
    .option('--webhook <webhook>', `only this webhook: ${webhookHelp}`)
    .action(async (options: LinkOptions & { resource: string; webhook?: string }, command: Command) => {
      const { tenant, resource, webhook } = options;
      const one = webhook === undefined ? {} : bodyOf(parseWebhookName(await readCatalogue(context), webhook));
      const operator = await openOperator(context, command);
      const { id: tenantId } = await tenantNamed(operator, tenant);
      const { data } = await operator.POST('/tenants/{tenantId}/portalLinks', {
        params: { path: { tenantId } },
        body: { resourceID: resource as never, ...one, ...expiryOf(options) },
      });
      show(context, command, shownLink(data.item));
    });

  withExpiry(link.command('sign-in').description('sign in with the rights of a credential'))
    .argument('<userName>')
    .requiredOption('--tenant <tenant>', 'id or name')
    .action(async (userName: string, options: LinkOptions, command: Command) => {
      const operator = await openOperator(context, command);
      const { id: tenantId } = await tenantNamed(operator, options.tenant);
      const { data } = await operator.POST('/tenants/{tenantId}/signInLinks', {
        params: { path: { tenantId } },
        body: { userName, ...expiryOf(options) },
      });
      show(context, command, shownLink(data.item));
    });

  withExpiry(link.command('operator').description('sign in as an operator, on the operator port')).action(
    async (options: Omit<LinkOptions, 'tenant'>, command: Command) => {
      const operator = await openOperator(context, command);
      const { data } = await operator.POST('/signInLinks', { body: expiryOf(options) });
      show(context, command, shownLink(data.item));
    },
  );
}

/** The names of one webhook in the body of a request. */
const bodyOf = (name: WebhookName) =>
  'guid' in name ? { webhookGUID: name.guid } : { entityType: name.entityType, webhookID: name.id };

function withExpiry(command: Command): Command {
  return command.option('--expires-in <seconds>', 'how long it is valid, 10 to 3600', (text) => {
    if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('It must be a number of seconds.');
    return Number(text);
  });
}

/** Which seconds there may be is judged where the API judges it too. */
const expiryOf = ({ expiresIn }: Pick<LinkOptions, 'expiresIn'>) =>
  expiresIn === undefined ? {} : { expiresInSeconds: expiresIn };

function shownLink({ url, expiresDateTime }: Schemas['SignInLink']): Shown {
  const isPath = url.startsWith('/');
  const where = isPath
    ? ' Put the scheme and host of the API before it, or set PUBLIC_URL for the API to get the whole address.'
    : '';
  return {
    data: { url, expiresDateTime },
    text: url,
    note: `It signs in the first person to open it, once, until ${expiresDateTime}.${where}`,
  };
}
