import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import { openOperator } from './operator/open-operator.ts';
import { show } from '../show/show.ts';

/** `callout admin queue rebuild` */
export function addQueueCommands(program: Command, context: CommandContext): void {
  program
    .command('queue')
    .description('the queue in Redis')
    .command('rebuild')
    .description('enqueue everything that is owed now')
    .addHelpText(
      'after',
      `
Redis only names what is owed: it is in PostgreSQL, and the sweep of the workers finds all of it by itself, some thousand
events a second and up to 5 minutes late. After Redis was emptied or away for long this is faster.
Running it twice, or for nothing, does no harm. Retries wait for their time as before.`,
    )
    .action(async (_options: unknown, command: Command) => {
      const operator = await openOperator(context, command);
      const { item } = (await operator.POST('/queues/rebuild')).data;
      const text = `Enqueued ${item.events} pending events, and ${item.webhooks} webhooks with due callouts.`;
      show(context, command, { data: item, text });
    });
}
