import { type Draft, type Fact, type Item, type Link, requestsOf, sameAsRequests, type Step } from './draft.rules.ts';

/** Short enough to be quoted without being broken. */
const width = 72;

/** A draft as the plain text of a mail, lines ended by `\n`. */
export function plainTextOf(draft: Draft): string {
  const { headline, opening, facts, items = [], next, advice, link, footer } = draft;
  const paragraphs = [
    wrap(headline),
    ...opening.map((paragraph) => wrap(paragraph)),
    ...(link === undefined ? [] : [linkText(link)]),
    ...(facts.length === 0 ? [] : [factsTable(facts)]),
    ...items.map(itemText),
    ...section('WHAT HAPPENS NEXT', next.map((paragraph) => wrap(paragraph)).join('\n\n')),
    ...section('WHAT YOU CAN DO', advice.map(listItem).join('\n')),
    ...section(
      sameAsRequests.toUpperCase(),
      requestsOf(advice)
        .map((request) => `    ${request}`)
        .join('\n'),
    ),
    // Mail programs treat the text after this line as a signature.
    `-- \n${footer.map((paragraph) => wrap(paragraph)).join('\n')}`,
  ];
  return `${paragraphs.join('\n\n')}\n`;
}

function section(heading: string, text: string): string[] {
  return text === '' ? [] : [`${heading}\n${text}`];
}

function itemText({ title, sentences, link, facts }: Item): string {
  return [
    wrap(title, '* ', '  '),
    ...(link === undefined ? [] : [`  ${link.url}`]),
    ...sentences.map((one) => wrap(one, '  ', '  ')),
    factsTable(facts),
  ].join('\n');
}

function listItem({ say, commands = [] }: Step): string {
  return [wrap(say, '- ', '  '), ...commands.map((command) => `    ${command}`)].join('\n');
}

function linkText({ say, url }: Link): string {
  return `${say}:\n${url}`;
}

function factsTable(facts: readonly Fact[]): string {
  const longest = Math.max(...facts.map(({ label }) => label.length));
  return facts.map(({ label, value }) => `  ${`${label}:`.padEnd(longest + 2)} ${value}`).join('\n');
}

/** Breaks at spaces; a long word, such as an address, stays whole. */
function wrap(paragraph: string, start = '', indent = ''): string {
  const lines: string[] = [];
  let line = start;
  let isEmpty = true;
  for (const word of paragraph.split(' ')) {
    const longer = isEmpty ? line + word : `${line} ${word}`;
    if (!isEmpty && longer.length > width) {
      lines.push(line);
      line = indent + word;
    } else line = longer;
    isEmpty = false;
  }
  return [...lines, line].join('\n');
}
