import type { Command } from 'commander';
import { redisConfig } from '@callout/runtime/config/command-line';
import { parseConfig } from '@callout/runtime/config/parse';
import type { CommandContext } from '../context.ts';
import { withDatabase } from './database/database.ts';
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
      const { REDIS_URL, REDIS_PREFIX } = parseConfig(redisConfig, context.env);
      const { createProducer } = await import('@callout/queue/producer');
      const { rebuildQueue } = await import('./database/rebuild-queue.ts');
      const errors: Error[] = [];
      const producer = createProducer({ url: REDIS_URL, prefix: REDIS_PREFIX, onError: (error) => errors.push(error) });
      try {
        const enqueued = await withDatabase(context, ({ pool }) => rebuildQueue({ pool, producer, errors }));
        const text = `Enqueued ${enqueued.events} pending events, and ${enqueued.webhooks} webhooks with due callouts.`;
        show(context, command, { data: enqueued, text });
      } finally {
        await producer.close();
      }
    });
}
