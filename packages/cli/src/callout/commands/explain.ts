import type { Command } from 'commander';
import { Problem } from '@callout/domain/problem';
import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import { ApiError, type CalloutClient, type Schemas } from '@callout/client';
import { openApi } from '../api/open-api.ts';
import { findWebhook, readWebhook } from '../api/webhooks.ts';
import type { CommandContext } from '../context.ts';
import { nameOfEntity, nameOfWebhook, readCatalogue, webhookHelp } from '../input/webhook-named.ts';
import { printable } from '../../printable.ts';
import { isWithin, pairs, show, table } from '../show/show.ts';

type Event = Schemas['LoggedEventDetails'];
type Outcome = Schemas['EventOutcome'];
type Callout = Schemas['CalloutDetails'];

/** `callout explain` */
export function addExplainCommand(program: Command, context: CommandContext): void {
  program
    .command('explain')
    .description('explain why a webhook got a callout for an event or not, and the outcome')
    .argument('<id>', 'an eventID, or the id of a callout: the webhook-id of its request')
    .option('--webhook <webhook>', `every rule for this webhook: ${webhookHelp}`)
    .addHelpText(
      'after',
      `
For an event it shows what was decided for each webhook; with --webhook, every rule with its outcome. For a callout it shows
the rules for its webhook, what was tried, and what it waits for.

Examples:
  $ callout explain crm-1
  $ callout explain crm-1 --webhook CompanyWebhooks/3
  $ callout explain 019cb6a1-0000-7000-8000-000000000001`,
    )
    .action(async (id: string, { webhook }: { webhook?: string }, command: Command) => {
      const catalogue = await readCatalogue(context);
      const { client } = await openApi(context, command);
      const event = await eventOf(client, id);
      if (event === undefined) {
        const callout = await calloutOf(client, id);
        const { eventID, webhookGUID } = callout;
        const explanation = eventID === null ? null : await explanationOf(client, eventID, webhookGUID);
        const data = { callout, explanation };
        const text = [
          calloutText(callout, catalogue),
          ...(explanation === null ? [] : ['', ruleText(explanation, context)]),
        ];
        show(context, command, { data, text: text.join('\n') });
        return;
      }
      if (webhook !== undefined) {
        const place = await findWebhook(client, catalogue, webhook);
        const { webhookGUID } = await readWebhook(client, place);
        const explanation = await explanationOf(client, event.eventID, webhookGUID);
        if (explanation === null) throw Problem.invalid(`${webhook} does not watch the entity of this event`);
        show(context, command, { data: { event, explanation }, text: ruleText(explanation, context) });
        return;
      }
      show(context, command, { data: { event }, text: eventText(event, catalogue, context) });
    });
}

/** Undefined for a 404. */
async function eventOf(client: CalloutClient, eventID: string): Promise<Event | undefined> {
  const { data } = await orUndefined(client.GET('/v1.0/EntityEvents/{eventID}', { params: { path: { eventID } } }));
  return data?.item;
}

async function calloutOf(client: CalloutClient, calloutID: string): Promise<Callout> {
  const { data } = await orUndefined(client.GET('/v1.0/Callouts/{calloutID}', { params: { path: { calloutID } } }));
  if (data !== undefined) return data.item;
  throw new Problem('notFound', [
    {
      code: 'notFound',
      message: `There is neither an event nor a callout with the id ${id(calloutID)}. An update that changed nothing is remembered for a day, all others as long as the operator has set. \`callout deliveries list\` shows the newest callouts.`,
    },
  ]);
}

const id = (text: string) => text.slice(0, 100);

async function explanationOf(client: CalloutClient, eventID: string, webhookGUID: string): Promise<Outcome | null> {
  const { data } = await orUndefined(
    client.GET('/v1.0/EntityEvents/{eventID}/explain', { params: { path: { eventID }, query: { webhookGUID } } }),
  );
  return data?.item ?? null;
}

async function orUndefined<Answer>(answer: Promise<Answer>): Promise<Answer | { data: undefined }> {
  return answer.catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return { data: undefined };
    throw error;
  });
}

