import type { Command } from 'commander';
import { printable } from '../../printable.ts';
import { openClient } from '../api/open-client.ts';
import { findWebhook, placeName, readWebhook, webhookPath } from '../api/webhooks.ts';
import type { CommandContext } from '../context.ts';
import { isConfirmed } from '../input/confirmed.ts';
import { readCatalogue, webhookHelp } from '../input/webhook-named.ts';
import { show } from '../show/show.ts';

/** `callout webhooks activate|deactivate|delete|test` */
export function addWebhookActions(webhooks: Command, context: CommandContext): void {
  webhooks
    .command('activate')
    .description('let a webhook get callouts of what happens from now on')
    .argument('<webhook>', webhookHelp)
    .action(async (named: string, _options: unknown, command: Command) => {
      const { client, params, collection, webhook } = await findNamed(context, named, command);
      await client.PATCH(webhookPath(collection, ''), { params, body: { isActive: true } });
      show(context, command, { data: { webhook, isActive: true }, text: `${webhook} is active.` });
    });

  addWebhookEnd(webhooks, context, 'deactivate');
  addWebhookEnd(webhooks, context, 'delete');

  webhooks
    .command('test')
    .description('send a webhook one signed sample, and show what its receiver answers')
    .argument('<webhook>', webhookHelp)
    .action(async (named: string, _options: unknown, command: Command) => {
      const { client, params, collection, webhook } = await findNamed(context, named, command);
      const { data } = await client.POST(webhookPath(collection, '/test'), { params });
      const attempt = data.attempt;
      const failure = attempt?.failure ?? null;
      const isDelivered = data.state === 'delivered';
      const answer =
        attempt === null
          ? `No attempt was made in time. ${data.notMadeBecause} \`callout deliveries tail\` shows a later one.`
          : `${attempt.status ?? 'no answer'} from ${attempt.url} after ${attempt.durationMs} ms`;
      const text = [
        isDelivered ? context.out.green(answer) : answer,
        ...(failure === null ? [] : [failure]),
        `The callout: ${data.calloutID}`,
      ].join('\n');
      show(context, command, { data: { webhook, ...data }, text, isIncomplete: !isDelivered });
    });
}

/** `deactivate` or `delete`, which integrators have for their webhooks, and operators the first of them for all. */
export function addWebhookEnd(webhooks: Command, context: CommandContext, action: 'deactivate' | 'delete'): void {
  const isDelete = action === 'delete';
  webhooks
    .command(action)
    .description(
      isDelete
        ? 'delete a webhook: its open callouts are cancelled, and its receiver is notified'
        : 'set a webhook inactive: its open callouts are cancelled, and its receiver is notified',
    )
    .argument('<webhook>', webhookHelp)
    .option('--yes', 'do it without being asked')
    .action(async (named: string, { yes }: { yes?: true }, command: Command) => {
      const { client, place, params, collection, webhook } = await findNamed(context, named, command);
      const { name, isActive } = await readWebhook(client, place);
      if (!isDelete && !isActive) {
        show(context, command, { data: { webhook, isActive }, text: `${webhook} was inactive already.` });
        return;
      }
      const openCallouts = await client.GET(webhookPath(collection, '/Callouts/query/count'), {
        params: { ...params, query: { state: 'waiting,held,due' } },
      });
      const count = openCallouts.data.queryCount;
      const done = isDelete ? 'deleted' : 'inactive';
      const what = `${webhook} (${printable(name)}) will be ${isDelete ? 'deleted' : 'deactivated'}. Open callouts to be cancelled: ${count}.`;
      if (!(await isConfirmed(context, what, yes))) {
        show(context, command, { data: { webhook }, text: 'Nothing was changed.', isIncomplete: true });
        return;
      }
      if (isDelete) await client.DELETE(webhookPath(collection, ''), { params });
      else await client.PATCH(webhookPath(collection, ''), { params, body: { isActive: false } });
      const data = isDelete ? { webhook, isDeleted: true } : { webhook, isActive: false };
      show(context, command, { data: { ...data, cancelledCallouts: count }, text: `${webhook} is ${done}.` });
    });
}

async function findNamed(context: CommandContext, named: string, command: Command) {
  const client = await openClient(context, command);
  const place = await findWebhook(client, await readCatalogue(context), named);
  const params = { path: { id: place.id } };
  const collection = place.entity.webhookCollection;
  return { client, place, params, collection, webhook: placeName(place) };
}
