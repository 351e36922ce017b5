import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import { addWebhookChanges } from './changes.ts';
import { addWebhookActions } from '../webhooks/actions.ts';
import { addWebhookCreate } from '../webhooks/create.ts';
import { addWebhookList, addWebhookShow } from '../webhooks/read.ts';
import { addWebhookUpdate } from '../webhooks/update.ts';

/** `callout webhooks …` */
export function addWebhooksCommands(program: Command, context: CommandContext): void {
  const webhooks = program
    .command('webhooks')
    .alias('webhook')
    .description('your webhooks: list, create, change, test and delete them')
    .addHelpText(
      'after',
      `
A webhook is named by its collection and id, such as CompanyWebhooks/3 or Company/3, or by its GUID.

Examples:
  $ callout webhooks list
  $ callout webhooks show Company/3
  $ callout webhooks create --on Company --name "Phones to the shop" --url https://shop.example.com/hook \\
      --fields phone --display companyName --show-secret
  $ callout webhooks test Company/3
  $ callout webhooks changes Company/3 --since 7d
  $ callout webhooks update Company/3 --url https://shop.example.com/other
  $ callout webhooks deactivate Company/3`,
    );
  addWebhookList(webhooks, context);
  addWebhookShow(webhooks, context);
  addWebhookCreate(webhooks, context);
  addWebhookUpdate(webhooks, context);
  addWebhookChanges(webhooks, context);
  addWebhookActions(webhooks, context);
}
