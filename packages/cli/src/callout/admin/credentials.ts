import { Argument, Option, type Command } from 'commander';
import { credentialRoles } from '@callout/tenancy/input/credential-input.rules';
import type { OperatorClient, OperatorSchemas as Schemas } from '@callout/client';
import type { CommandContext } from '../context.ts';
import { showItem, showItems } from '../show/show.ts';
import { fromEnvironment, givenSecret } from '../input/secret-options.ts';
import { allOf, changesOf, tenantNamed } from './operator/named.ts';
import { openOperator } from './operator/open-operator.ts';

const columns = ['id', 'userName', 'role', 'resourceID', 'isSecretImported', 'createDateTime', 'revokeDateTime'];
const onePath = '/tenants/{tenantId}/credentials/{credentialId}';
const bodyNames = { resource: 'resourceID', userName: 'userName', role: 'role' };

/** `callout admin credentials list|create|set-role|reissue|revoke` */
export function addCredentialCommands(program: Command, context: CommandContext): void {
  const credential = program
    .command('credentials')
    .alias('credential')
    .description('what callers of the API authenticate with')
    .addHelpText(
      'after',
      `
A credential is a user name, a secret and an API integration code, sent as the headers UserName, Secret and
ApiIntegrationCode. Secret and code are shown when they are made, and never again: only a hash of the secret is stored.
Roles: integrator (webhooks and reads), source (writes records and events), admin (everything of the tenant).

A client that has a secret and a code already can keep both: name the environment variable that holds them, or write the
secret to stdin. They are taken from no argument, because every user of the machine can read those, and shown nowhere. An
imported secret is only as good as it was elsewhere, and costs the API some hundred milliseconds of a core every 10
seconds in which it is used; reissue replaces it by a generated one.

Examples:
  $ callout admin credentials create --tenant acme --resource 1 --user-name crm@acme.example --role integrator
  $ callout admin credentials create --tenant acme --resource 1 --user-name old@acme.example --role integrator \\
      --secret-stdin --api-integration-code-env OLD_CODE < old-secret.txt
  $ callout admin credentials set-role crm@acme.example admin
  $ callout admin credentials reissue crm@acme.example   # a new secret
  $ callout admin credentials revoke crm@acme.example`,
    );

  credential
    .command('list')
    .description('show the credentials of a tenant, without secrets')
    .requiredOption('--tenant <tenant>', 'id or name')
    .action(async ({ tenant }: { tenant: string }, command: Command) => {
      const operator = await openOperator(context, command);
      const { id: tenantId } = await tenantNamed(operator, tenant);
      const all = await allOf((query) =>
        operator.GET('/tenants/{tenantId}/credentials', { params: { path: { tenantId }, query } }),
      );
      showItems(context, command, all, columns, 'The tenant has no credential yet.');
    });

  credential
    .command('create')
    .description('make a credential and show what was generated for it, this once')
    .requiredOption('--tenant <tenant>', 'id or name')
    .requiredOption('--resource <id>', 'the resource that it acts for')
    .requiredOption('--user-name <name>', 'unique in the installation')
    .addOption(new Option('--role <role>', 'what it may do').choices(credentialRoles).makeOptionMandatory())
    .addOption(
      new Option('--secret-stdin', 'take the secret from stdin instead of generating it').conflicts('secretEnv'),
    )
    .option('--secret-env <variable>', 'take the secret from this environment variable')
    .option('--api-integration-code-env <variable>', 'take the code from this environment variable')
    .action(async (options: CreateOptions, command: Command) => {
      const body = { ...changesOf(command, bodyNames), ...(await imported(context, options)) };
      const operator = await openOperator(context, command);
      const { id: tenantId } = await tenantNamed(operator, options.tenant);
      const params = { path: { tenantId } };
      const { data } = await operator.POST('/tenants/{tenantId}/credentials', { params, body: body as never });
      showOnce(context, command, data.item);
    });

  credential
    .command('set-role')
    .description('change what a credential may do, from the next request on')
    .argument('<userName>')
    .addArgument(new Argument('<role>').choices(credentialRoles))
    .action(async (userName: string, role: Schemas['Credential']['role'], _options: unknown, command: Command) => {
      const operator = await openOperator(context, command);
      const params = { path: await credentialOf(operator, userName) };
      const { data } = await operator.PATCH(onePath, { params, body: { role } });
      showItem(context, command, data.item);
    });

  credential
    .command('reissue')
    .description('give a credential a new secret and code; a revoked one works again')
    .argument('<userName>')
    .action(async (userName: string, _options: unknown, command: Command) => {
      const operator = await openOperator(context, command);
      const params = { path: await credentialOf(operator, userName) };
      const { data } = await operator.POST(`${onePath}/reissue`, { params });
      showOnce(context, command, data.item);
    });

  credential
    .command('revoke')
    .description('make a credential stop working, from the next request on')
    .argument('<userName>')
    .action(async (userName: string, _options: unknown, command: Command) => {
      const operator = await openOperator(context, command);
      const params = { path: await credentialOf(operator, userName) };
      const { data } = await operator.DELETE(onePath, { params });
      showItem(context, command, data.item);
    });
}

interface CreateOptions {
  readonly tenant: string;
  readonly secretStdin?: true;
  readonly secretEnv?: string;
  readonly apiIntegrationCodeEnv?: string;
}

/** The imported parts; the others are generated. */
async function imported(context: CommandContext, options: CreateOptions): Promise<Record<string, string>> {
  const { secretStdin, secretEnv, apiIntegrationCodeEnv } = options;
  const hasSecret = secretStdin === true || secretEnv !== undefined;
  return {
    ...(hasSecret && { secret: await givenSecret(context, secretEnv) }),
    ...(apiIntegrationCodeEnv !== undefined && {
      apiIntegrationCode: fromEnvironment(context.env, apiIntegrationCodeEnv),
    }),
  };
}

function showOnce(context: CommandContext, command: Command, made: Schemas['IssuedCredential']): void {
  const isShown = made.secret !== undefined || made.apiIntegrationCode !== undefined;
  const note = isShown
    ? 'What was generated is shown this once. Store it now: it cannot be read again.'
    : 'Secret and code are those that you gave.';
  showItem(context, command, made, note);
}

/** The place of the credential with a user name. */
async function credentialOf(operator: OperatorClient, userName: string) {
  const { data } = await operator.GET('/credentials', { params: { query: { userName } } });
  return { tenantId: data.item.tenantID, credentialId: data.item.id };
}
