import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { type CalloutClient, calloutTypes, type WebhookPlace, webhookCollections } from '@callout/client';
import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import { Problem } from '@callout/domain/problem';
import { CannotGoOn, reasonOf } from '../../cannot-go-on.ts';
import type { CommandContext } from '../context.ts';
import { openApi } from '../api/open-api.ts';
import { findWebhook } from '../api/webhooks.ts';
import { readCatalogue, webhookHelp } from '../input/webhook-named.ts';
import { show } from '../show/show.ts';

interface TypesOptions {
  readonly out?: string;
  readonly check?: true;
}

/** `callout types` */
export function addTypesCommand(program: Command, context: CommandContext): void {
  program
    .command('types')
    .description('write TypeScript types of the callouts of webhooks, for createReceiver of @callout/receiver')
    .argument('[webhooks...]', `each by ${webhookHelp}; by default all that you can see`)
    .option('--out <file>', 'the file to write; by default stdout')
    .option('--check', 'write nothing, and exit with 1 if the file is out of date')
    .addHelpText(
      'after',
      `
An interface for each webhook, named after it, with its actions and fields, user-defined ones too. The file changes only when
a webhook or the metadata of its fields has changed: keep it with your sources, and let your CI run --check.

Examples:
  $ callout types --out src/callouts.ts
  $ callout types Company/3 Ticket/1 --out src/callouts.ts
  $ callout types --out src/callouts.ts --check`,
    )
    .action(async (names: readonly string[], { out, check }: TypesOptions, command: Command) => {
      if (check === true && out === undefined) throw Problem.invalid('--check needs --out, the file to look at');
      const { client } = await openApi(context, command);
      const catalogue = await readCatalogue(context);
      const places =
        names.length === 0 ? undefined : await Promise.all(names.map((name) => placeNamed(client, catalogue, name)));
      const types = await calloutTypes(client, places);
      if (out === undefined) {
        show(context, command, { data: { types }, text: types.trimEnd() });
        return;
      }
      const file = path.resolve(out);
      const isUpToDate = (await textOf(file)) === types;
      if (check === true) {
        const text = isUpToDate ? '' : `${out} is not up to date. Write it again: callout types --out ${out}`;
        show(context, command, { data: { file, isUpToDate }, text, isIncomplete: !isUpToDate });
        return;
      }
      if (!isUpToDate) await write(file, types);
      const text = isUpToDate ? `${out} is up to date.` : `${out} is written.`;
      show(context, command, { data: { file, isUpToDate: true }, text });
    });
}

/**
 * The webhook that an argument names. Throws a Problem for an unknown webhook, or when the client does not have the
 * collection.
 */
async function placeNamed(client: CalloutClient, catalogue: Catalogue, text: string): Promise<WebhookPlace> {
  const { entity, id } = await findWebhook(client, catalogue, text);
  const collection = webhookCollections.find((one) => one === entity.webhookCollection);
  if (collection === undefined) throw Problem.invalid(`${text}: the client knows no ${entity.webhookCollection}`);
  return { collection, id };
}

/** Undefined for a file that is not there. */
async function textOf(file: string): Promise<string | undefined> {
  try {
    // Git may have checked it out with the line ends of Windows.
    return (await readFile(file, 'utf8')).replaceAll('\r\n', '\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CannotGoOn(`${file} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new CannotGoOn(`${file} cannot be written: ${reasonOf(error)}`, { cause: error });
  }
}
