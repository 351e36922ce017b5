import { createHash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import {
  confirmAddress,
  findConfirmation,
  type ConfirmationRequest,
} from '@callout/pipeline/notify/store/confirmations';
import type { ApiContext } from '../../api-context.ts';
import { clientAddress } from '../../http/auth/client-address.ts';
import { HttpProblem } from '../../http/http-problem.ts';
import type { AddressLimit } from '../../http/limits/rate.ts';

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:40em;margin:3em auto;padding:0 1em}button{font:inherit;padding:.5em 1em}';
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/**
 * `/confirm-mail?token=…`: the target of the link in a mail that asks for consent. Needs no credentials. A GET confirms
 * nothing, since mail scanners follow links: it shows a page whose button sends a POST to the same address.
 */
export function confirmMail({ database: { pool } }: ApiContext, addressLimit: AddressLimit): RequestHandler {
  return async (request, response) => {
    const isPost = request.method === 'POST';
    if (!isPost && request.method !== 'GET' && request.method !== 'HEAD') {
      throw HttpProblem.methodNotAllowed(['GET', 'HEAD', 'POST']);
    }
    await addressLimit(clientAddress(request));
    const token = tokenOf(request);
    if (isPost && (await confirmAddress(pool, token))) {
      sendPage(
        response,
        200,
        'The address is confirmed',
        '<p>From now on it gets mail about the webhooks that name it.</p>',
      );
      return;
    }
    const confirmation = isPost ? undefined : await findConfirmation(pool, token);
    if (confirmation === undefined) {
      const why = '<p>It has expired, or a newer mail has taken its place. Nothing was changed.</p>';
      sendPage(response, 404, 'This link is no longer valid', why);
    } else if (confirmation.isConfirmed) {
      sendPage(response, 200, 'The address is confirmed already', '<p>There is nothing to do.</p>');
    } else {
      sendPage(response, 200, 'Confirm this address', question(confirmation));
    }
  };
}

function question({ address, tenantName }: ConfirmationRequest): string {
  return `<p>Shall ${escaped(address)} get mail about webhooks of ${escaped(tenantName)}: when one fails, recovers or is deactivated?</p>
<form method="post"><button type="submit">Confirm the address</button></form>
<p>If not, close this page: without your consent no such mail is sent.</p>`;
}

/** Empty without one: that is no token of any mail. */
function tokenOf({ query }: Request): string {
  const { token } = query as Record<string, string | undefined>;
  return token ?? '';
}

function sendPage(response: Response, status: number, title: string, content: string): void {
  response.status(status).set({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex',
  }).end(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style></head>
<body>
<h1>${title}</h1>
${content}
</body>
</html>
`);
}

function escaped(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/gu, (character) => entities[character] ?? '');
}
