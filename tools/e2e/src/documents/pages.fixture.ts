import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../../../..');

/** One Markdown file that people read. */
export interface Page {
  /** From the root of the repository, with `/`. */
  readonly file: string;
  readonly text: string;
}

/** A fenced block of code. */
export interface CodeBlock {
  /** The text after the fence: the language, and marks after it. */
  readonly info: string;
  readonly code: string;
  /** From 1, of the opening fence. */
  readonly line: number;
}

const SKIPPED = new Set(['node_modules', 'dist', '.callout', '.git', '.turbo', 'generated', 'coverage']);

async function markdownBelow(folder: string): Promise<string[]> {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true });
  const found = await Promise.all(
    entries
      .filter(({ name }) => !SKIPPED.has(name))
      .map(async (entry) => {
        const file = path.posix.join(folder, entry.name);
        if (entry.isDirectory()) return markdownBelow(file);
        return entry.name.endsWith('.md') ? [file] : [];
      }),
  );
  return found.flat();
}

/** Every Markdown file of the repository. */
export async function everyPage(): Promise<Page[]> {
  const files = await markdownBelow('.');
  return Promise.all(
    files.toSorted().map(async (file) => ({ file, text: await readFile(path.join(root, file), 'utf8') })),
  );
}

/** The fenced blocks of a page, also those in lists. */
export function codeBlocks(text: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const [, indent = '', fence, info = ''] = /^( *)(`{3,})(.*)$/u.exec(lines[at] ?? '') ?? [];
    if (fence === undefined) continue;
    const end = lines.findIndex((line, index) => index > at && line.trim() === fence);
    if (end < 0) throw new Error(`A block of code begins in line ${at + 1} and does not end.`);
    const code = lines.slice(at + 1, end).map((line) => line.slice(indent.length));
    blocks.push({ info: info.trim(), code: code.join('\n'), line: at + 1 });
    at = end;
  }
  return blocks;
}

/** The text of a page without its blocks of code, in which nothing is a heading or a link. */
export const prose = (text: string) => text.replaceAll(/^( *)(`{3,})[^\n]*\n[\s\S]*?^\1\2$/gmu, '');

/** The anchors of the headings of a page, as GitHub makes them. */
export function anchors(text: string): Set<string> {
  const known = new Set<string>();
  for (const [, heading = ''] of prose(text).matchAll(/^#{1,6} (.+)$/gmu)) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, '$1').toLowerCase();
    const slug = words
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/gu, '-');
    let free = slug;
    for (let n = 1; known.has(free); n++) free = `${slug}-${n}`;
    known.add(free);
  }
  return known;
}
