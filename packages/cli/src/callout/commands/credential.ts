import { Option, type Command } from 'commander';
import { credentialRoles } from '@callout/core';
import type { IssuedCredentialItem } from '@callout/db';
import { changesOf } from '../changes.ts';
import { withAdministration, type CommandContext, type Shown } from '../context.ts';
import { allPages, tenantNamed } from '../named.ts';
import { pairs, show, table } from '../show.ts';

const columns = ['id', 'userName', 'role', 'resourceID', 'createDateTime', 'revokeDateTime'];
const bodyNames = { resource: 'resourceID', userName: 'userName', role: 'role' };

/** `callout credential list|create|reissue|revoke` */
export function addCredentialCommands(program: Command, context: CommandContext): void {
  const credential = program
    .command('credential')
    .description('what callers of the API prove themselves with')
    .addHelpText(
      'after',
      `
A credential is a user name, a secret and an API integration code, sent as the headers UserName, Secret and
ApiIntegrationCode. Secret and code are shown when they are made, and never again: only a hash of the secret is stored.
Roles: integrator (webhooks and reads), source (writes records and events), admin (everything of the tenant).

Examples:
  $ npx callout credential create --tenant acme --resource 1 --user-name crm@acme.example --role integrator
  $ npx callout credential reissue crm@acme.example   # a new secret; the old one stops working
  $ npx callout credential revoke crm@acme.example`,
    );

  credential
    .command('list')
    .description('show the credentials of a tenant, without secrets')
    .requiredOption('--tenant <tenant>', 'id or name')
    .action(async ({ tenant }: { tenant: string }, command: Command) => {
      const all = await withAdministration(context, async (administration) => {
        const { id } = await tenantNamed(administration, tenant);
        return allPages((page) => administration.credentials.list(id, page));
      });
      show(context, command, { data: all, text: table(all, columns, 'The tenant has no credential yet.') });
    });

  credential
    .command('create')
    .description('make a credential and show its secret, this once')
    .requiredOption('--tenant <tenant>', 'id or name')
    .requiredOption('--resource <id>', 'the resource that it acts for')
    .requiredOption('--user-name <name>', 'unique in the installation')
    .addOption(new Option('--role <role>', 'what it may do').choices(credentialRoles).makeOptionMandatory())
    .action(async ({ tenant }: { tenant: string }, command: Command) => {
      const body = changesOf(command, bodyNames);
      const issued = await withAdministration(context, async (administration) =>
        administration.credentials.create((await tenantNamed(administration, tenant)).id, body),
      );
      show(context, command, shownOnce(issued));
    });

  credential
    .command('reissue')
    .description('give a credential a new secret and code; a revoked one works again')
    .argument('<userName>')
    .action(async (userName: string, _options: unknown, command: Command) => {
      const issued = await withAdministration(context, async ({ credentials }) => {
        const { tenantID, id } = await credentials.readByUserName(userName);
        return credentials.reissue(tenantID, id);
      });
      show(context, command, shownOnce(issued));
    });

  credential
    .command('revoke')
    .description('make a credential stop working, from the next request on')
    .argument('<userName>')
    .action(async (userName: string, _options: unknown, command: Command) => {
      const revoked = await withAdministration(context, async ({ credentials }) => {
        const { tenantID, id } = await credentials.readByUserName(userName);
        return credentials.revoke(tenantID, id);
      });
      show(context, command, { data: revoked, text: pairs(revoked) });
    });
}

function shownOnce(issued: IssuedCredentialItem): Shown {
  const note = 'Secret and code are shown this once. Keep them now: nobody can read them again.';
  return { data: issued, text: pairs(issued), note };
}
