import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLocalRequest, sendJson, sendLiveScript, sendPage, sendPart } from '../local-page.ts';
import type { Updates } from '../updates.ts';
import type { CaughtMail } from './caught-mail.ts';
import { inboxList, inboxPage, openedMail, type MailView } from './inbox-page.ts';

interface InboxDeps {
  /** The mails, oldest first. */
  readonly mails: readonly CaughtMail[];
  readonly updates: Updates;
}

/** Serves a browser, or a program that requests `/messages`. */
export function showInbox(request: IncomingMessage, response: ServerResponse, { mails, updates }: InboxDeps): void {
  if (!isLocalRequest(request)) return sendJson(response, 403, { error: 'Ask for 127.0.0.1.' });
  // A path such as `//` is no URL.
  const asked = URL.canParse(request.url ?? '', 'http://localhost') ? (request.url ?? '/') : '/unknown';
  const { pathname, searchParams } = new URL(asked, 'http://localhost');
  const search = searchParams.get('q') ?? '';
  const [, number] = /^\/mails\/(\d{1,9})$/.exec(pathname) ?? [];
  if (request.method !== 'GET') sendJson(response, 405, { error: 'This only shows mail: GET.' });
  else if (number !== undefined) sendMail(response, Number(number), searchParams.get('view'), search, mails);
  else if (pathname === '/') sendPage(response, 'Mail', inboxPage(mails, { search }, '<p>Choose a mail.</p>'));
  else if (pathname === '/list') sendPart(response, inboxList(mails, { search, ...openIn(searchParams) }));
  else if (pathname === '/live.js') sendLiveScript(response);
  else if (pathname === '/updates') updates.stream(response);
  else if (pathname === '/messages') sendJson(response, 200, { items: mails });
  else sendJson(response, 404, { error: 'GET / shows the mails, GET /messages gives them as JSON.' });
}

function sendMail(
  response: ServerResponse,
  number: number,
  view: string | null,
  search: string,
  mails: readonly CaughtMail[],
): void {
  const mail = mails.find((one) => one.number === number);
  const opened =
    mail === undefined
      ? '<p>This mail is not kept any more.</p>'
      : openedMail(mail, (view ?? undefined) as MailView | undefined, search);
  const title = mail === undefined ? 'Mail' : `${mail.subject} – Mail`;
  sendPage(response, title, inboxPage(mails, { search, open: number }, opened), mail === undefined ? 404 : 200);
}

function openIn(query: URLSearchParams): { open?: number } {
  const open = query.get('open');
  return open === null ? {} : { open: Number(open) };
}
