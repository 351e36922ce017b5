import type { Command } from 'commander';

/** The possible completions after the words of one command. */
export interface CompletedCommand {
  /** With the program: `callout webhooks list`. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly CompletedOption[];
  /** The values that its arguments are chosen from; empty: any. */
  readonly values: readonly string[];
}

export interface CompletedOption {
  readonly name: string;
  readonly description: string;
  readonly takesValue: boolean;
  /** The possible values; empty: any. */
  readonly values: readonly string[];
  readonly takesFile: boolean;
}

/** Every command of the program, the program first. */
export function completedCommands(program: Command): CompletedCommand[] {
  return walk(program, [program]);
}

function walk(command: Command, way: readonly Command[]): CompletedCommand[] {
  const visible = command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help');
  const help = { name: '--help', description: 'show help', takesValue: false, values: [], takesFile: false };
  const options = way.flatMap((one) => one.options.filter((option) => !option.hidden)).flatMap(completedOption);
  const own = {
    path: way.map((one) => one.name()).join(' '),
    commands: visible.map((one) => ({ name: one.name(), description: one.description() })),
    options: [...options.filter(({ name }) => name !== '--version' || way.length === 1), help],
    values: command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
  };
  return [own, ...visible.flatMap((one) => walk(one, [...way, one]))];
}

function completedOption(option: Command['options'][number]): CompletedOption[] {
  if (option.long === undefined || option.long === null) return [];
  const takesValue = option.required || option.optional;
  return [
    {
      name: option.long,
      description: option.description,
      takesValue,
      values: option.argChoices ?? listedValues(option.description, option.flags),
      takesFile: /<file>/u.test(option.flags),
    },
  ];
}

/** Values that the help lists: `failed, cancelled; several are separated by commas`. */
function listedValues(description: string, flags: string): string[] {
  if (!/<(?:states|kinds|role)>/u.test(flags)) return [];
  const [list = ''] = description.split(';');
  return list.split(/,\s*| or /u).filter((word) => /^[a-z]+$/u.test(word));
}
