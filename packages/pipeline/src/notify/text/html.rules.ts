import { type Draft, type Fact, type Item, type Link, requestsOf, sameAsRequests, type Step } from './draft.rules.ts';

/** Text as HTML, also within quotation marks. */
function escaped(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/gu, (character) => entities[character] ?? '');
}

// Mail programs drop style sheets, so each element has its own styles. No images and no remote content: opening the
// mail sends no request. Colours are left to the reader's program, so that its dark mode stays readable.
const page = 'margin:0;padding:24px;font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif';
// Some programs support one of the two ways to break an address that is wider than a telephone, some the other.
const breaking = 'overflow-wrap:anywhere;word-break:break-word';
const column = `max-width:640px;margin:0 auto;${breaking}`;
const heading = 'font-size:16px;margin:24px 0 4px';
// Whole words, since an address beside them would use all of the width.
const label =
  'text-align:left;vertical-align:top;font-weight:normal;padding:2px 12px 2px 0;opacity:.75;white-space:nowrap;overflow-wrap:normal;word-break:normal';
const value = `vertical-align:top;padding:2px 0;${breaking}`;
const code = `font:14px/1.5 ui-monospace,Menlo,Consolas,monospace;${breaking}`;
const block = `${code};display:block;margin:4px 0;padding:6px 10px;border:1px solid #8886;border-radius:6px`;
const button = 'display:inline-block;padding:8px 16px;border:1px solid #1a56db;border-radius:6px';

/** A draft as the HTML of a mail. */
export function htmlOf(draft: Draft, title: string): string {
  const { headline, opening, facts, items = [], next, advice, link, footer } = draft;
  const parts = [
    `<h1 style="font-size:20px;margin:0 0 12px">${escaped(headline)}</h1>`,
    paragraphs(opening),
    ...(link === undefined ? [] : [linkHtml(link)]),
    factsTable(facts),
    ...items.map(itemHtml),
    ...(next.length === 0 ? [] : [`<h2 style="${heading}">What happens next</h2>`, paragraphs(next)]),
    ...(advice.length === 0 ? [] : [`<h2 style="${heading}">What you can do</h2>`, list(advice)]),
    requestsHtml(requestsOf(advice)),
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

function itemHtml({ title, sentences, link, facts }: Item): string {
  const parts = [
    `<h2 style="${heading}">${escaped(title)}</h2>`,
    paragraphs(sentences),
    ...(link === undefined ? [] : [`<p style="margin:0 0 8px">${anchor(link)}</p>`]),
    factsTable(facts),
  ];
  return parts.filter((part) => part !== '').join('\n');
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

function listItem({ say, commands = [] }: Step): string {
  return `<li style="margin:0 0 8px">${escaped(say)}${commands.map(toCopy).join('')}</li>`;
}

function requestsHtml(requests: readonly string[]): string {
  if (requests.length === 0) return '';
  return `<h2 style="${heading}">${sameAsRequests}</h2>\n${requests.map(toCopy).join('\n')}`;
}

function toCopy(text: string): string {
  return `<code style="${block}">${escaped(text)}</code>`;
}

/** The address is shown too, so that a reader sees where a button leads. */
function linkHtml({ say, button: words, url }: Link): string {
  return `<p style="margin:16px 0 8px"><a href="${escaped(url)}" style="${button}">${escaped(words)}</a></p>
<p style="margin:0 0 8px">${escaped(say)}: <code style="${code}">${escaped(url)}</code></p>`;
}

function anchor({ url }: Link): string {
  return `<a href="${escaped(url)}">${escaped(url)}</a>`;
}

function paragraphs(texts: readonly string[]): string {
  return texts.map((text) => `<p style="margin:0 0 8px">${escaped(text)}</p>`).join('\n');
}
