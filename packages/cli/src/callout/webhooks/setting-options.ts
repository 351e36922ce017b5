import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Schemas } from '@callout/client';
import { alertFormats } from '@callout/domain/alert/alert';
import { payloadFormats } from '@callout/domain/callout/payload-format';
import { type SignatureKind, signatureKinds } from '@callout/domain/callout/signature-kind';
import type { CommandContext } from '../context.ts';
import { readJson, readTextFile } from '../input/json-file.ts';
import { fromEnvironment } from '../input/secret-options.ts';

/** The settings of a webhook that have options. */
export interface SettingOptions {
  readonly name?: string;
  readonly url?: string;
  readonly deactivationUrl?: string;
  readonly events?: string;
  readonly notify?: string;
  readonly format?: (typeof payloadFormats)[number];
  readonly previousValues?: boolean;
  readonly merge?: boolean;
  readonly signature?: SignatureKind;
  readonly callsPerSecond?: number | 'none';
  readonly concurrentCalls?: number | 'none';
  readonly thresholdMail?: boolean;
  readonly conditionFile?: string;
  readonly requestHeadersFile?: string;
  readonly receiverAuthFile?: string;
  readonly caFile?: string;
  readonly alertFormat?: (typeof alertFormats)[number];
  readonly alertRoutingKeyEnv?: string;
}

const eventWords = ['create', 'update', 'delete'];

/** Adds the options that a create and an update have in common. */
export function withSettingOptions(command: Command): Command {
  return command
    .option('--name <name>', 'what you call it, up to 50 characters')
    .option('--url <url>', 'where its callouts go')
    .option('--deactivation-url <url>', 'the URL that is called when it becomes inactive')
    .option('--events <events>', `which of ${eventWords.join(', ')} it watches, separated by commas`, knownEvents)
    .option('--notify <mail>', 'who gets mail about it, besides its owner, or none')
    .addOption(new Option('--format <format>', 'what its callouts look like').choices(payloadFormats))
    .option('--previous-values', 'its callouts also say what changed fields were before')
    .option('--no-previous-values', 'they do not')
    .addOption(
      new Option('--signature <kind>', 'how its callouts are signed: with its secret, a key pair or both').choices(
        signatureKinds,
      ),
    )
    .option('--merge', 'merge later changes of a record into a callout that has not been tried')
    .option('--no-merge', 'send a callout for each change')
    .option('--calls-per-second <number>', 'how many calls may begin in a second, or none for no limit', limitOf)
    .option('--concurrent-calls <number>', 'how many calls may be under way at once, or none', limitOf)
    .option('--threshold-mail', 'its owner gets mail when the threshold holds its callouts')
    .option('--no-threshold-mail', 'its owner gets none')
    .option('--condition-file <file>', 'what an event must fulfil to make a callout, as JSON, or none')
    .option('--request-headers-file <file>', 'headers of its requests, as a JSON list of name and value, or none')
    .option('--receiver-auth-file <file>', 'how its requests prove to the receiver who sends them, as JSON, or none')
    .option('--ca-file <file>', 'the certificate authorities that its receiver is trusted by, in PEM, or none')
    .addOption(
      new Option('--alert-format <format>', 'on WebhookHealth: a message for which service, or json').choices(
        alertFormats,
      ),
    )
    .option(
      '--alert-routing-key-env <variable>',
      'on WebhookHealth: the environment variable with the integration key of PagerDuty, or none',
    );
}

/** The API says which numbers it takes. `none` stays a word here, since commander makes an empty text of null. */
function limitOf(text: string): number | 'none' {
  if (text === 'none') return text;
  const limit = Number(text);
  if (text.trim() === '' || !Number.isFinite(limit)) throw new InvalidArgumentError('It must be a number, or none.');
  return limit;
}

const numberOrNull = (limit: number | 'none'): number | null => (limit === 'none' ? null : limit);

