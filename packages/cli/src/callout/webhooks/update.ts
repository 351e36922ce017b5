import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { openApi } from '../api/open-api.ts';
import { findWebhook, placeName, webhookPath } from '../api/webhooks.ts';
import type { CommandContext } from '../context.ts';
import { chosenSecret, type SecretOptions, withSecretOptions } from '../input/secret-options.ts';
import { readCatalogue, webhookHelp } from '../input/webhook-named.ts';
import { show } from '../show/show.ts';
import { type SettingOptions, settingsBody, withSettingOptions } from './setting-options.ts';

/** `callout webhooks update|rotate-secret` */
export function addWebhookUpdate(webhooks: Command, context: CommandContext): void {
  withSettingOptions(
    webhooks.command('update').description('change settings of a webhook').argument('<webhook>', webhookHelp),
  ).action(async (named: string, options: SettingOptions, command: Command) => {
    const body = settingsBody(options);
    if (Object.keys(body).length === 0) command.error('error: say what to change, with at least one option');
    const { client } = await openApi(context, command);
    const place = await findWebhook(client, await readCatalogue(context), named);
    const { data } = await client.PATCH(webhookPath(place.entity.webhookCollection, ''), {
      params: { path: { id: place.id } },
      body,
    });
    const webhook = placeName(place);
    const warnings = data?.warnings ?? [];
    const note = warnings.length > 0 ? { note: warnings.join('\n') } : {};
    show(context, command, { data: { webhook, ...body, warnings }, text: `${webhook} is updated.`, ...note });
  });

  withSecretOptions(
    webhooks
      .command('rotate-secret')
      .description('give a webhook a new secret; both sign for some hours')
      .argument('<webhook>', webhookHelp),
  )
    .option('--overlap-hours <hours>', 'how long both secrets sign, 0 to 168', hours, 24)
    .action(async (named: string, options: SecretOptions & { overlapHours: number }, command: Command) => {
      const { overlapHours } = options;
      const { client } = await openApi(context, command);
      const place = await findWebhook(client, await readCatalogue(context), named);
      const { secretKey, shown, note } = await chosenSecret(context, options);
      await client.POST(webhookPath(place.entity.webhookCollection, '/rotateSecret'), {
        params: { path: { id: place.id } },
        body: { secretKey, overlapHours },
      });
      const webhook = placeName(place);
      show(context, command, {
        data: { webhook, overlapHours, ...(shown !== null && { secretKey: shown }) },
        text: [
          `${webhook} has a new secret. Both sign for ${overlapHours} hours: change the receiver within that time.`,
          ...(shown === null ? [] : [`Its secret: ${shown}`]),
        ].join('\n'),
        ...(note !== undefined && { note }),
      });
    });
}

function hours(text: string): number {
  if (!/^\d{1,3}$/u.test(text) || Number(text) > 168) throw new InvalidArgumentError('It must be 0 to 168.');
  return Number(text);
}
