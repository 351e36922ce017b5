import { oneLine } from '../mail/clean-text.ts';
import type { Alert } from './alert.ts';

/** Teams refuses messages of more than 28 KB. */
const mostBytes = 24_000;
const [longestTitle, longestSummary, longestFact] = [300, 2_000, 500];

/**
 * A message with an adaptive card, for a webhook of Teams that a workflow made:
 * https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using. All texts are
 * runs of rich text blocks, since other blocks are read as Markdown, where a name could be a link.
 */
export function teamsMessage({ title, summary, facts, kind, link }: Alert): object {
  const body = [
    block([run(title, longestTitle, { weight: 'Bolder', size: 'Medium', color: colors[kind] })]),
    block([run(summary, longestSummary)]),
  ];
  let bytes = bytesOf(body);
  for (const [label, value] of facts) {
    const fact = block([
      { ...run(label, longestFact, { weight: 'Bolder' }), text: `${oneLine(label, longestFact)}: ` },
      run(value, longestFact),
    ]);
    bytes += bytesOf(fact) + 1;
    if (bytes > mostBytes) break;
    body.push(fact);
  }
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body,
          ...(link && { actions: [{ type: 'Action.OpenUrl', title: link.say, url: link.url }] }),
        },
      },
    ],
  };
}

const colors: Readonly<Record<Alert['kind'], string>> = { open: 'Attention', over: 'Good', note: 'Default' };

function block(inlines: readonly object[]) {
  return { type: 'RichTextBlock', inlines };
}

function run(text: string, most: number, style: object = {}) {
  return { type: 'TextRun', text: oneLine(text, most), ...style };
}

function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}
