// Which Markdown files are pages of the site, where each is, and the groups of the side bar: all of it by docs/README.md.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../..');
const INDEX = 'docs/README.md';
const SKIPPED = new Set(['node_modules', 'dist', '.git', '.callout', '.turbo', '.vitepress', 'generated', 'coverage']);

/** @param {string} [folder] @returns {string[]} every Markdown file of the repository, from its root */
function markdownFiles(folder = '') {
  return readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !SKIPPED.has(name))
    .flatMap((entry) => {
      const file = path.posix.join(folder, entry.name);
      if (entry.isDirectory()) return markdownFiles(file);
      return entry.name.endsWith('.md') ? [file] : [];
    });
}

/** @param {string} file from the root @returns {string} its path in the site, without `.md` */
function placeOf(file) {
  if (file === INDEX) return 'index';
  if (file === 'README.md') return 'getting-started';
  return file
    .replace(/^docs\//u, '')
    .replace(/\/README\.md$/u, '.md')
    .replace(/\.md$/u, '')
    .replace(/^[A-Z]+$/u, (name) => name.toLowerCase());
}

/** @param {string} href in docs/README.md @returns {string} the file that it names, from the root */
const fileOf = (href) => path.posix.join('docs', href.split('#')[0] ?? '');

const every = markdownFiles();
const index = readFileSync(path.join(root, INDEX), 'utf8');
const linked = [...index.matchAll(/\]\(([^)\s:]+\.md)\)/gu)].map(([, href]) => fileOf(href));
const isPage = (file) => file.startsWith('docs/') || linked.includes(file);

/** From a file to its path in the site: everything in docs/, and what docs/README.md names outside it. */
export const places = new Map(every.filter(isPage).map((file) => [file, placeOf(file)]));
/** Markdown files that are no pages. */
export const others = every.filter((file) => !isPage(file));

/** @param {string} file @returns {string} its first heading, without marks */
export function titleOf(file) {
  if (file === 'README.md') return 'Getting started';
  const [, title = path.basename(file, '.md')] = /^# (.+)$/mu.exec(readFileSync(path.join(root, file), 'utf8')) ?? [];
  return title.replaceAll('`', '');
}

/** The side bar: a group for each heading of docs/README.md, with the pages that it names, each once. */
export function sidebar() {
  const seen = new Set([INDEX]);
  const groups = index
    .split(/^## /mu)
    .slice(1)
    .map((section) => ({
      text: section.slice(0, section.indexOf('\n')),
      items: [...section.matchAll(/\]\(([^)\s:]+\.md)\)/gu)]
        .map(([, href]) => fileOf(href))
        .filter((file) => !seen.has(file) && seen.add(file))
        .map((file) => ({ text: titleOf(file), link: `/${places.get(file)}` })),
    }));
  const api = groups.find(({ items }) => items.some(({ link }) => link === '/errors'));
  api?.items.unshift({ text: 'API reference', link: '/api', target: '_self' });
  return groups;
}
