import type { Command } from 'commander';
import type { Schemas } from '@callout/client';
import { CannotGoOn, reasonOf } from '../cannot-go-on.ts';
import { openApi } from './api/open-api.ts';
import type { CommandContext } from './context.ts';
import { readCatalogue } from './input/webhook-named.ts';
import { redactedHeaders, redactedUrl } from './show/redacted.ts';
import { failedOptionsOf, queryOf, selectionOf, withFailed } from './failed-options.ts';

/** `callout failed export` */
export function addFailedExport(failed: Command, context: CommandContext): void {
  withFailed(
    failed
      .command('export')
      .description('write what failed to stdout, one line of JSON for each callout')
      .argument('[calloutIDs...]', 'only these callouts'),
  )
    .addHelpText(
      'after',
      `
Each line is a callout with its body, as it is signed and sent, and its last attempt, without signatures and other
secrets; the newest comes first.

Examples:
  $ callout failed export > failed.jsonl
  $ callout failed export --webhook CompanyWebhooks/3 --reason status410 --since 2026-01-15`,
    )
    .action(async (calloutIDs: string[], _options: unknown, command: Command) => {
      const catalogue = await readCatalogue(context);
      const { client } = await openApi(context, command);
      const query = queryOf(await selectionOf(client, catalogue, failedOptionsOf(command)), calloutIDs);
      const { response } = await client.GET('/v1.0/Callouts/export', { params: { query }, parseAs: 'stream' });
      let count = 0;
      for await (const line of linesOf(response)) {
        const isRead = await context.out.pour(JSON.stringify(withoutSecrets(JSON.parse(line) as Exported)));
        if (!isRead) throw new CannotGoOn('The export was not read to its end.');
        count += 1;
      }
      context.out.report(`Exported callouts: ${count}.`);
    });
}

type Exported = Schemas['ExportedCallout'];

function withoutSecrets({ lastAttempt, ...item }: Exported): Exported {
  return {
    ...item,
    lastAttempt: lastAttempt && {
      ...lastAttempt,
      url: redactedUrl(lastAttempt.url),
      requestHeaders: redactedHeaders(lastAttempt.requestHeaders),
      responseHeaders: redactedHeaders(lastAttempt.responseHeaders),
    },
  };
}

async function* linesOf({ body }: Response): AsyncGenerator<string> {
  let rest = '';
  try {
    for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch (error) {
    throw new CannotGoOn(`The export was cut off: ${reasonOf(error)}. Export the rest with --until.`);
  }
}
