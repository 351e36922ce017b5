import { escapeHtml } from '../http/local-page.ts';
import type { CaughtMail } from './caught-mail.ts';

/** The mails as HTML, newest first. All of it was written by others: texts are escaped, HTML is shown in a sandbox. */
export function inboxPage(mails: readonly CaughtMail[]): string {
  if (mails.length === 0) return '<p>None yet.</p>';
  return mails.toReversed().map(mailArticle).join('\n');
}

function mailArticle(mail: CaughtMail): string {
  return `<article>
<h2>${escapeHtml(mail.subject)}</h2>
<p><time>${mail.receivedAt.toISOString()}</time>
· from ${escapeHtml(mail.from)} · to ${escapeHtml(mail.to.join(', '))} · delivered to ${escapeHtml(mail.recipients.join(', '))}</p>
<pre>${escapeHtml(mail.text)}</pre>
${mail.html === '' ? '' : `<iframe sandbox="" title="HTML part" height="640" srcdoc="${escapeHtml(mail.html)}"></iframe>`}
</article>`;
}
