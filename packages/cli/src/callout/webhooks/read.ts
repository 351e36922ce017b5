import type { Command } from 'commander';
import {
  listedWebhooks,
  type ListedWebhook,
  nameOfListed,
  percent,
  findWebhook,
  placeName,
  readVersion,
  type Webhook,
  webhookPath,
} from '../api/webhooks.ts';
import { isForOperators, openClient } from '../api/open-client.ts';
import { changesTable, withShownUrls as withChangedUrls } from '../commands/changes.ts';
import { childrenOf } from './children.ts';
import type { CommandContext } from '../context.ts';
import { entityNamed, readCatalogue, webhookHelp } from '../input/webhook-named.ts';
import { redactedUrl } from '../show/redacted.ts';
import { pairs, show, table } from '../show/show.ts';

const shownChanges = 20;
const columns = ['webhook', 'name', 'state', 'lastDelivery', 'errorRate', 'webhookUrl'];

/** `callout webhooks list` */
export function addWebhookList(webhooks: Command, context: CommandContext): void {
  webhooks
    .command('list')
    .description('show your webhooks, with their state, last delivery, and error rate of the last 24 hours')
    .option('--on <entity>', 'only those that watch it, such as Company')
    .action(async ({ on }: { on?: string }, command: Command) => {
      const catalogue = await readCatalogue(context);
      const client = await openClient(context, command);
      const entityType = on === undefined ? undefined : entityNamed(catalogue, on).entityType;
      const items = (await listedWebhooks(client, entityType)).map((item) => withShownUrls(command, item));
      const rows = items.map((item) => ({ ...item, ...activityOf(item), webhook: nameOfListed(catalogue, item) }));
      const none = 'There is no webhook yet: `callout webhooks create --help`.';
      const text = table(rows, columns, none, context.out.columns);
      show(context, command, { data: items.map((item, at) => ({ webhook: rows[at]?.webhook, ...item })), text });
    });
}

/** Operators see no secrets that an integrator has put into addresses. */
function withShownUrls<Item extends { webhookUrl: string; deactivationUrl?: string }>(
  command: Command,
  item: Item,
): Item {
  if (!isForOperators(command)) return item;
  const { webhookUrl, deactivationUrl } = item;
  return {
    ...item,
    webhookUrl: redactedUrl(webhookUrl),
    ...(deactivationUrl !== undefined && { deactivationUrl: redactedUrl(deactivationUrl) }),
  };
}

/** The columns about the deliveries of a webhook. */
function activityOf({ lastDeliveryDateTime, last24Hours: { errorRate } }: ListedWebhook) {
  return { lastDelivery: lastDeliveryDateTime, errorRate: errorRate === null ? null : percent(errorRate) };
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
    .description('show a webhook, its fields, and whether it gets callouts and why not, and what happened to it')
    .argument('<webhook>', webhookHelp)
    .action(async (named: string, _options: unknown, command: Command) => {
      const client = await openClient(context, command);
      const place = await findWebhook(client, await readCatalogue(context), named);
      const { webhookCollection } = place.entity;
      const { webhook, etag } = await readVersion(client, place);
      const item = withShownUrls(command, webhook);
      const [children, readiness, openCount, changes] = await Promise.all([
        childrenOf(client, place),
        client.GET(webhookPath(webhookCollection, '/readiness'), { params: { path: { id: place.id } } }),
        client.GET(webhookPath(webhookCollection, '/Callouts/query/count'), {
          params: { path: { id: place.id }, query: { state: 'waiting,held,due' } },
        }),
        client.GET(webhookPath(webhookCollection, '/Changes'), {
          params: { path: { id: place.id }, query: { maxRecords: shownChanges } },
        }),
      ]);
      const { getsCallouts, reasons } = readiness.data.item;
      const openCallouts = openCount.data.queryCount;
      const history = isForOperators(command) ? changes.data.items.map(withChangedUrls) : changes.data.items;
      const data = {
        webhook: placeName(place),
        etag,
        ...item,
        ...children,
        getsCallouts,
        reasons,
        openCallouts,
        changes: history,
      };
      const { secretKey: _masked, ...shown } = item;
      const lines = [
        pairs({
          webhook: placeName(place),
          etag,
          ...shown,
          events: eventsOf(item),
          ...childTexts(children),
          getsCallouts,
          openCallouts,
        }),
        ...(reasons.length > 0 ? [''] : []),
        ...reasons.map(({ message, blocks }) => (blocks ? context.out.red(message) : context.out.yellow(message))),
        '',
        changesTable(history, context.out.columns),
      ];
      show(context, command, { data, text: lines.join('\n') });
    });
}

function childTexts({ fields, udfFields, excludedResources }: Awaited<ReturnType<typeof childrenOf>>) {
  const words = (list: readonly { name: string; isSubscribed: boolean; isDisplayed: boolean }[]) => ({
    subscribed: list.flatMap(({ name, isSubscribed }) => (isSubscribed ? [name] : [])).join(', '),
    displayed: list.flatMap(({ name, isDisplayed }) => (isDisplayed ? [name] : [])).join(', '),
  });
  const [system, udf] = [words(fields), words(udfFields)];
  return {
    subscribedFields: system.subscribed,
    displayedFields: system.displayed,
    ...(udfFields.length > 0 && { subscribedUdfs: udf.subscribed, displayedUdfs: udf.displayed }),
    excludedResources: excludedResources.join(', '),
  };
}
