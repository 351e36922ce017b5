import { randomUUID } from 'node:crypto';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import { Problem } from '@callout/domain/problem';
import { ApiError, type CalloutClient, type Schemas } from '@callout/client';
import { openApi } from '../api/open-api.ts';
import type { CommandContext } from '../context.ts';
import { isConfirmed } from '../input/confirmed.ts';
import { wholeNumber } from '../input/delivery-options.ts';
import { readJsonFile } from '../input/json-file.ts';
import { entityNamed, nameOfEntity, readCatalogue, type WatchedEntity } from '../input/webhook-named.ts';
import { show } from '../show/show.ts';
import { givenFields } from '../trigger/given-fields.ts';
import { sampleFields, sampleId } from '../trigger/sample-event.ts';
import { outcomeText, waitForOutcome } from '../trigger/outcome.ts';

type Event = Schemas['EntityEvent'];

interface TriggerOptions {
  readonly action: Event['action'];
  readonly id?: number;
  readonly field?: Record<string, string>;
  readonly file?: string;
  readonly wait?: true;
  readonly timeout: number;
  readonly yes?: true;
}

/** `callout trigger` */
export function addTriggerCommand(program: Command, context: CommandContext): void {
  program
    .command('trigger')
    .description('send a sample event, as the product would, and show what happens to it')
    .argument('[entity]', 'what it is about, such as Company')
    .addOption(
      new Option('--action <action>', 'what happens to the record')
        .choices(['Create', 'Update', 'Delete'])
        .default('Update'),
    )
    .option('--id <id>', 'the record; a new sample record unless given', wholeNumber)
    .option(
      '--field <name=value>',
      'a system or user-defined field and its value instead of samples; may be repeated',
      fieldOf,
    )
    .option('--file <file>', 'the event as JSON, as POST /EntityEvents takes it; - for stdin')
    .option('--wait', 'wait for the callouts, and show the outcome at each webhook')
    .option('--timeout <seconds>', 'how long --wait waits', wholeNumber, 30)
    .option('--yes', 'do it without being asked')
    .addHelpText(
      'after',
      `
It needs a credential with the role source or admin: integrators may not change records. To send one webhook a test instead,
use \`callout webhooks test\`. Every webhook that subscribes to such a change gets a callout like any other, so it asks before
it sends one to an installation that is not on this machine.
--field names user-defined fields by name or label; \`callout fields\` lists all fields.
The exit status is 1 if a field is unknown, and with --wait unless every callout was delivered.

Examples:
  $ callout trigger Company --wait
  $ callout trigger Company --id 7 --field phone=555-0199
  $ callout trigger Company --field "Support tier=gold" --wait
  $ callout trigger Ticket --action Create --profile source
  $ callout trigger --file event.json --wait --json`,
    )
    .action(async (named: string | undefined, options: TriggerOptions, command: Command) => {
      const catalogue = await readCatalogue(context);
      const supposed = await eventOf(context, catalogue, named, options);
      const { client, account } = await openApi(context, command);
      const event = await withFields(client, supposed, options);
      const { hostname } = new URL(account.url);
      const record = `${event.action} ${nameOfEntity(catalogue, event.entityType)} ${event.id}`;
      const what = `${record} is sent to ${hostname}, and on to every webhook that subscribes to it.`;
      if (!isLocal(hostname) && !(await isConfirmed(context, what, options.yes))) {
        show(context, command, { data: { eventID: null }, text: 'Nothing was sent.', isIncomplete: true });
        return;
      }
      const { data } = await client.POST('/v1.0/EntityEvents', { body: { events: [event] } }).catch(forbidden);
      const [answer] = data?.items ?? [];
      const status = answer?.status ?? 'accepted';
      const eventID = answer?.eventID ?? event.eventID ?? '';
      const sent = `${record}: ${status}. eventID ${eventID}`;
      const ignored = answer?.ignored ?? [];
      const note = ignored.map((name) => `Ignored, because it is unknown: ${name}.`).join('\n') || undefined;
      const isPartial = ignored.length > 0;
      if (options.wait !== true) {
        show(context, command, {
          data: { eventID, status, event, ignored },
          text: sent,
          note,
          isIncomplete: isPartial,
        });
        return;
      }
      const outcome = await waitForOutcome({
        client,
        eventID,
        timeoutMs: options.timeout * 1_000,
        stop: context.stopSignal(),
      });
      show(context, command, {
        data: { eventID, status, event, ignored, outcome: outcome.event, callouts: outcome.callouts },
        text: `${sent}\n${outcomeText(outcome, catalogue, context.out)}`,
        note,
        isIncomplete: isPartial || !outcome.isDelivered,
      });
    });
}

const isLocal = (hostname: string) => /^(?:127\.|localhost$|\[::1\]$)/u.test(hostname);

/** Says which credential is needed. */
function forbidden(error: unknown): never {
  if (!(error instanceof ApiError) || error.status !== 403) throw error;
  const advice =
    'Sign in with one of the product, `callout login --profile source`, and add `--profile source`; or test one webhook: `callout webhooks test`.';
  const message = `${error.message} ${advice}`;
  throw new Problem('forbidden', [{ code: 'forbidden', message }], { cause: error });
}

async function eventOf(
  context: CommandContext,
  catalogue: Catalogue,
  named: string | undefined,
  options: TriggerOptions,
): Promise<{ readonly event: Event; readonly entity: WatchedEntity | undefined }> {
  const { file, id, action } = options;
  const eventOfFile = file === undefined ? {} : await readJsonFile(context, file);
  if (Array.isArray(eventOfFile['events'])) throw Problem.invalid('the file must hold one event, not a list of events');
  const entityType = eventOfFile['entityType'];
  if (named === undefined && entityType === undefined) {
    throw Problem.invalid('say what the event is about, such as `callout trigger Company`, or give --file');
  }
  const entity = named === undefined ? catalogue.byEntityType(String(entityType)) : entityNamed(catalogue, named);
  const sample = { eventID: `callout-trigger-${randomUUID()}`, action, id: id ?? sampleId() };
  const fields = sampleOf(entity, options);
  const event = {
    ...sample,
    ...(named !== undefined && { entityType: entity?.entityType }),
    ...eventOfFile,
    ...(id !== undefined && { id }),
    ...(fields !== undefined && { fields }),
  } as Event;
  return { event, entity };
}

/** Nothing for a deleted record, which has no values, with a file, which is complete, and with given values. */
function sampleOf(entity: WatchedEntity | undefined, { action, file, field }: TriggerOptions) {
  if (entity === undefined || action === 'Delete' || file !== undefined || field !== undefined) return undefined;
  return sampleFields(entity);
}

/** The event with the values of `--field` instead of its own. */
async function withFields(
  client: CalloutClient,
  { event, entity }: { readonly event: Event; readonly entity: WatchedEntity | undefined },
  { field }: TriggerOptions,
): Promise<Event> {
  if (field === undefined) return event;
  return { ...event, ...(entity === undefined ? { fields: field } : await givenFields(client, entity, field)) };
}

function fieldOf(text: string, before: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must be a name and a value, such as phone=555-0199.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}
