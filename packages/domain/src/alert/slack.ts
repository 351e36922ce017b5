import { oneLine } from '../mail/clean-text.ts';
import type { Alert } from './alert.ts';

/** Slack refuses longer texts of a header and of a section, and longer fields of a section. */
const [longestTitle, longestText, longestField] = [150, 3_000, 2_000];
/** Slack refuses more fields in a section. */
const mostFields = 10;

/**
 * A message for an incoming webhook of Slack: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks.
 * `text` is for notifications, where blocks are not shown. Everything but the link is plain text, in which the marks of a
 * name for bold text, code or an emoji are shown as they are spelled.
 */
export function slackMessage({ title, summary, facts, kind, link }: Alert): object {
  const heading = `${marks[kind]} ${escaped(title, longestTitle - 3)}`;
  const fields = facts
    .slice(0, mostFields)
    .map(([label, value]) => plain(`${escaped(label, 200)}\n${escaped(value, longestField - 250)}`));
  return {
    text: `${heading}\n${escaped(summary, longestText - 200)}`,
    mrkdwn: false,
    blocks: [
      { type: 'header', text: plain(heading) },
      { type: 'section', text: plain(escaped(summary, longestText)) },
      ...(fields.length > 0 ? [{ type: 'section', fields }] : []),
      ...(link === undefined ? [] : [{ type: 'section', text: { type: 'mrkdwn', text: linkText(link) } }]),
    ],
  };
}

const marks: Readonly<Record<Alert['kind'], string>> = { open: '🔴', over: '🟢', note: '🔵' };

function plain(text: string) {
  // Slack refuses empty texts.
  return { type: 'plain_text', text: text === '' ? '-' : text, emoji: false };
}

function linkText({ say, url }: NonNullable<Alert['link']>): string {
  return `<${escaped(url.replaceAll('|', '%7C'), longestField)}|${escaped(say, 200)}>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * A text on a line, without mentions such as `<!channel>` and links, which are written with `<`.
 * @param most the largest length of the result, which is cut between characters.
 */
function escaped(text: string, most: number): string {
  let result = '';
  for (const character of oneLine(text, most)) {
    const next = entities[character] ?? character;
    if (result.length + next.length > most - 1) return `${result}…`;
    result += next;
  }
  return result;
}