/** The verdicts about an event, webhook by webhook. */
export function eventText(event: Event, catalogue: Catalogue, { out }: CommandContext): string {
  const { eventID, entityType, action, recordID, state, changedFields = [], changedUserDefinedFields = [] } = event;
  const changed = [...changedFields, ...changedUserDefinedFields].join(', ');
  const head = pairs({
    eventID,
    what: entityType && `${action} ${nameOfEntity(catalogue, entityType)} ${recordID}`,
    state,
    changed,
  });
  if (state === 'unchanged') return `${head}\n\nThe update changed nothing, so no webhook gets a callout.`;
  if (state === 'pending')
    return `${head}\n\nIt has not been matched with the webhooks yet; that takes moments while a worker runs.`;
  const rows = (event.verdicts ?? []).map((verdict) => ({
    webhook: nameOfWebhook(catalogue, { entityType: entityType ?? '', id: verdict.webhookID }),
    callout: verdict.callout?.id ?? 'none',
    state: verdict.callout?.state ?? '-',
    why: verdict.message,
  }));
  const columns = ['webhook', 'callout', 'state', 'why'];
  if (isWithin(rows, columns, out.columns)) {
    return `${head}\n\n${table(rows, columns, 'No webhook watched this entity when the event was matched.')}`;
  }
  // The reason is the purpose of the command, and is not cut.
  const verdicts = rows.map(
    ({ webhook, callout, state, why }) => `${webhook}  ${callout}  ${state}\n  ${printable(why)}`,
  );
  return `${head}\n\n${verdicts.join('\n')}`;
}

function ruleText({ message, rules, ...item }: Outcome, { out }: CommandContext): string {
  const list = (names: readonly string[] | null) => (names ?? []).join(', ');
  const { changedFields, changedUserDefinedFields: changedUdfs, subscribedFields, subscribedUserDefinedFields } = item;
  const lines = [
    item.getsCallout === true ? out.green(message) : out.yellow(message),
    ...(rules ?? []).map((rule) => `  ${rule.blocks ? out.red('no ') : out.green('yes')}  ${rule.message}`),
    '',
    pairs({
      changed: list([...changedFields, ...changedUdfs]),
      subscribed: list([...(subscribedFields ?? []), ...(subscribedUserDefinedFields ?? [])]),
      ...(item.previousFields !== null && { before: valuesText(item) }),
    }),
  ];
  if (item.hasConfigurationChanged === true) {
    lines.push('', 'The webhook has been changed since: its rules of then are not shown.');
  }
  return lines.join('\n');
}

/** Such as `city Oslo, phone empty`; what was not known is left out. */
function valuesText({ previousFields, previousUserDefinedFields }: Omit<Outcome, 'message' | 'rules'>): string {
  const values = Object.entries({ ...previousFields, ...previousUserDefinedFields });
  return values.length === 0
    ? 'nothing is known'
    : values.map(([name, value]) => `${name} ${typeof value === 'string' ? shortened(value) : '(empty)'}`).join(', ');
}

/** Values can have 32,000 characters; `--json` has them all. */
const shortened = (value: string) => (value.length > 80 ? `${value.slice(0, 79)}…` : value);

function calloutText(callout: Callout, catalogue: Catalogue): string {
  const { entityType, webhookID, state, attempts, waitsFor, cancelledBecause } = callout;
  const last = attempts.at(-1);
  const failure = last?.failure ?? null;
  return pairs({
    callout: callout.id,
    webhook: nameOfWebhook(catalogue, { entityType, id: webhookID }),
    event: callout.eventID ?? `none: ${callout.kind}`,
    state,
    attempts: callout.attemptsMade,
    lastAnswer: last === undefined ? 'no attempt was made yet' : (last.status ?? 'none'),
    ...(failure !== null && { failure }),
    ...(waitsFor !== null && { waitsFor: waitsFor.message }),
    ...(cancelledBecause !== null && { cancelledBecause: cancelledBecause.message }),
  });
}
