import type { Draft, Fact, Item, Step } from './draft.ts';

/** Short enough to survive being quoted. */
const width = 72;

/** A draft as the plain text of a mail, lines ended by `\n`. */
export function plainTextOf(draft: Draft): string {
  const { headline, opening, facts, items = [], next, advice, link, footer } = draft;
  const paragraphs = [
    wrap(headline),
    ...opening.map((paragraph) => wrap(paragraph)),
    ...(facts.length === 0 ? [] : [factsTable(facts)]),
    ...items.map(itemText),
    ...section('WHAT HAPPENS NEXT', next.map((paragraph) => wrap(paragraph)).join('\n\n')),
    ...section('WHAT YOU CAN DO', advice.map(listItem).join('\n')),
    ...(link === undefined ? [] : [`${link.say}:\n${link.url}`]),
    // What follows this line is taken for a signature, and shown as such.
    `-- \n${footer.map((paragraph) => wrap(paragraph)).join('\n')}`,
  ];
  return `${paragraphs.join('\n\n')}\n`;
}

function section(heading: string, text: string): string[] {
  return text === '' ? [] : [`${heading}\n${text}`];
}

function itemText({ title, sentences, facts }: Item): string {
  return [wrap(title, '* ', '  '), ...sentences.map((one) => wrap(one, '  ', '  ')), factsTable(facts)].join('\n');
}

function listItem({ say, requests = [] }: Step): string {
  return [wrap(say, '- ', '  '), ...requests.map((request) => `    ${request}`)].join('\n');
}

function factsTable(facts: readonly Fact[]): string {
  const longest = Math.max(...facts.map(({ label }) => label.length));
  return facts.map(({ label, value }) => `  ${`${label}:`.padEnd(longest + 2)} ${value}`).join('\n');
}

/** Breaks at spaces; a word that is too long, such as an address, stays whole. */
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
