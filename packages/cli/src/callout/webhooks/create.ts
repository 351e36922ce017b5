import type { Command } from 'commander';
import type { Schemas } from '@callout/client';
import { openApi } from '../api/open-api.ts';
import { collectionPath, placeName } from '../api/webhooks.ts';
import type { CommandContext } from '../context.ts';
import { readJsonFile } from '../input/json-file.ts';
import { chosenSecret, type SecretOptions, withSecretOptions } from '../input/secret-options.ts';
import { entityNamed, readCatalogue } from '../input/webhook-named.ts';
import { show } from '../show/show.ts';
import { previewText } from '../show/preview-text.ts';
import { resourceId } from './change-children.ts';
import { eventsBody, listOf, type SettingOptions, settingsBody, withSettingOptions } from './setting-options.ts';

interface CreateOptions extends SettingOptions, SecretOptions {
  readonly on: string;
  readonly fields?: string[];
  readonly display?: string[];
  readonly allFields?: true;
  readonly udf?: string[];
  readonly excludeResource?: string[];
  readonly inactive?: true;
  readonly file?: string;
  readonly preview?: true;
}

/** `callout webhooks create` */
export function addWebhookCreate(webhooks: Command, context: CommandContext): void {
  const create = webhooks
    .command('create')
    .description('create a webhook')
    .requiredOption('--on <entity>', 'what it watches, such as Company');
  withSecretOptions(withSettingOptions(create))
    .option('--fields <names>', 'system fields whose changes make callouts, separated by commas', listOf)
    .option('--all-fields', 'all system fields')
    .option('--display <names>', 'fields that every callout includes', listOf)
    .option('--udf <names>', 'user-defined fields whose changes make callouts', listOf)
    .option('--exclude-resource <ids>', 'resources whose changes are left out', listOf)
    .option('--inactive', 'it gets no callouts until it is activated')
    .option('--file <file>', 'the body of the request as JSON, - for stdin; options override it')
    .option('--preview', 'create nothing, and show what the webhook would make of the last 100 events')
    .addHelpText(
      'after',
      `
Without --events it watches created and changed records. Without --deactivation-url, its own URL is notified when it
becomes inactive. With the URL pull: it keeps its callouts until a program fetches them.

Examples:
  $ callout webhooks create --on Company --name "Phones to the shop" --url https://shop.example.com/hook \\
      --fields phone --display companyName --secret-file shop.secret
  $ callout webhooks create --on Ticket --file ticket-webhook.json --preview
  $ callout webhooks create --on Ticket --file ticket-webhook.json --show-secret`,
    )
    .action(async (options: CreateOptions, command: Command) => {
      const entity = entityNamed(await readCatalogue(context), options.on);
      const fromFile = options.file === undefined ? {} : await readJsonFile(context, options.file);
      const needsNoSecret = options.preview === true || typeof fromFile['secretKey'] === 'string';
      const secret = needsNoSecret ? undefined : await chosenSecret(context, options);
      const { fields = [], display = [], allFields, udf = [], excludeResource = [] } = options;
      const all = entity.fields.filter((field) => field.isSupportedWebhookField).map(({ name }) => name);
      const subscribed = allFields === true ? all : fields;
      const body = {
        isActive: options.inactive !== true,
        ...(options.file === undefined && eventsBody('create,update')),
        ...fromFile,
        ...(await settingsBody(context, options)),
        ...(secret !== undefined && { secretKey: secret.secretKey }),
        ...(subscribed.length + display.length > 0 && { fields: fieldsBody('field', subscribed, display) }),
        ...(udf.length > 0 && { udfFields: fieldsBody('udfField', udf, []) }),
        ...(excludeResource.length > 0 && {
          excludedResources: excludeResource.map((id) => ({ resourceID: resourceId(id) })),
        }),
      };
      const { webhookUrl, deactivationUrl = webhookUrl } = body as { webhookUrl?: string; deactivationUrl?: string };
      const { client } = await openApi(context, command);
      if (options.preview === true) {
        const { data } = await client.POST(collectionPath(entity.webhookCollection, '/preview'), {
          body: { webhook: body as unknown as Partial<Schemas['WebhookCreate']> },
        });
        show(context, command, { data: data.item, text: previewText(data.item) });
        return;
      }
      const { data } = await client.POST(collectionPath(entity.webhookCollection, ''), {
        body: {
          ...body,
          ...(deactivationUrl !== undefined && { deactivationUrl }),
        } as unknown as Schemas['WebhookCreate'],
      });
      const shown = secret?.shown ?? null;
      const webhook = placeName({ entity, id: data?.itemId ?? 0 });
      const warnings = [
        ...(data?.warnings ?? []),
        ...(data?.ignored ?? []).map((name) => `Ignored, because it is unknown: ${name}.`),
      ];
      show(context, command, {
        data: { webhook, itemId: data?.itemId, ...(shown !== null && { secretKey: shown }), warnings },
        text: [`${webhook} is created.`, ...(shown === null ? [] : [`Its secret: ${shown}`])].join('\n'),
        note: [...(secret?.note === undefined ? [] : [secret.note]), ...warnings].join('\n') || undefined,
      });
    });
}

function fieldsBody(key: 'field' | 'udfField', subscribed: readonly string[], displayed: readonly string[]) {
  return [...new Set([...subscribed, ...displayed])].map((name) => ({
    [key]: name,
    isSubscribedField: subscribed.includes(name),
    isDisplayAlwaysField: displayed.includes(name),
  }));
}
