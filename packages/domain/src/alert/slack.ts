import { oneLine } from '../mail/clean-text.ts';
import type { Alert } from './alert.ts';

/** Slack refuses longer texts of a section, and longer fields of it. */
const [longestText, longestField] = [3_000, 2_000];
/** Slack refuses more fields in a section. */
const mostFields = 10;
const longestTitle = 300;

/**
 * A message for an incoming webhook of Slack: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks.
 * `text` is for notifications, where blocks are not shown.
 */
export function slackMessage({ title, summary, facts, kind }: Alert): object {
  const text = `${marks[kind]} *${escaped(title, longestTitle)}*\n${escaped(summary, longestText - longestTitle - 50)}`;
  const fields = facts
    .slice(0, mostFields)
    .map(([label, value]) => mrkdwn(`*${escaped(label, 200)}*\n${escaped(value, longestField - 250)}`));
  return {
    text,
    blocks: [{ type: 'section', text: mrkdwn(text) }, ...(fields.length > 0 ? [{ type: 'section', fields }] : [])],
  };
}

const marks: Readonly<Record<Alert['kind'], string>> = {
  open: ':red_circle:',
  over: ':large_green_circle:',
  note: ':large_blue_circle:',
};

/** `verbatim`: names of channels and users, and URLs, do not become links. */
function mrkdwn(text: string) {
  return { type: 'mrkdwn', text, verbatim: true };
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * A text in one line, without mentions such as `<!channel>` and links, which are written with `<`.
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
