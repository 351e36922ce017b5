import { escapeHtml } from '../local-page.ts';
import type { ReceivedCallout } from './verify-callout.ts';

/** The received callouts as a page that keeps itself up to date. All of it was written by others and is escaped. */
export function calloutsPage(callouts: readonly ReceivedCallout[]): string {
  return `<h1>Callouts received</h1>
<main data-list="/list">
${calloutsList(callouts)}
</main>`;
}

/** The callouts, newest first. */
export function calloutsList(callouts: readonly ReceivedCallout[]): string {
  const count = callouts.length === 0 ? 'None yet.' : `${callouts.length}, newest first.`;
  return [`<p id="count" data-version="${count}">${count}</p>`, ...callouts.toReversed().map(calloutArticle)].join(
    '\n',
  );
}

function calloutArticle(callout: ReceivedCallout): string {
  const headers = Object.entries(callout.headers).map(([name, value]) => `${name}: ${String(value)}`);
  const title = `#${callout.number} ${callout.path}${callout.isRepeat ? ' (repeat)' : ''}`;
  const receivedAt = callout.receivedAt.toISOString();
  const by = callout.verifiedBy.join(' and ');
  const standard = by === '' ? callout.webhookSignature : `verified by ${by}`;
  return `<article id="callout-${callout.number}" data-version="${receivedAt} ${standard} ${callout.hookSignature}">
<h2>${escapeHtml(title)}</h2>
<p><time>${receivedAt}</time>
· webhook-signature: <strong>${standard}</strong>
· X-Hook-Signature: <strong>${callout.hookSignature}</strong></p>${callout.hint === null ? '' : `\n<p>${escapeHtml(callout.hint)}</p>`}
<details><summary>Headers</summary><pre>${escapeHtml(headers.join('\n'))}</pre></details>
<pre>${escapeHtml(readable(callout.body))}</pre>
</article>`;
}

/** JSON is indented; anything else is shown unchanged, and so is JSON that is nested too deep. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return body;
    throw error;
  }
}
