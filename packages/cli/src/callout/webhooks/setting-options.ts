import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Setting, SettingType } from '@callout/webhooks/settings/setting';
import { settings } from '@callout/webhooks/settings/settings';
import type { CommandContext } from '../context.ts';
import { readJson, readTextFile } from '../input/json-file.ts';
import { fromEnvironment } from '../input/secret-options.ts';

/** The values of options, by the names that commander makes of the options. */
export interface SettingOptions {
  readonly [option: string]: unknown;
}

const settingsWithOption: readonly Setting[] = settings.filter(({ command }) => command?.isElsewhere !== true);

/** The settings that share the option `--events`, a list of words. */
const events = settingsWithOption.filter(({ command }) => command?.word !== undefined);
const eventWords = events.map(({ command }) => command?.word ?? '');

const optionOf = ({ key, command }: Setting): string =>
  command?.option ?? key.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);

/** What stands for a value in help, by type. */
const argumentOf: Partial<Record<SettingType['kind'], string>> = {
  url: 'url',
  mail: 'mail',
  limit: 'number',
  condition: 'file',
  requestHeaders: 'file',
  receiverAuth: 'file',
  authorities: 'file',
  routingKey: 'variable',
};

/** Adds the options that a create and an update have in common. */
export function withSettingOptions(command: Command): Command {
  for (const setting of settingsWithOption) {
    for (const option of optionsOf(setting)) command.addOption(option);
  }
  return command;
}

function optionsOf(setting: Setting): Option[] {
  const { type, command = {}, description } = setting;
  const name = optionOf(setting);
  const help = command.description ?? description;
  if (setting === events[0]) {
    const which = `which of ${eventWords.join(', ')} it watches, separated by commas`;
    return [new Option(`--${name} <events>`, which).argParser(knownEvents)];
  }
  if (command.word !== undefined) return [];
  if (type.kind === 'flag' || type.kind === 'boolean') {
    return [new Option(`--${name}`, help), new Option(`--no-${name}`, command.negated ?? 'the opposite')];
  }
  const option = new Option(`--${name} <${command.argument ?? argumentOf[type.kind] ?? 'value'}>`, help);
  if (type.kind === 'choice') return [option.choices(type.words)];
  return [type.kind === 'limit' ? option.argParser(limitOf) : option];
}

/** The API says which numbers it takes. `none` stays a word here, since commander makes an empty text of null. */
function limitOf(text: string): number | 'none' {
  if (text === 'none') return text;
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
export function eventsBody(text: string): Record<string, boolean> {
  const words = listOf(text);
  return Object.fromEntries(events.map(({ key, command }) => [key, words.includes(command?.word ?? '')]));
}

/** The given settings, as in the body of a request. */
export async function settingsBody(context: CommandContext, options: SettingOptions): Promise<Record<string, unknown>> {
  const body: Record<string, unknown> = {};
  for (const setting of settingsWithOption) {
    const given = options[new Option(`--${optionOf(setting)}`).attributeName()];
    if (typeof given === 'string') body[setting.key] = await valueOf(context, setting, given);
    else if (given !== undefined) body[setting.key] = given;
  }
  return body;
}

/** A setting that is too long for an option, or secret, is in a file or in the environment. The API judges the value. */
async function valueOf(context: CommandContext, setting: Setting, given: string): Promise<unknown> {
  const { key, type, default: usual, command } = setting;
  if (command?.word !== undefined) return eventsBody(given)[key];
  const read = readers[type.kind];
  if (read === undefined) return given;
  if (given !== 'none') return read(context, given);
  return typeof usual === 'string' ? (JSON.parse(usual) as unknown) : null;
}

type Reader = (context: CommandContext, given: string) => unknown;

/** How values are read of the types for which `none` means the default. */
const readers: Partial<Record<SettingType['kind'], Reader>> = {
  mail: (_context, given) => given,
  limit: (_context, given) => given,
  condition: readJson,
  requestHeaders: readJson,
  receiverAuth: readJson,
  authorities: readTextFile,
  routingKey: ({ env }, given) => fromEnvironment(env, given),
};

const secretSettings = new Set<string>(settings.flatMap(({ key, isSecret }) => (isSecret === true ? [key] : [])));

/** The settings as they are shown: what is secret reads as asterisks. */
export function shownSettings(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const shown = Object.entries(body).map(([key, value]) => [key, secretSettings.has(key) ? '********' : value]);
  return Object.fromEntries(shown) as Record<string, unknown>;
}
