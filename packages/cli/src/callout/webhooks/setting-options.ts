import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Schemas } from '@callout/client';
import { digestPeriods } from '@callout/domain/callout/digest';
import { type SignatureKind, signatureKinds } from '@callout/domain/callout/signature-kind';

/** The settings of a webhook that have options. */
export interface SettingOptions {
  readonly name?: string;
  readonly url?: string;
  readonly deactivationUrl?: string;
  readonly events?: string;
  readonly notify?: string;
  readonly format?: string;
  readonly previousValues?: boolean;
  readonly digestEvery?: (typeof digestPeriods)[number];
  readonly merge?: boolean;
  readonly signature?: SignatureKind;
  readonly callsPerSecond?: number | null;
  readonly concurrentCalls?: number | null;
}

const formats = ['reference', 'typed', 'cloudevents'];
const eventWords = ['create', 'update', 'delete'];

/** Adds the options that a create and an update have in common. */
export function withSettingOptions(command: Command): Command {
  return command
    .option('--name <name>', 'what you call it, up to 50 characters')
    .option('--url <url>', 'where its callouts go')
    .option('--deactivation-url <url>', 'the URL that is called when it becomes inactive')
    .option('--events <events>', `which of ${eventWords.join(', ')} it watches, separated by commas`, knownEvents)
    .option('--notify <mail>', 'who gets mail about it, besides its owner')
    .addOption(new Option('--format <format>', 'what its callouts look like').choices(formats))
    .option('--previous-values', 'its callouts also say what changed fields were before')
    .option('--no-previous-values', 'they do not')
    .addOption(
      new Option('--digest-every <period>', 'how often a digest says which callouts were delivered').choices(
        digestPeriods,
      ),
    )
    .addOption(
      new Option('--signature <kind>', 'how its callouts are signed: with its secret, a key pair or both').choices(
        signatureKinds,
      ),
    )
    .option('--merge', 'merge later changes of a record into a callout that has not been tried')
    .option('--no-merge', 'send a callout for each change')
    .option('--calls-per-second <number>', 'how many calls may begin in a second, or none for no limit', limitOf)
    .option('--concurrent-calls <number>', 'how many calls may be under way at once, or none', limitOf);
}

/** The API says which numbers it takes. */
function limitOf(text: string): number | null {
  if (text === 'none') return null;
  const limit = Number(text);
  if (text.trim() === '' || !Number.isFinite(limit)) throw new InvalidArgumentError('It must be a number, or none.');
  return limit;
}

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

type PayloadFormat = NonNullable<Schemas['Webhook']['payloadFormat']>;

/** The given settings, as in the body of a request. */
export function settingsBody(options: SettingOptions) {
  const { name, url, deactivationUrl, events, notify, format, previousValues, digestEvery, merge } = options;
  const { callsPerSecond, concurrentCalls, signature } = options;
  return {
    ...(name !== undefined && { name }),
    ...(url !== undefined && { webhookUrl: url }),
    ...(deactivationUrl !== undefined && { deactivationUrl }),
    ...(events !== undefined && eventsBody(events)),
    ...(notify !== undefined && { notificationEmailAddress: notify }),
    ...(format !== undefined && { payloadFormat: format as PayloadFormat }),
    ...(previousValues !== undefined && { includePreviousValues: previousValues }),
    ...(digestEvery !== undefined && { digestEvery }),
    ...(merge !== undefined && { mergeWhileWaiting: merge }),
    ...(signature !== undefined && { signatureKind: signature }),
    ...(callsPerSecond !== undefined && { maxCallsPerSecond: callsPerSecond }),
    ...(concurrentCalls !== undefined && { maxConcurrentCalls: concurrentCalls }),
  };
}
