import { escapeHtml } from '../local-page.ts';
import type { CaughtMail } from './caught-mail.ts';

/** How an open mail is shown. */
export type MailView = 'html' | 'text' | 'source';

/** The shown part of the inbox. */
export interface Shown {
  /** Only mails that have this text in subject, addresses or body. Empty: all. */
  readonly search: string;
  /** The number of the mail that is open. */
  readonly open?: number;
}

/** The list of an inbox beside the mail that is open. All of it was written by others: texts are escaped. */
export function inboxPage(mails: readonly CaughtMail[], shown: Shown, opened: string): string {
  const query = new URLSearchParams(shown.open === undefined ? {} : { open: String(shown.open) });
  return `<h1>Mail</h1>
<div class="inbox">
<nav>
<form action="/"><p><input type="search" name="q" value="${escapeHtml(shown.search)}" placeholder="Search" aria-label="Search" autocomplete="off"></p></form>
<div class="mails" data-list="/list?${query.toString()}">
${inboxList(mails, shown)}
</div>
</nav>
<main>
${opened}
</main>
</div>`;
}

/** The entries of the list, newest first. */
export function inboxList(mails: readonly CaughtMail[], shown: Shown): string {
  const found = mails.filter((mail) => hasText(mail, shown.search)).toReversed();
  const count = found.length === mails.length ? `${mails.length}` : `${found.length} of ${mails.length}`;
  const summary = `<p id="count" data-version="${count}">${mails.length === 0 ? 'No mail yet.' : count}</p>`;
  return [summary, ...found.map((mail) => entry(mail, shown))].join('\n');
}

function entry(mail: CaughtMail, { search, open }: Shown): string {
  const query = search === '' ? '' : `?${new URLSearchParams({ q: search }).toString()}`;
  const current = mail.number === open ? ' aria-current="page"' : '';
  const received = mail.receivedAt.toISOString();
  return `<a id="mail-${mail.number}" data-version="${received} ${escapeHtml(query)}" href="/mails/${mail.number}${escapeHtml(query)}"${current}>
<span class="subject">${escapeHtml(mail.subject || '(no subject)')}</span>
<time datetime="${received}">${escapeHtml(mail.receivedAt.toLocaleString('sv-SE'))}</time>
<span class="about">to ${escapeHtml(mail.recipients.join(', '))}</span>
</a>`;
}

function hasText(mail: CaughtMail, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  if (wanted === '') return true;
  const { subject, from, to, recipients, text, html } = mail;
  return [subject, from, ...to, ...recipients, text, html].some((part) => part.toLowerCase().includes(wanted));
}

/** One mail. Its HTML is shown in a sandbox that runs nothing and fetches nothing. */
export function openedMail(mail: CaughtMail, view: MailView | undefined, search: string): string {
  const views: readonly MailView[] = mail.html === '' ? ['text', 'source'] : ['html', 'text', 'source'];
  const current = views.find((one) => one === view) ?? views[0] ?? 'text';
  const link = (one: MailView) => {
    const query = new URLSearchParams({ view: one, ...(search !== '' && { q: search }) }).toString();
    return `<a href="/mails/${mail.number}?${escapeHtml(query)}"${one === current ? ' aria-current="page"' : ''}>${labels[one]}</a>`;
  };
  const facts = [
    ['From', mail.from],
    ['To', mail.to.join(', ')],
    ['Delivered to', mail.recipients.join(', ')],
    ['Received', mail.receivedAt.toISOString()],
  ] as const;
  return `<h2>${escapeHtml(mail.subject || '(no subject)')}</h2>
<dl>${facts.map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`).join('')}</dl>
<p class="views">${views.map(link).join(' · ')}</p>
${content(mail, current)}`;
}

const labels: Readonly<Record<MailView, string>> = { html: 'HTML', text: 'Text', source: 'Source' };

function content(mail: CaughtMail, view: MailView): string {
  if (view === 'html') return `<iframe sandbox="" title="HTML part" srcdoc="${escapeHtml(mail.html)}"></iframe>`;
  return `<pre>${escapeHtml(view === 'text' ? mail.text : mail.source)}</pre>`;
}
