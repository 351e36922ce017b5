import type { Command } from 'commander';
import { createProducer } from '@callout/queue';
import { parseConfig, redisConfig } from '@callout/runtime/config';
import { withDatabase, type CommandContext } from '../context.ts';
import { show } from '../show.ts';
import { wakeEverything } from '../wake-everything.ts';

/** `callout queue rebuild` */
export function addQueueCommands(program: Command, context: CommandContext): void {
  program
    .command('queue')
    .description('the wake-up calls in Redis')
    .command('rebuild')
    .description('wake the workers for everything that is owed now')
    .addHelpText(
      'after',
      `
Redis holds wake-up calls only: what is owed is in PostgreSQL, and the sweep of the workers finds all of it by itself,
some thousand events a second and up to 5 minutes late. After Redis was emptied or away for long this is faster.
Running it twice, or for nothing, does no harm. Retries wait for their time as before.`,
    )
    .action(async (_options: unknown, command: Command) => {
      const { REDIS_URL, REDIS_PREFIX } = parseConfig(redisConfig, context.env);
      const errors: Error[] = [];
      const producer = createProducer({ url: REDIS_URL, prefix: REDIS_PREFIX, onError: (error) => errors.push(error) });
      try {
        const woken = await withDatabase(context, ({ pool }) => wakeEverything({ pool, producer, errors }));
        const text = `Woke ${woken.events} pending events, and ${woken.webhooks} webhooks with due callouts.`;
        show(context, command, { data: woken, text });
      } finally {
        await producer.close();
      }
    });
}
