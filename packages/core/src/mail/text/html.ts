import type { Draft, Fact, Item, Link, Step } from './draft.ts';

/** Text as HTML, also within quotation marks. */
function escaped(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/gu, (character) => entities[character] ?? '');
}

// Mail programs drop style sheets, so each element has its own styles. No picture, nothing from elsewhere: opening the mail
// sends no request. Colours are left to the reader's program, so that its dark mode stays readable.
const page = 'margin:0;padding:24px;font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif';
const column = 'max-width:640px;margin:0 auto';
const heading = 'font-size:16px;margin:24px 0 4px';
const label = 'text-align:left;vertical-align:top;font-weight:normal;padding:2px 16px 2px 0;opacity:.75';
const value = 'vertical-align:top;padding:2px 0;overflow-wrap:anywhere';
const code = 'font:14px/1.5 ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere';
const button = 'display:inline-block;padding:8px 16px;border:1px solid #1a56db;border-radius:6px';

/** A draft as the HTML of a mail. */
export function htmlOf(draft: Draft, title: string): string {
  const { headline, opening, facts, items = [], next, advice, link, footer } = draft;
  const parts = [
    `<h1 style="font-size:20px;margin:0 0 12px">${escaped(headline)}</h1>`,
    paragraphs(opening),
    factsTable(facts),
    ...items.map(itemHtml),
    ...(next.length === 0 ? [] : [`<h2 style="${heading}">What happens next</h2>`, paragraphs(next)]),
    ...(advice.length === 0 ? [] : [`<h2 style="${heading}">What you can do</h2>`, list(advice)]),
    ...(link === undefined ? [] : [linkHtml(link)]),
    '<hr style="margin:24px 0 12px;border:0;border-top:1px solid #8888">',
    `<div style="font-size:13px;opacity:.75">\n${paragraphs(footer)}\n</div>`,
  ];
  return `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
</head>
<body style="${page}">
<div style="${column}">
${parts.filter((part) => part !== '').join('\n')}
</div>
</body>
</html>
`;
}

function itemHtml({ title, sentences, facts }: Item): string {
  return [`<h2 style="${heading}">${escaped(title)}</h2>`, paragraphs(sentences), factsTable(facts)].join('\n');
}

function factsTable(facts: readonly Fact[]): string {
  if (facts.length === 0) return '';
  const rows = facts.map(
    (fact) =>
      `<tr><th scope="row" style="${label}">${escaped(fact.label)}</th><td style="${value}"><bdi>${escaped(fact.value)}</bdi></td></tr>`,
  );
  return `<table role="presentation" style="border-collapse:collapse;margin:16px 0">\n${rows.join('\n')}\n</table>`;
}

function list(steps: readonly Step[]): string {
  return `<ul style="margin:0;padding-left:20px">\n${steps.map(listItem).join('\n')}\n</ul>`;
}

function listItem({ say, requests = [] }: Step): string {
  const toCopy = requests.map((request) => `<br><code style="${code}">${escaped(request)}</code>`);
  return `<li style="margin:0 0 8px">${escaped(say)}${toCopy.join('')}</li>`;
}

/** The address is shown too: a reader should see where a button leads. */
function linkHtml({ say, button: words, url }: Link): string {
  return `<p style="margin:24px 0"><a href="${escaped(url)}" style="${button}">${escaped(words)}</a></p>
<p style="margin:0 0 8px">${escaped(say)}: <code style="${code}">${escaped(url)}</code></p>`;
}

function paragraphs(texts: readonly string[]): string {
  return texts.map((text) => `<p style="margin:0 0 8px">${escaped(text)}</p>`).join('\n');
}
