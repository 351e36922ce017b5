import { Option, type Command } from 'commander';
import { parametersOf, wordsOf, type Operation, type Parameter } from '@callout/domain/operations/operation';
import { webhookHelp } from '../input/webhook-named.ts';
import { parsed, type OptionNames } from './operation-values.ts';

/** The three parameters that name a webhook, which a command line does in one word. */
const ofWebhook: readonly string[] = ['entityType', 'webhookID', 'webhookGUID'];

/** Adds an option for each parameter of an operation that is no argument of the command. */
export function addOptions(command: Command, operation: Operation): OptionNames {
  const { names = [], typed } = operation;
  const parameters = Object.entries(parametersOf(operation));
  const isFound = names.includes('credentialId');
  const optionNames = new Map<string, string>();
  for (const [name, parameter] of parameters) {
    // The tenant of a credential is found by its user name.
    const isNamed = names.includes(name) || name === typed || ofWebhook.includes(name);
    if (isNamed || (isFound && name === 'tenantId')) continue;
    for (const option of optionsOf(name, parameter)) {
      command.addOption(option);
      optionNames.set(option.attributeName(), name);
    }
  }
  if (ofWebhook.every((name) => parameters.some(([one]) => one === name))) {
    command.option('--webhook <webhook>', `only this webhook: ${webhookHelp}`);
  }
  return optionNames;
}

function optionsOf(name: string, parameter: Parameter): Option[] {
  const { kind, description, isOptional, choices } = parameter;
  const flag = `--${wordsOf(name).replaceAll(' ', '-')}`;
  const sentence = helpOf(description);
  // No argument takes a secret: every user of the machine can read arguments.
  if (kind === 'secret') {
    return [
      new Option(`${flag}-stdin`, `${sentence}, from stdin`).conflicts(`${camelCase(flag)}Env`),
      new Option(`${flag}-env <variable>`, `${sentence}, from this environment variable`),
    ];
  }
  if (kind === 'flag') return [new Option(`${flag} [flag]`, sentence).choices(['true', 'false']).preset('true')];
  const placeholder = kind === 'text' || kind === 'choice' ? wordsOf(name).replaceAll(' ', '-') : kind;
  const option = new Option(`${flag} <${placeholder}>`, sentence + (more[kind] ?? ''));
  option.makeOptionMandatory(isOptional !== true);
  return [
    choices === undefined ? option.argParser((text) => parsed(parameter, text)) : option.choices(Object.keys(choices)),
  ];
}

/** What the sentence of a parameter leaves to the command line. */
const more: Partial<Readonly<Record<Parameter['kind'], string>>> = {
  tenant: ': id or name',
  zone: ': id or name',
  perHour: '; 0 for no limit, or `default`',
};

const camelCase = (flag: string) => flag.slice(2).replaceAll(/-(\w)/gu, (_, letter: string) => letter.toUpperCase());

/** A sentence for help: without the full stop, and with a small first letter unless it begins with an abbreviation. */
export function helpOf(sentence: string): string {
  const text = sentence.replace(/\.$/u, '');
  return /^[A-Z][a-z ]/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}
