import type { Command } from 'commander';

/** The given options, under their names in the body of a request. A `set` without any is an error. */
export function changesOf(command: Command, names: Readonly<Record<string, string>>): Record<string, unknown> {
  const options = command.opts<Record<string, unknown>>();
  const given = Object.entries(names).filter(([option]) => options[option] !== undefined);
  if (given.length === 0) command.error('error: say what to change, with at least one option');
  return Object.fromEntries(given.map(([option, name]) => [name, options[option]]));
}
