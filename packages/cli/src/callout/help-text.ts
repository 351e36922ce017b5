import { type AddHelpTextContext, type AddHelpTextPosition, Command } from 'commander';

/** A command whose added help fits the terminal, as the rest of its help does. Subcommands are of the same kind. */
export class GuidedCommand extends Command {
  override createCommand(name?: string): GuidedCommand {
    return new GuidedCommand(name);
  }

  override addHelpText(position: AddHelpTextPosition, text: string | ((context: AddHelpTextContext) => string)): this {
    if (typeof text !== 'string') return super.addHelpText(position, text);
    return super.addHelpText(position, () => wrappedHelp(text, this.configureOutput().getOutHelpWidth?.() ?? 80));
  }
}

/**
 * Prose is wrapped between words; a line that ends with a full stop or a colon stays the end of a line. Of indented
 * text only commands are wrapped, after `$`: before an option, with the backslash that a shell needs there.
 */
export function wrappedHelp(text: string, width: number): string {
  return text
    .replaceAll(/ \\\n +/gu, ' ')
    .replaceAll(/(?<=^\S.*)(?<![.:])\n(?=\S)/gmu, ' ')
    .split('\n')
    .map((line) =>
      line.startsWith('  $ ')
        ? wrapped(line.split(/ (?=--)/u), width - 2, ' \\\n      ')
        : line.startsWith(' ')
          ? line
          : wrapped(line.split(' '), width, '\n'),
    )
    .join('\n');
}

/** Joins parts with spaces, with `separator` where the line would become longer than `width`. */
function wrapped(parts: readonly string[], width: number, separator: string): string {
  const indent = separator.length - 1 - separator.indexOf('\n');
  let line = 0;
  return parts
    .map((part, index) => {
      const isNew = index > 0 && line + 1 + part.length > width;
      line = isNew ? indent + part.length : line + (index > 0 ? 1 : 0) + part.length;
      return index === 0 ? part : `${isNew ? separator : ' '}${part}`;
    })
    .join('');
}