function knownEvents(text: string): string {
  const unknown = listOf(text).filter((word) => !eventWords.includes(word));
  if (unknown.length > 0) throw new InvalidArgumentError(`It must be one or more of ${eventWords.join(', ')}.`);
  return text;
}

/** Names, separated by commas. */
export function listOf(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** The subscriptions to events, as the body of a request has them. */
export function eventsBody(events: string) {
  const words = listOf(events);
  return {
    isSubscribedToCreateEvents: words.includes('create'),
    isSubscribedToUpdateEvents: words.includes('update'),
    isSubscribedToDeleteEvents: words.includes('delete'),
  };
}

/** The given settings, as in the body of a request. */
export async function settingsBody(context: CommandContext, options: SettingOptions) {
  const { name, url, deactivationUrl, events, notify, format, previousValues, merge } = options;
  const { callsPerSecond, concurrentCalls, signature, thresholdMail, alertFormat } = options;
  return {
    ...(name !== undefined && { name }),
    ...(url !== undefined && { webhookUrl: url }),
    ...(deactivationUrl !== undefined && { deactivationUrl }),
    ...(events !== undefined && eventsBody(events)),
    ...(notify !== undefined && { notificationEmailAddress: notify === 'none' ? null : notify }),
    ...(format !== undefined && { payloadFormat: format }),
    ...(previousValues !== undefined && { includePreviousValues: previousValues }),
    ...(merge !== undefined && { mergeWhileWaiting: merge }),
    ...(signature !== undefined && { signatureKind: signature }),
    ...(callsPerSecond !== undefined && { maxCallsPerSecond: numberOrNull(callsPerSecond) }),
    ...(concurrentCalls !== undefined && { maxConcurrentCalls: numberOrNull(concurrentCalls) }),
    ...(thresholdMail !== undefined && { sendThresholdExceededNotification: thresholdMail }),
    ...(alertFormat !== undefined && { alertFormat }),
    ...(await settingsElsewhere(context, options)),
  };
}

/** The settings that are too long for an option, or secret: in files, or in the environment. The API judges them. */
async function settingsElsewhere(context: CommandContext, options: SettingOptions) {
  const { conditionFile, requestHeadersFile, receiverAuthFile, caFile, alertRoutingKeyEnv } = options;
  const { condition, requestHeaders, receiverAuth } = {
    condition: await unlessNone(conditionFile, null, (file) => readJson(context, file)),
    requestHeaders: await unlessNone(requestHeadersFile, [], (file) => readJson(context, file)),
    receiverAuth: await unlessNone(receiverAuthFile, { kind: 'none' }, (file) => readJson(context, file)),
  } as Schemas['Webhook'];
  const caCertificate = await unlessNone(caFile, null, (file) => readTextFile(context, file));
  const alertRoutingKey = await unlessNone(alertRoutingKeyEnv, null, async (name) =>
    fromEnvironment(context.env, name),
  );
  return {
    ...(condition !== undefined && { condition }),
    ...(requestHeaders !== undefined && { requestHeaders }),
    ...(receiverAuth !== undefined && { receiverAuth }),
    ...(caCertificate !== undefined && { caCertificate }),
    ...(alertRoutingKey !== undefined && { alertRoutingKey }),
  };
}

async function unlessNone<None, Value>(
  place: string | undefined,
  none: None,
  read: (place: string) => Promise<Value>,
): Promise<None | Value | undefined> {
  if (place === undefined) return undefined;
  return place === 'none' ? none : read(place);
}

const secretSettings = ['secretKey', 'requestHeaders', 'receiverAuth', 'alertRoutingKey'];

/** The settings as they are shown: what is secret reads as asterisks. */
export function shownSettings(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const shown = Object.entries(body).map(([key, value]) => [key, secretSettings.includes(key) ? '********' : value]);
  return Object.fromEntries(shown) as Record<string, unknown>;
}
