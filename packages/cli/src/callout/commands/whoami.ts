import type { Command } from 'commander';
import { Problem } from '@callout/domain/problem';
import type { CalloutClient } from '@callout/client';
import { usualProfile } from '../account.ts';
import { forgetProfiles, profilesFile, readProfiles } from '../profiles.ts';
import { openApi } from '../api/open-api.ts';
import type { CommandContext } from '../context.ts';
import { pairs, show } from '../show/show.ts';

/** `callout whoami` and `callout logout` */
export function addWhoamiCommands(program: Command, context: CommandContext): void {
  program
    .command('whoami')
    .description('show the credential and the installation in use, and what the credential may do')
    .addHelpText(
      'after',
      `
Examples:
  $ callout whoami
  $ callout whoami --profile staging --json`,
    )
    .action(async (_options: unknown, command: Command) => {
      const { client, account } = await openApi(context, command);
      const [rights, version] = await Promise.all([rightsOf(client), client.GET('/v1.0/Version')]);
      const { url, userName, profile } = account;
      const profiles = Object.keys(await readProfiles(context.env));
      const data = { userName, ...rights, url, version: version.data?.build ?? null, profile, profiles };
      const text = pairs({ ...data, profile: profile ?? 'none: from the environment', profiles: profiles.join(', ') });
      show(context, command, { data, text });
    });

  program
    .command('logout')
    .description('forget a kept credential')
    .option('--all', 'of all profiles')
    .addHelpText(
      'after',
      `
The credential itself goes on working: an operator revokes it with \`callout admin credentials revoke\`.

Examples:
  $ callout logout
  $ callout logout --profile staging`,
    )
    .action(async ({ all }: { all?: true }, command: Command) => {
      const { env } = context;
      const { profile = env['CALLOUT_PROFILE'] || usualProfile } = command.optsWithGlobals<{ profile?: string }>();
      const names = all === true ? Object.keys(await readProfiles(env)) : [profile];
      const forgotten = await forgetProfiles(env, names);
      if (forgotten.length === 0 && all !== true) {
        throw Problem.invalid(`there is no profile ${profile} in ${profilesFile(env)}`);
      }
      const text =
        forgotten.length === 0
          ? 'There was no credential to forget.'
          : `The credential of ${forgotten.join(', ')} is forgotten.`;
      show(context, command, { data: { forgotten }, text });
    });
}

/** The rights of a credential. */
export interface Rights {
  readonly role: 'integrator' | 'source' | 'admin';
  readonly mayCreateWebhooks: boolean;
}

/** Reads the rights of a credential from the metadata of the API's collections. */
export async function rightsOf(client: CalloutClient): Promise<Rights> {
  const [webhooks, records] = await Promise.all(
    ['CompanyWebhooks', 'Companies'].map((collection) =>
      client.GET('/v1.0/{collection}/entityInformation', { params: { path: { collection } } }),
    ),
  );
  const mayWriteWebhooks = webhooks?.data.info.userAccessForUpdate === 'All';
  const mayWriteRecords = records?.data.info.userAccessForCreate === 'All';
  const role = mayWriteWebhooks ? (mayWriteRecords ? 'admin' : 'integrator') : 'source';
  return { role, mayCreateWebhooks: webhooks?.data.info.userAccessForCreate === 'All' };
}
