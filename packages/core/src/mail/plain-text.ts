import type { Letter, Step } from './letter.ts';

/** Short enough to survive being quoted. */
const width = 72;

/** A letter as the plain text of a mail, lines ended by `\n`. */
export function plainTextOf(letter: Letter): string {
  const [next = '', ...more] = letter.next.map((paragraph) => wrap(paragraph));
  const paragraphs = [
    wrap(letter.headline),
    ...letter.opening.map((paragraph) => wrap(paragraph)),
    factsTable(letter),
    `WHAT HAPPENS NEXT\n${next}`,
    ...more,
    `WHAT YOU CAN DO\n${letter.advice.map(listItem).join('\n')}`,
    ...(letter.link === undefined ? [] : [`The webhook in the console:\n${letter.link}`]),
    // What follows this line is taken for a signature, and shown as such.
    `-- \n${letter.footer.map((paragraph) => wrap(paragraph)).join('\n')}`,
  ];
  return `${paragraphs.join('\n\n')}\n`;
}

function listItem({ say, requests = [] }: Step): string {
  return [wrap(say, '- ', '  '), ...requests.map((request) => `    ${request}`)].join('\n');
}

function factsTable({ facts }: Letter): string {
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
