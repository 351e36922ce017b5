import type { Command } from 'commander';
import { ApiError, type CalloutClient, queryAll } from '@callout/client';
import { openApi } from '../api/open-api.ts';
import { childrenOf } from './children.ts';
import { collectionPath, findWebhook, placeName, readWebhook, type Webhook, webhookPath } from '../api/webhooks.ts';
import type { CommandContext } from '../context.ts';
import {
  entityNamed,
  readCatalogue,
  watchedEntities,
  type WatchedEntity,
  webhookHelp,
} from '../input/webhook-named.ts';
import { pairs, show, table } from '../show/show.ts';

const columns = ['webhook', 'name', 'active', 'events', 'webhookUrl'];

/** `callout webhooks list` */
export function addWebhookList(webhooks: Command, context: CommandContext): void {
  webhooks
    .command('list')
    .description('show your webhooks')
    .option('--on <entity>', 'only those that watch it, such as Company')
    .action(async ({ on }: { on?: string }, command: Command) => {
      const catalogue = await readCatalogue(context);
      const { client } = await openApi(context, command);
      const entities = on === undefined ? watchedEntities(catalogue) : [entityNamed(catalogue, on)];
      const lists = await Promise.all(entities.map(async (entity) => rowsOf(client, entity)));
      const rows = lists.flat();
      const text = table(
        rows,
        columns,
        'You have no webhook yet: `callout webhooks create --help`.',
        context.out.columns,
      );
      show(context, command, { data: rows.map(({ webhook, item }) => ({ webhook, ...item })), text });
    });
}

async function rowsOf(client: CalloutClient, entity: WatchedEntity) {
  const rows: { webhook: string; name: string; active: boolean; events: string; webhookUrl: string; item: Webhook }[] =
    [];
  try {
    const found = queryAll(client, collectionPath(entity.webhookCollection, '/query'), { Filter: [] });
    for await (const row of found) {
      const item = row as Webhook;
      const webhook = placeName({ entity, id: item.id });
      const { name, isActive: active, webhookUrl } = item;
      rows.push({ webhook, name, active, events: eventsOf(item), webhookUrl, item });
    }
  } catch (error) {
    // An installation may lack an entity that this version knows.
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
  return rows;
}

/** `create, update` */
export function eventsOf(webhook: Webhook): string {
  const { isSubscribedToCreateEvents, isSubscribedToUpdateEvents, isSubscribedToDeleteEvents } = webhook;
  const words = {
    create: isSubscribedToCreateEvents,
    update: isSubscribedToUpdateEvents,
    delete: isSubscribedToDeleteEvents,
  };
  return Object.entries(words)
    .flatMap(([word, isSubscribed]) => (isSubscribed ? [word] : []))
    .join(', ');
}

/** `callout webhooks show` */
export function addWebhookShow(webhooks: Command, context: CommandContext): void {
  webhooks
    .command('show')
    .description('show a webhook, its fields, and whether it gets callouts and why not')
    .argument('<webhook>', webhookHelp)
    .action(async (named: string, _options: unknown, command: Command) => {
      const { client } = await openApi(context, command);
      const place = await findWebhook(client, await readCatalogue(context), named);
      const { webhookCollection } = place.entity;
      const item = await readWebhook(client, place);
      const [children, readiness, open] = await Promise.all([
        childrenOf(client, place),
        client.GET(webhookPath(webhookCollection, '/readiness'), { params: { path: { id: place.id } } }),
        client.GET(webhookPath(webhookCollection, '/Callouts/query/count'), {
          params: { path: { id: place.id }, query: { state: 'waiting,held,due' } },
        }),
      ]);
      const { getsCallouts, reasons } = readiness.data.item;
      const openCallouts = open.data.queryCount;
      const data = { webhook: placeName(place), ...item, ...children, getsCallouts, reasons, openCallouts };
      const { secretKey: _masked, ...shown } = item;
      const lines = [
        pairs({
          webhook: placeName(place),
          ...shown,
          events: eventsOf(item),
          ...childTexts(children),
          getsCallouts,
          openCallouts,
        }),
        ...(reasons.length > 0 ? [''] : []),
        ...reasons.map(({ message, blocks }) => (blocks ? context.out.red(message) : context.out.yellow(message))),
      ];
      show(context, command, { data, text: lines.join('\n') });
    });
}

function childTexts({ fields, udfFields, excludedResources }: Awaited<ReturnType<typeof childrenOf>>) {
  const words = (list: readonly { name: string; isSubscribed: boolean; isDisplayed: boolean }[]) => ({
    subscribed: list.flatMap(({ name, isSubscribed }) => (isSubscribed ? [name] : [])).join(', '),
    displayed: list.flatMap(({ name, isDisplayed }) => (isDisplayed ? [name] : [])).join(', '),
  });
  const [own, udf] = [words(fields), words(udfFields)];
  return {
    subscribedFields: own.subscribed,
    displayedFields: own.displayed,
    ...(udfFields.length > 0 && { subscribedUdfs: udf.subscribed, displayedUdfs: udf.displayed }),
    excludedResources: excludedResources.join(', '),
  };
}
