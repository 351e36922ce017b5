import { type Command, InvalidArgumentError } from 'commander';
import { openApi } from '../api/open-api.ts';
import { findWebhook, placeName, webhookPath } from '../api/webhooks.ts';
import type { CommandContext } from '../context.ts';
import { readJsonFile } from '../input/json-file.ts';
import { chosenSecret, type SecretOptions, withSecretOptions } from '../input/secret-options.ts';
import { readCatalogue, webhookHelp } from '../input/webhook-named.ts';
import { show } from '../show/show.ts';
import { previewText } from '../show/preview-text.ts';
import { changeChildren, type ChildOptions } from './change-children.ts';
import { listOf, type SettingOptions, settingsBody, shownSettings, withSettingOptions } from './setting-options.ts';
import { updateSettings, versionOf } from './versioned-update.ts';

type UpdateOptions = SettingOptions &
  ChildOptions & { readonly file?: string; readonly ifMatch?: string; readonly preview?: true };

/** `callout webhooks update|rotate-secret` */
export function addWebhookUpdate(webhooks: Command, context: CommandContext): void {
  withSettingOptions(
    webhooks
      .command('update')
      .description('change settings and fields of a webhook')
      .argument('<webhook>', webhookHelp),
  )
    .option('--fields <names>', 'system fields whose changes make callouts: these and no others', listOf)
    .option('--display <names>', 'system fields that every callout includes: these and no others', listOf)
    .option('--udf <names>', 'user-defined fields whose changes make callouts: these and no others', listOf)
    .option('--exclude-resource <ids>', 'resources whose changes are left out: these and no others', listOf)
    .option('--file <file>', 'a change as JSON, as the body of a PATCH has it, - for stdin; options override it')
    .option('--if-match <version>', 'change only the version with this ETag, which `show` prints', versionOf)
    .option('--preview', 'change nothing, and show what the change would make of the last 100 events')
    .addHelpText(
      'after',
      `
An empty list, such as --display "", removes all. What no option names stays as it is.
A file may have the version as "etag": if the webhook has been changed since, nothing is changed, and both are shown.

Examples:
  $ callout webhooks update Company/3 --url https://shop.example.com/other
  $ callout webhooks update Company/3 --fields phone,city --display companyName
  $ callout webhooks update Ticket/1 --file condition.json --preview
  $ callout webhooks update Ticket/1 --udf "Contract number" --exclude-resource 4,7`,
    )
    .action(async (named: string, options: UpdateOptions, command: Command) => {
      const { etag, ...fromFile } = options.file === undefined ? {} : await readJsonFile(context, options.file);
      const version = options.ifMatch ?? (typeof etag === 'string' ? versionOf(etag) : undefined);
      const body = { ...fromFile, ...(await settingsBody(context, options)) };
      const { fields, display, udf, excludeResource } = options;
      const hasChildren = [fields, display, udf, excludeResource].some((list) => list !== undefined);
      if (Object.keys(body).length === 0 && !hasChildren) {
        command.error('error: say what to change, with at least one option');
      }
      const { client } = await openApi(context, command);
      const place = await findWebhook(client, await readCatalogue(context), named);
      const params = { path: { id: place.id } };
      if (options.preview === true) {
        if (hasChildren)
          command.error('error: --preview takes fields from --file only, as the body of a create has them');
        const { data } = await client.POST(webhookPath(place.entity.webhookCollection, '/preview'), { params, body });
        show(context, command, { data: data.item, text: previewText(data.item) });
        return;
      }
      const isNeeded = Object.keys(body).length > 0 || version !== undefined;
      const warnings = isNeeded ? await updateSettings(client, place, body, version) : [];
      const changedRecords = hasChildren ? await changeChildren(client, place, options) : 0;
      const webhook = placeName(place);
      const note = warnings.length > 0 ? { note: warnings.join('\n') } : {};
      const counted = hasChildren ? ` Fields and exclusions that changed: ${changedRecords}.` : '';
      const data = { webhook, ...shownSettings(body), ...(hasChildren && { changedRecords }), warnings };
      show(context, command, { data, text: `${webhook} is updated.${counted}`, ...note });
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
          overlapHours === 0
            ? `${webhook} has a new secret, and the old one signs no more: change the receiver now.`
            : `${webhook} has a new secret. Both sign for ${overlapHours} hours: change the receiver within that time.`,
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
