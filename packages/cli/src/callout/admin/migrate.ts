import type { Command } from 'commander';
import { migrationConfig } from '@callout/runtime/config/command-line';
import { parseConfig } from '@callout/runtime/config/parse';
import type { CommandContext } from '../context.ts';
import { show } from '../show/show.ts';

/** `callout admin migrate` */
export function addMigrateCommand(program: Command, context: CommandContext): void {
  program
    .command('migrate')
    .description('update the tables of the database to this version')
    .addHelpText(
      'after',
      `
API and worker do the same when they start, with the same rights: the user of DATABASE_URL owns the tables.
It is safe while older processes run, and running it twice changes nothing.
It waits for a PostgreSQL that is still starting, for DATABASE_WAIT_MS at most.`,
    )
    .action(async (_options: unknown, command: Command) => {
      const { DATABASE_URL, DATABASE_WAIT_MS: waitMs } = parseConfig(migrationConfig, context.env);
      const { applyMigrations } = await import('@callout/database/schema/migrations');
      const applied = await applyMigrations(DATABASE_URL, { waitMs, log: (line) => context.out.report(line) });
      const text = applied.length === 0 ? 'The database is up to date.' : applied.map((name) => `applied ${name}`);
      show(context, command, { data: { applied }, text: [text].flat().join('\n') });
    });
}
