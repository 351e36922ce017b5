import type { Command, Option } from 'commander';

/** A word that may follow. */
export interface Suggestion {
  readonly word: string;
  readonly description: string;
}

/** What may stand at the end of a command line: some words, or the name of a file. */
export type Suggestions = 'files' | readonly Suggestion[];

/**
 * What may complete the last of `words`, which is being typed and may be empty. The program itself is not among them.
 * Bash has `--state=failed` as three words, the other shells as a single word.
 */
export function suggestionsFor(program: Command, words: readonly string[]): Suggestions {
  const before = words.slice(0, -1);
  let typed = words.at(-1) ?? '';
  if (typed === '=') {
    before.push(typed);
    typed = '';
  }
  let command = program;
  const options = [...program.options];
  let valued: Option | undefined;
  for (const word of before) {
    if (word === '=') continue;
    const isValue = valued !== undefined;
    valued = isValue ? undefined : options.find((option) => option.long === word && takesValue(option));
    const below = isValue ? undefined : visibleBelow(command).find((one) => one.name() === word);
    if (below === undefined) continue;
    command = below;
    options.push(...below.options);
  }
  const [name = '', value] = typed.split(/=(.*)/su);
  const assigned = value === undefined ? undefined : options.find((option) => option.long === name);
  const option = valued ?? assigned;
  if (option !== undefined) {
    if (/<file>/u.test(option.flags)) return 'files';
    const prefix = valued === undefined ? `${name}=` : '';
    return beginning(typed, valuesOf(option), (one) => ({ word: prefix + one, description: '' }));
  }
  if (typed.startsWith('-')) {
    const offered = options.filter(({ hidden, long }) => !hidden && (long !== '--version' || command === program));
    const help = { word: '--help', description: 'show help' };
    return beginning(typed, offered, ({ long, description }) => ({ word: long ?? '', description })).concat(
      beginning(typed, [help], (one) => one),
    );
  }
  const values = command.registeredArguments.flatMap((argument) => argument.argChoices ?? []);
  return [
    ...beginning(typed, visibleBelow(command), (one) => ({ word: one.name(), description: one.description() })),
    ...beginning(typed, values, (word) => ({ word, description: '' })),
  ];
}

function beginning<Item>(typed: string, items: readonly Item[], suggest: (item: Item) => Suggestion): Suggestion[] {
  return items.map(suggest).filter(({ word }) => word !== '' && word.startsWith(typed));
}

function visibleBelow(command: Command): Command[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.filter((one) => one.name() !== 'help');
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

/**
 * The choices of an option, or the values that the help lists: `failed, cancelled; several are separated by commas`.
 */
function valuesOf({ argChoices, description, flags }: Option): readonly string[] {
  if (argChoices !== undefined) return argChoices;
  if (!/<(?:states|kinds|reasons|role)>/u.test(flags)) return [];
  const [list = ''] = description.split(';');
  return list.split(/,\s*| or /u).filter((word) => /^\w+$/u.test(word));
}
