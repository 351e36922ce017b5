import { InvalidArgumentError, type Command } from 'commander';
import type { Schemas } from '@callout/client';
import { findWebhook, webhookPath } from '../api/webhooks.ts';
import { isForOperators, openClient } from '../api/open-client.ts';
import type { CommandContext } from '../context.ts';
import { moment, momentHelp } from '../input/moment.ts';
import { readCatalogue, webhookHelp } from '../input/webhook-named.ts';
import { redactedUrl } from '../show/redacted.ts';
import { show, table } from '../show/show.ts';

type Change = Schemas['Change'];

const columns = ['changedUTC', 'by', 'what', 'action', 'fields', 'why'];
/** The largest page of the API. */
const mostChanges = 500;
const usualChanges = 20;

interface ChangeOptions {
  readonly since?: Date;
  readonly until?: Date;
  readonly limit: number;
}

/** `callout changes` */
export function addChangesCommand(program: Command, context: CommandContext): void {
  withOptions(program.command('changes').description('who changed what in the tenant, newest first; for its admins'))
    .addHelpText(
      'after',
      `
Changes of webhooks, their fields, user-defined fields, resources, credentials and settings of the tenant.

Examples:
  $ callout changes
  $ callout changes --since yesterday --json`,
    )
    .action(async (options: ChangeOptions, command: Command) => {
      const client = await openClient(context, command);
      const { data } = await client.GET('/v1.0/Changes', { params: { query: queryOf(options) } });
      showChanges(context, command, data.items);
    });
}

/** `callout webhooks changes` */
export function addWebhookChanges(webhooks: Command, context: CommandContext): void {
  withOptions(
    webhooks
      .command('changes')
      .description('show who changed a webhook and its fields, from what to what, newest first')
      .argument('<webhook>', webhookHelp),
  ).action(async (named: string, options: ChangeOptions, command: Command) => {
    const client = await openClient(context, command);
    const { entity, id } = await findWebhook(client, await readCatalogue(context), named);
    const path = webhookPath(entity.webhookCollection, '/Changes');
    const { data } = await client.GET(path, { params: { path: { id }, query: queryOf(options) } });
    showChanges(context, command, data.items);
  });
}

function withOptions(command: Command): Command {
  return command
    .option('--since <time>', `made at this time or later: ${momentHelp}`, (text) => moment(text))
    .option('--until <time>', 'made before this time', (text) => moment(text))
    .option('--limit <changes>', `how many, up to ${mostChanges}`, limit, usualChanges);
}

function limit(text: string): number {
  const count = /^\d{1,3}$/u.test(text) ? Number(text) : 0;
  if (count < 1 || count > mostChanges) throw new InvalidArgumentError(`It must be 1 to ${mostChanges}.`);
  return count;
}

function queryOf({ since, until, limit: maxRecords }: ChangeOptions) {
  return {
    maxRecords,
    ...(since !== undefined && { since: since.toISOString() }),
    ...(until !== undefined && { until: until.toISOString() }),
  };
}

function showChanges(context: CommandContext, command: Command, items: readonly Change[]): void {
  const data = isForOperators(command) ? items.map(withShownUrls) : items;
  show(context, command, { data, text: changesTable(data, context.out.columns) });
}

/** Operators see no secrets that an integrator has put into addresses. */
export function withShownUrls(change: Change): Change {
  const shown = (value: unknown) => (typeof value === 'string' ? redactedUrl(value) : value);
  const fields = change.fields.map((one) =>
    one.field.endsWith('Url') ? { ...one, from: shown(one.from), to: shown(one.to) } : one,
  );
  return { ...change, fields };
}

/** Changes as lines for people. */
export function changesTable(items: readonly Change[], width: number | undefined): string {
  const rows = items.map(({ changedAt, changedBy, entity, entityID, action, cause, fields, detail }) => ({
    changedUTC: changedAt.slice(0, 19).replace('T', ' '),
    by: changedBy.userName ?? (changedBy.resourceID === null ? changedBy.kind : `resource ${changedBy.resourceID}`),
    what: entityID === null ? entity : `${entity} ${entityID}`,
    action,
    fields: fields.map(({ field, from, to }) => `${field}: ${textOf(from)} → ${textOf(to)}`).join(', '),
    why: detail ?? (cause === 'user' ? '' : cause),
  }));
  return table(rows, columns, 'Nothing was changed.', width);
}

function textOf(value: unknown): string {
  if (value === null) return 'nothing';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
