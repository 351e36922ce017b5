import { escapeHtml } from '../http/local-page.ts';
import type { ReceivedCallout } from './received-callout.ts';

/** The received callouts as HTML, newest first. All of it was written by others and is escaped. */
export function calloutsPage(callouts: readonly ReceivedCallout[]): string {
  if (callouts.length === 0) return '<p>None yet.</p>';
  return callouts.toReversed().map(calloutArticle).join('\n');
}

function calloutArticle(callout: ReceivedCallout): string {
  const headers = Object.entries(callout.headers).map(([name, value]) => `${name}: ${String(value)}`);
  const title = `#${callout.number} ${callout.path}${callout.isRepeat ? ' (repeat)' : ''}`;
  return `<article>
<h2>${escapeHtml(title)}</h2>
<p><time>${callout.receivedAt.toISOString()}</time>
· webhook-signature: <strong>${callout.webhookSignature}</strong>
· X-Hook-Signature: <strong>${callout.hookSignature}</strong></p>
<details><summary>Headers</summary><pre>${escapeHtml(headers.join('\n'))}</pre></details>
<pre>${escapeHtml(readable(callout.body))}</pre>
</article>`;
}

/** JSON is indented; anything else is shown as it came, and so is JSON too deep for that. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return body;
    throw error;
  }
}
